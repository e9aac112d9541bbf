"""Markdown, CSV and JSON, literal or read back."""

from __future__ import annotations

import csv as reader
import io
from pathlib import Path

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from tests.report import fixtures
from wirelab.advice.link_check import LINK_AS_SPECIFIED
from wirelab.model.answer import Ranking, Results, Threshold
from wirelab.report import csv, json, markdown
from wirelab.report.markdown_text import escape

MARKDOWN = r"""**avro/serde\_avro\_fast mqtt qos 0 passes loss=0 with median latency 41.2 ms \[39.1 ms, 43.7 ms].**

## Ranking

| rank | format | protocol | qos | latency p50 | latency p99 | lost | payload | on the wire |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
| 1 | avro/serde\_avro\_fast | mqtt | 0 | 41.2 ms \[39.1, 43.7] | 124 ms \[103, >161] | 0 % \[0, 2.40] | 953 B | 1,163 B \[1,157, 1,174] |

On the wire: with a topic of 9 B, without connecting.

## Codecs

| rank | codec | language | version | size, mean (min to max) | serialize | deserialize | both | ratio |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |
| 1 | protobuf/prost | rust | 0.14.1 | 1,157 B (1,090 to 1,260) | 1.52 us \[1.49, 1.56] | 2.16 us \[2.10, 2.23] | 3.68 us \[3.59, 3.79] | 1.00 |

## Not carried

- protobuf/prost: null against absent at trips\[].end

## Warnings

- CPU governor is 'powersave': set it to performance

Measured 2026-11-02 10:00 UTC; wirelab 0.1.0 (ea3e18ff1234); rustc 1.95.0; Fast \<CPU>, 2 cores, Linux 6.18.
"""


def test_markdown_reads_so() -> None:
    assert markdown.text(fixtures.one()) == MARKDOWN


def test_markdown_lists_failed_thresholds_and_explains_ties() -> None:
    text = markdown.text(fixtures.answer())
    assert "Thresholds: loss=0." in text
    assert "Failed thresholds:\n\n- coap non: lost 4.67 % to 6.00 % fails loss=0 (2 rows)" in text
    assert (
        "Bracketed rows tie: their difference in latency p50 is not significant; payload orders them." in text
    )


def test_markdown_keeps_markup_and_table_marks_in_names_as_text() -> None:
    assert escape("<b>|`x`\n# y") == r"\<b>\|\`x\` \# y"
    assert "<script>" not in markdown.text(fixtures.hostile()).replace(r"\<script>", "")


def test_a_threshold_without_a_metric_has_no_column() -> None:
    usual = csv.text(fixtures.answer()).splitlines()[0]
    judged = fixtures.answer(thresholds=(LINK_AS_SPECIFIED, Threshold("loss=0", "loss", "=", 0.0)))
    assert csv.text(judged).splitlines()[0] == usual


def test_csv_has_a_line_per_combination_and_units_in_its_headings() -> None:
    lines = list(reader.DictReader(io.StringIO(csv.text(fixtures.answer()))))
    assert len(lines) == 7
    assert {key: lines[4][key] for key in (
        "format", "protocol", "qos", "link", "rank", "group", "tied", "inconclusive", "thresholds", "failed_thresholds", "inconclusive_thresholds", "latency_p50_ns",
        "latency_p50_ns_low", "latency_p50_ns_high", "latency_p99_ns_high", "loss_fraction", "bytes", "wire_bytes_high",
        "mean_server_ns", "messages_lost", "trials_valid", "reasons",
    )} == {
        "format": "avro/serde_avro_fast", "protocol": "coap", "qos": "non", "link": "lte-drive", "rank": "5", "group": "4",
        "tied": "true", "inconclusive": "false", "thresholds": "fail", "failed_thresholds": "loss=0",
        "inconclusive_thresholds": "", "latency_p50_ns": "39800000",
        "latency_p50_ns_low": "37810000", "latency_p50_ns_high": "42188000", "latency_p99_ns_high": "",
        "loss_fraction": "0.04666666667", "bytes": "953", "wire_bytes_high": "1174", "mean_server_ns": "1000000",
        "messages_lost": "7", "trials_valid": "5", "reasons": "",
    }  # fmt: skip
    assert lines[6]["trials_skipped"] == "5"
    assert lines[6]["latency_p50_ns"] == ""


def test_csv_has_no_loss_of_an_overloaded_row() -> None:
    row = replace(fixtures.ROWS[4], overloaded=2)
    found = fixtures.answer(rankings=(Ranking({}, (row,), "r"),))
    first = next(reader.DictReader(io.StringIO(csv.text(found))))
    assert (first["trials_overloaded"], first["messages_lost"]) == ("2", "")


def test_csv_headings_do_not_depend_on_the_run() -> None:
    assert csv.text(fixtures.nothing()).split("\n")[0] == csv.text(fixtures.many()).split("\n")[0]


def test_json_gives_the_answer_and_its_trials_back() -> None:
    read = msgspec.json.decode(json.text(fixtures.answer(), fixtures.View()), type=Results)
    assert read.answer.rankings == fixtures.answer().rankings
    assert [record.trial.id for record in read.trials] == ["t1"]


@pytest.mark.parametrize("name", ["usual", "hostile", "nothing", "many"])
def test_json_follows_the_published_schema(root: Path, name: str) -> None:
    schema = msgspec.json.decode((root / "docs" / "reference" / "results.schema.json").read_bytes())
    plain = msgspec.json.decode(json.text(fixtures.ANSWERS[name](), fixtures.View()))
    jsonschema.validate(plain, schema)
