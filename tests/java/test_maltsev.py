"""maltsev2024's figures follow from its times by the paper's rules, and its messages grow as its epochs do."""

from __future__ import annotations

import json
import tomllib

import msgspec
import numpy as np
import pytest

from wirelab.schema.example_growing import growing, size
from wirelab.studies import expression
from wirelab.studies.claims import Claim, check
from wirelab.studies.maltsev import STUDY, Times, figures


def test_messages_grow_from_half_a_kilobyte_over_four_to_thirty() -> None:
    messages = list(growing(4, 1))
    sizes = [len(json.dumps(one, separators=(",", ":"))) for one in messages]
    means = [float(part.mean()) for part in np.split(np.array(sizes), 30)]
    assert means == sorted(means)
    for epoch, wanted in ((1, 500), (15, 4_000), (30, 30_000)):
        assert size(epoch) == wanted
        assert means[epoch - 1] == pytest.approx(wanted, rel=0.2)
    assert list(growing(4, 1)) == messages


def made_up(avro: float, json_ns: float) -> Times:
    flat = {
        "avro": {"serialize": [tuple([avro] * 15 + [10 * avro] * 15)]},
        "json": {"serialize": [tuple([json_ns] * 15 + [10 * json_ns] * 14 + [9_999.0])]},
    }
    return Times(flat, {"avro": tuple([40.0] * 15 + [400.0] * 15), "json": (1.0,) * 30}, {})


def test_figures_are_medians_over_the_epochs_and_reductions_against_json() -> None:
    found = figures(made_up(25.0, 100.0))
    assert found["serialize.small.avro"].values == pytest.approx([25.0])
    assert found["serialize.large.json"].values == pytest.approx([1_000.0])
    assert found["longest.serialize.large.json"].values == pytest.approx([9_999.0])
    assert found["reduction.serialize.small.avro"].values == pytest.approx([0.75])
    assert found["bytes.large.avro"].values == 400.0


def test_every_figure_that_a_claim_names_is_one_that_is_measured() -> None:
    study = tomllib.loads(STUDY.read_text())
    claims = msgspec.convert(study["claim"], list[Claim])
    known = {
        f"{head}{phase}.{part}.{name}"
        for head in ("", "reduction.", "longest.")
        for phase in ("serialize", "deserialize", "access")
        for part in ("small", "large")
        for name in study["codecs"]
    }
    texts = [
        one
        for claim in claims
        for text in (*claim.tests, *claim.show)
        for one in expression.instances(text, known)
    ]
    assert {name for text in texts for name in expression.names(text)} - known == set()
    assert set(study["published"]["serialize"]["small"]) == set(study["codecs"])


def test_a_claim_without_tests_says_why() -> None:
    study = tomllib.loads(STUDY.read_text())
    claims = msgspec.convert(study["claim"], list[Claim])
    verdicts = {one.text: one.verdict for one in check(claims, {})}
    assert set(verdicts.values()) == {"cannot be tested here"}
    assert all(claim.tests or claim.why for claim in claims)
