"""Each kind of message has its own bytes and times."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wirelab.codecs.bench import measure_codecs
from wirelab.codecs.codec_table import codec_rows
from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import ExtraMetrics
from wirelab.model.study import Study
from wirelab.report import csv, extra_metrics
from wirelab.studies.preparation import read_subject

MESSAGES = b"""\
{"type":"reading","id":1,"temperature":21.5}
{"type":"alarm","id":1,"text":"too hot"}
{"type":"reading","id":2,"temperature":1.5}
"""


def rows(folder: Path, kinds: str = "auto") -> list[CodecRow]:
    payload = folder / "gateway.jsonl"
    payload.write_bytes(MESSAGES)
    subject = read_subject(Study(payload=str(payload), kinds=kinds))
    corpus = folder / "corpus.jsonl"
    corpus.write_bytes(subject.normalised)
    return codec_rows(
        measure_codecs(corpus, subject.schema, ["json"], 2, 1, seconds_per=0.002, kinds=subject.kinds)
    )


def test_each_kind_has_its_bytes_and_times(tmp_path: Path) -> None:
    (row,) = rows(tmp_path)
    reading, alarm = row.extra_metrics.by_kind
    assert (reading.kind, reading.size.n, reading.size.value) == ("reading", 2, 43.5)
    assert (reading.size.low, reading.size.high) == (43, 44)
    assert (alarm.kind, alarm.size.n, alarm.size.value) == ("alarm", 1, 40)
    assert reading.serialize is not None
    assert reading.serialize.value > 0
    assert alarm.deserialize is not None
    assert alarm.deserialize.replicates == 2

    (table,) = extra_metrics.tables([row])
    assert [line[:4] for line in table.lines] == [
        ("json/serde_json", "reading", "2", "43.5 B (43 to 44)"),
        ("", "alarm", "1", "40 B"),
    ]
    assert "kind reading bytes" in csv.codecs([row]).splitlines()[0]


def test_a_corpus_of_one_kind_has_no_figures_by_kind(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "none")
    assert row.extra_metrics.by_kind == ()
    assert extra_metrics.tables([row]) == []
    assert (
        msgspec.json.encode(ExtraMetrics()) == b'{"compressed":[],"allocated":[],"resident":[],"single":[]}'
    )
