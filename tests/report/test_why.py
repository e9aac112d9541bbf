"""The reason for a row's latency, and its parts, in every view."""

from __future__ import annotations

import csv as reader
import io

from msgspec.structs import replace

from tests.report import fixtures
from tests.report.test_terminal import shown
from wirelab.model.answer import Answer, Ranking, Why
from wirelab.model.result import MessagePath
from wirelab.report import cell_text, csv, html, markdown

TEXT = "mean 41.2 ms: propagation 30.0 ms, broker 8.00 ms"
PATH = MessagePath(150, propagation=30e6, broker=8e6, hosts=2e6, unexplained=1e6)


def explained() -> Answer:
    first, *rest = fixtures.ROWS
    rows = (replace(first, path=PATH, why=Why(TEXT, round_trips=0.5)), *rest)
    return fixtures.answer(rankings=(Ranking({}, rows, "r"),))


def test_the_parts_of_a_path_take_the_place_of_wire_and_server() -> None:
    row = explained().rankings[0].rows[0]
    assert [name for name, ns in cell_text.parts(row.shares, row.path) if ns] == [
        "queue", "encode", "hosts", "propagation", "broker", "unexplained", "decode",
    ]  # fmt: skip
    assert "propagation 73 %, broker 19 %" in shown(explained(), 190)


def test_the_reason_is_in_every_view() -> None:
    line = f"avro/serde_avro_fast mqtt qos 0: {TEXT}"
    assert f"Why: - {line}" in " ".join(shown(explained(), 80).split())
    assert "Why:\n\n- avro/serde\\_avro\\_fast mqtt qos 0: mean" in markdown.text(explained())
    page = html.page(explained(), fixtures.View())
    assert "<h3>Why</h3>" in page
    assert TEXT in page
    assert 'class="propagation"' in page
    first, second, *_ = reader.DictReader(io.StringIO(csv.text(explained())))
    assert (first["why"], second["why"]) == (TEXT, "")
    assert (first["mean_broker_ns"], first["mean_hosts_ns"], first["round_trips"]) == (
        "8000000",
        "2000000",
        "0.5",
    )
