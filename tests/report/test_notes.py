"""A row's notes stand with it in every view."""

from __future__ import annotations

import csv as reader
import io
import json as json_reader

from msgspec.structs import replace

from tests.report import fixtures
from tests.report.test_terminal import shown
from wirelab.model.answer import Answer, Ranking
from wirelab.model.note import Note, NoteCode, row_notes
from wirelab.report import cell_text, csv, html, json, markdown, ranking_reasons

STEADY = Note(NoteCode.NO_STEADY_STATE, {"change": 0.8}, why="rose")
LINE = "no steady state: latency rose by 80.0 % from the first third to the last"
RETRIED = Note(NoteCode.RETRIED, what="retried after invalid: steal time")


def noted() -> Answer:
    first, second, *rest = fixtures.ROWS
    notes = row_notes([(STEADY,)] * 5)
    rows = (replace(first, notes=notes, trials=tuple("abcde")), second, *rest)
    return fixtures.answer(rankings=(Ranking({}, rows, "r"),))


def test_a_row_with_notes_is_marked_and_its_notes_are_below_the_table() -> None:
    line = f"avro/serde_avro_fast mqtt qos 0: {LINE}"
    text = " ".join(shown(noted(), 80).split())
    assert "! has notes below" in text
    assert f"Notes: - {line}" in text
    assert "| 1! ┌ |" in markdown.text(noted())
    escaped = line.replace("_", r"\_")
    assert f"Notes (rows with !):\n\n- {escaped}" in markdown.text(noted())
    page = html.page(noted(), fixtures.View())
    assert f'<td class="rank" title="{LINE}">1!</td>' in page
    assert f"<h3>Notes</h3><ul><li>{line}</li></ul>" in page


def test_csv_and_json_have_the_notes_of_each_row() -> None:
    lines = list(reader.DictReader(io.StringIO(csv.text(noted()))))
    assert [line["notes"] for line in lines[:2]] == [LINE, ""]
    (note,) = json_reader.loads(json.text(noted(), fixtures.View()))["answer"]["rankings"][0]["rows"][0][
        "notes"
    ]
    assert note == {
        "code": "no_steady_state", "text": LINE, "trials": 5, "spans": {"change": [0.8, 0.8]}, "what": "",
        "why": "rose",
    }  # fmt: skip


def test_notes_of_one_kind_share_a_line() -> None:
    rows = [
        replace(row, trials=("a", "b"), notes=row_notes([(replace(STEADY, figures={"change": change}),), ()]))
        for row, change in zip(fixtures.ROWS[:2], (0.6, 0.9), strict=True)
    ]
    ranking = Ranking({}, tuple(rows), "r")
    assert ranking_reasons.notes(fixtures.answer(rankings=(ranking,)), ranking) == [
        "no steady state: latency rose by 60.0 % to 90.0 % from the first third to the last (2 of 4 trials): "
        "2 of 2 rows, mqtt qos 0 (2 rows)"
    ]


def test_many_rows_without_a_steady_state_share_a_line_that_names_some() -> None:
    fell = replace(STEADY, figures={"change": 0.5}, why="fell")
    deliveries = [("mqtt", "0"), ("mqtt", "1"), ("coap", "con"), ("tcp", "stream"), ("udp", "datagram")]
    rows = [fixtures.row("protobuf/prost", *one, 40.0) for one in deliveries]
    noted = [
        replace(row, trials=("a", "b"), notes=row_notes([(STEADY,), (fell,)] if at < 4 else [(), ()]))
        for at, row in enumerate(rows)
    ]
    ranking = Ranking({}, tuple(noted), "r")
    assert ranking_reasons.notes(fixtures.answer(rankings=(ranking,)), ranking) == [
        "no steady state: latency rose or fell by 50.0 % to 80.0 % from the first third to the last: 4 of 5 "
        "rows, e.g. protobuf/prost mqtt qos 0, protobuf/prost mqtt qos 1, protobuf/prost coap con"
    ]


def test_a_retry_limits_no_figure_and_marks_no_row() -> None:
    row = replace(fixtures.ROWS[0], notes=row_notes([(RETRIED,)]))
    assert cell_text.ranks([row]) == ["1"]
    ranking = Ranking({}, (row,), "r")
    assert ranking_reasons.notes(fixtures.answer(rankings=(ranking,)), ranking) == []
