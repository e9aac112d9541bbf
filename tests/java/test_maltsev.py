"""maltsev2024's figures follow from its times by the paper's rules, and its messages grow as its
epochs do.
"""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.stats.intervals import mean_interval
from wirelab.studies import expression
from wirelab.studies.claims import Checked, Claim, check
from wirelab.studies.registry import Request
from wirelab.studies.study_file import texts
from wirelab_reproductions.maltsev2024 import REPRODUCTION
from wirelab_reproductions.maltsev2024.lag import Lag, Plan, keys, ranks, summary
from wirelab_reproductions.maltsev2024.lag import figures as lag_figures
from wirelab_reproductions.maltsev2024.measurement import reproduce
from wirelab_reproductions.maltsev2024.messages import growing, size
from wirelab_reproductions.maltsev2024.state import Effort, State, begin
from wirelab_reproductions.maltsev2024.times import Times, figures

STUDY = REPRODUCTION.study


def test_messages_grow_from_half_a_kilobyte_over_four_to_thirty() -> None:
    messages = list(growing(4, 1))
    sizes = [len(json.dumps(one, separators=(",", ":"))) for one in messages]
    means = [float(part.mean()) for part in np.split(np.array(sizes), 30)]
    assert means == sorted(means)
    for epoch, wanted in ((1, 500), (15, 4_000), (30, 30_000)):
        assert size(epoch) == wanted
        assert means[epoch - 1] == pytest.approx(wanted, rel=0.2)
    assert list(growing(4, 1)) == messages


def test_a_quick_run_ranks_lags_and_leaves_savings_to_the_whole_run() -> None:
    quick = {claim.text: claim for claim in texts(STUDY, quick=True).claims}
    whole = [test for claim in texts(STUDY).claims for test in claim.tests]
    assert any("reduction.lag" in test for test in whole)
    assert not any("reduction.lag" in test for claim in quick.values() for test in claim.tests)
    assert quick["At least one format halves JSON's lag"].reason.startswith("a quick look's backlogs")
    assert quick["YAML's lag is longer than JSON's"].tests == ["lag.mean.json < lag.mean.yaml"]


def made_up(avro: float, json_ns: float) -> Times:
    flat = {
        "avro": {"serialize": [tuple([avro] * 15 + [10 * avro] * 15)]},
        "json": {"serialize": [tuple([json_ns] * 15 + [10 * json_ns] * 14 + [9_999.0])]},
    }
    return Times(flat, {"avro": tuple([40.0] * 15 + [400.0] * 15), "json": (1.0,) * 30})


def test_figures_are_medians_over_the_epochs_and_reductions_against_json() -> None:
    found = figures(made_up(25.0, 100.0))
    assert found["serialize.small.avro"].values == pytest.approx([25.0])
    assert found["serialize.large.json"].values == pytest.approx([1_000.0])
    assert found["longest.serialize.large.json"].values == pytest.approx([9_999.0])
    assert found["reduction.serialize.small.avro"].values == pytest.approx([0.75])
    assert found["bytes.large.avro"].values == 400.0


def test_a_run_is_not_continued_with_another_seed(tmp_path: Path) -> None:
    effort = msgspec.convert(tomllib.loads(STUDY.read_text())["quick"], Effort)
    (tmp_path / "maltsev2024.json").write_bytes(msgspec.json.encode(State(effort, 1)))
    with pytest.raises(BadInput, match="measured with other settings"):
        reproduce(STUDY, tmp_path, Request(quick=True, resume=True, seed=2))


def test_every_figure_named_by_a_claim_is_measured() -> None:
    study = tomllib.loads(STUDY.read_text())
    claims = texts(STUDY).claims
    known = {
        f"{head}{phase}.{part}.{name}"
        for head in ("", "reduction.", "longest.")
        for phase in ("serialize", "deserialize", "access")
        for part in ("small", "large")
        for name in study["codecs"]
    }
    known |= {
        f"{head}{network}.{kind}.{name}"
        for head in ("", "reduction.")
        for network in ("lag", "linked")
        for kind in ("mean", "median")
        for name in study["codecs"]
    }
    known |= {f"rank.{network}.{cause}" for network in ("lag", "linked") for cause in ("bytes", "time")}
    written = [
        one
        for claim in claims
        for text in (*claim.tests, *claim.display)
        for one in expression.instances(text, known)
    ]
    assert {name for text in written for name in expression.names(text)} - known == set()
    assert set(study["published"]["serialize"]["small"]) == set(study["codecs"])
    assert set(study["published"]["lag"]) == set(study["codecs"])


def test_published_reductions_of_lag_follow_from_the_column_headed_mean_and_not_from_that_headed_median() -> (
    None
):
    lag = tomllib.loads(STUDY.read_text())["published"]["lag"]
    by_mean = {name: 100 * (1 - row[0] / lag["json"][0]) for name, row in lag.items()}
    assert by_mean == pytest.approx({name: row[2] for name, row in lag.items()}, abs=0.06)
    assert 100 * (1 - lag["flatbuffers"][1] / lag["json"][1]) == pytest.approx(5.8, abs=0.01)
    assert all((2 * row[0]).is_integer() for row in lag.values())


def test_lags_are_combined_over_all_messages_and_by_epoch() -> None:
    plan = Plan(each=2, samples_per_link=1, last=2, link="ideal", warmup=1, repeats=1, linked_repeats=1)
    lags = summary(np.array([1.0, 3.0, 10.0, 20.0, 30.0, 50.0]), plan, "lag")
    assert lags == Lag(mean=19.0, median=15.0, least=1.0, most=50.0, epochs=(2.0, 25.0))
    assert summary(np.array([1.0, 10.0, 30.0]), plan, "linked").epochs == (1.0, 20.0)


def test_every_replicate_runs_every_format_in_an_order_of_its_own_and_leaves_out_a_network_without_messages() -> (
    None
):
    plan = Plan(each=2, samples_per_link=1, last=2, link="ideal", warmup=1, repeats=2, linked_repeats=2)
    found = keys(plan, ["a", "b", "c"], 1)
    assert sorted(found) == [(r, n, f) for r in (1, 2) for n in ("lag", "linked") for f in "abc"]
    assert [one[1:] for one in found[:6]] != [one[1:] for one in found[6:]]
    fewer = Plan(each=2, samples_per_link=1, last=2, link="ideal", warmup=1, repeats=3, linked_repeats=1)
    assert [(r, n) for r, n, _ in keys(fewer, ["a"], 1) if r > 1] == [(2, "lag"), (3, "lag")]
    alone = Plan(each=2, samples_per_link=0, last=2, link="ideal", warmup=1, repeats=1, linked_repeats=1)
    assert {network for _, network, _ in keys(alone, ["a"], 1)} == {"lag"}


def test_extra_replicates_of_one_network_follow_the_unchanged_plan() -> None:
    plan = Plan(each=2, samples_per_link=1, last=2, link="ideal", warmup=1, repeats=2, linked_repeats=2)
    found = keys(plan, ["a", "b", "c"], 1, {"lag": 2, "times": 9})
    assert found[:12] == keys(plan, ["a", "b", "c"], 1)
    assert sorted(found[12:]) == [(r, "lag", f) for r in (3, 4) for f in "abc"]
    longer = keys(plan, ["avro", "json"], 1, {"lag": 2})
    lags = {key: Lag(key[0] + 9.0 * (key[2] == "json"), 1.0, 0.0, 2.0, ()) for key in longer}
    known = figures(made_up(25.0, 100.0)) | figures(deserialized())
    assert lag_figures(lags, known)["lag.mean.avro"].values == pytest.approx([1, 2, 3, 4])
    assert lag_figures(lags, known)["linked.mean.avro"].values == pytest.approx([1, 2])


def test_inconclusive_claims_get_more_replicates_of_their_part() -> None:
    state = State(Effort(5, 0.01, Plan(2, 1, 2, "ideal", 1, 3, 3)), 1)
    names = ("reduction.lag.mean.avro", "rank.lag.bytes", "serialize.small.avro")
    state.look_again([Checked("x", "inconclusive", "y", open=names)], 4)
    assert (state.more, state.looks) == ({"lag": 4, "times": 4}, {"x": 1})
    state.look_again([Checked("x", "inconclusive", "y", open=("linked.mean.avro",))], 1)
    assert (state.more, state.looks) == ({"lag": 4, "times": 4, "linked": 1}, {"x": 2})


def test_disturbed_attempts_are_invalid_and_the_least_disturbed_one_is_kept() -> None:
    state = State(Effort(2, 0.01, Plan(2, 1, 2, "ideal", 1, 1, 1)), 1)
    first, second = ({"avro": {"serialize": (ns,) * 30}} for ns in (1.0, 2.0))
    state.keep_round(1, first, 0.4)
    assert state.lacks_round(1)
    with pytest.raises(
        MeasurementFailed,
        match="even in the best replicate other programs or the hypervisor took 40 % of the CPU time asked for",
    ):
        state.evidence()
    state.keep_round(1, second, 0.6)
    state.keep_round(2, second, 0.01)
    assert (state.evidence(), state.lacks_round(1), state.lacks_round(2)) == ([second], True, False)
    state.keep_round(1, first, 0.02)
    assert state.evidence() == [first, second]
    near, far = (1, "lag", "avro"), (1, "linked", "avro")
    state.keep_lag(near, Lag(1.0, 1.0, 1.0, 1.0, (), 0.2))
    assert state.lacks_lags([near, far]) == [near, far]
    assert list(state.notes()) == [
        "1 of 1 runs of the actors are invalid: in the worst other programs or the hypervisor took 20 % of the CPU time asked for; --resume measures them again"
    ]
    state.keep_lag(near, Lag(2.0, 2.0, 2.0, 2.0, (), 0.3))
    state.keep_lag(far, Lag(3.0, 3.0, 3.0, 3.0, (), 0.05))
    assert (state.lacks_lags([near, far]), state.lags_by_key()[near].mean) == ([near], 1.0)
    state.keep_lag(near, Lag(2.0, 2.0, 2.0, 2.0, (), 0.0))
    assert (state.lacks_lags([near, far]), state.lags_by_key()[near].mean) == ([], 2.0)


def test_a_run_without_recorded_cpu_shares_continues_as_undisturbed(tmp_path: Path) -> None:
    fresh = State(Effort(3, 0.01, Plan(2, 1, 2, "ideal", 1, 1, 1)), 1)
    old = State(fresh.effort, 1, rounds=[{"avro": {"serialize": (1.0,) * 30}}] * 2)
    (tmp_path / "maltsev2024.json").write_bytes(msgspec.json.encode(old))
    found = begin(tmp_path, fresh, resume=True)
    assert found.elsewhere == [0.0, 0.0]
    assert [found.lacks_round(number) for number in (1, 2, 3)] == [False, False, True]
    assert len(found.evidence()) == 2


def test_a_disturbed_run_of_the_actors_leaves_a_gap_in_its_own_figures() -> None:
    known = figures(made_up(25.0, 100.0)) | figures(deserialized())
    lags = {
        (number, "lag", name): Lag(ns * number, ns, 0.0, 2 * ns, (), 0.5 if (number, name) == gap else 0.0)
        for number in (1, 2, 3)
        for name, ns in (("avro", 1e6), ("json", 4e6))
        for gap in ((2, "avro"),)
    }
    found = lag_figures(lags, known)
    assert found["lag.mean.avro"].values == pytest.approx([1e6, math.nan, 3e6], nan_ok=True)
    assert found["lag.mean.json"].values == pytest.approx([4e6, 8e6, 12e6])
    assert found["rank.lag.time"].values == pytest.approx([1.0, math.nan, 1.0], nan_ok=True)
    assert found["lag.mean.avro"].estimate == mean_interval([np.array([1e6]), np.array([3e6])], "ns")
    nothing = lag_figures({key: replace(lag, elsewhere=0.5) for key, lag in lags.items()}, known)
    assert str(nothing["lag.mean.avro"]) == "not measured"
    (checked,) = check([Claim("x", "y", tests=["lag.mean.avro < lag.mean.json"])], nothing)
    assert checked.verdict == "inconclusive"


def test_lag_is_ranked_against_size_and_against_time() -> None:
    known = figures(made_up(25.0, 100.0)) | figures(deserialized())
    lags = {
        (number, "lag", name): Lag(ns * number, ns, 0.0, 2 * ns, ())
        for number in (1, 2)
        for name, ns in (("avro", 1e6), ("json", 4e6))
    }
    found = lag_figures(lags, known)
    assert found["lag.mean.avro"].values == pytest.approx([1e6, 2e6])
    assert found["lag.range.json"].values == pytest.approx([8e6, 8e6])
    assert found["reduction.lag.median.avro"].values == pytest.approx([0.75, 0.75])
    assert found["rank.lag.time"].values == pytest.approx([1.0, 1.0])
    assert found["rank.lag.bytes"].values == pytest.approx([-1.0, -1.0])
    assert ranks(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1.0, 2.0, 4.0, 3.0])) == pytest.approx([0.8])


def deserialized() -> Times:
    flat = {name: {"deserialize": [(ns,) * 30]} for name, ns in (("avro", 1.0), ("json", 2.0))}
    return Times(flat, {})


def test_a_claim_without_tests_gives_its_reason() -> None:
    for claims in (texts(STUDY).claims, texts(STUDY, quick=True).claims):
        verdicts = {one.text: one.verdict for one in check(claims, {})}
        assert set(verdicts.values()) == {"not applicable"}
        assert all(claim.tests or claim.reason for claim in claims)
