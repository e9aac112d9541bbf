"""The published schema of the results is current and valid for values."""

from __future__ import annotations

import json

import jsonschema
import msgspec

from tests.factories import a_payload, a_trial
from wirelab.model.answer import Answer, Record, Results, Status
from wirelab.model.result import TrialResult
from wirelab.model.results_schema import results_schema
from wirelab.model.trial import Link


def test_the_published_schema_is_current(root):
    published = (root / "docs" / "reference" / "results.schema.json").read_text()
    assert published == results_schema(), (
        "run: python -m wirelab.model.results_schema > docs/reference/results.schema.json"
    )


def test_results_are_valid_under_the_schema_and_a_wrong_unit_of_state_is_not():
    payload = a_payload(corpus="c.jsonl", schema="s.json", codec="json/serde_json", pack="pack.so")
    trial = a_trial("a", levels={"qos": "1"}, seed=7, payload=payload, qos="1", link=Link("wifi"))
    answer = Answer((), ("latency_p50",), "nothing", Status.FAIL, (), (), (), (), (), (), {"seed": 7})
    results = json.loads(msgspec.json.encode(Results(answer, (Record(trial, "done", 1, TrialResult("a")),))))
    schema = json.loads(results_schema())
    jsonschema.validate(results, schema)
    results["answer"]["status"] = "perhaps"
    assert not jsonschema.Draft202012Validator(schema).is_valid(results)
