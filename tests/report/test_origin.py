"""Every view says when, with what and where it was measured."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
from msgspec.structs import replace
from rich.console import Console

from tests.report import fixtures
from tests.report.study_fixtures import PAGE
from wirelab.lab.environment import origin
from wirelab.model.answer import Answer
from wirelab.model.codec_result import CodecComparison
from wirelab.model.origin import Origin, origin_of
from wirelab.report import codec_section, device_html, devices, html, json, markdown, section, study, terminal
from wirelab.report import csv as csv_view

LINE = "2026-11-02 10:00 UTC; wirelab 0.1.0 (ea3e18ff1234); rustc 1.95.0; Fast <CPU>, 2 cores, Linux 6.18"
COLUMNS = {
    "measured_date": "2026-11-02 10:00 UTC",
    "measured_wirelab": "0.1.0",
    "measured_commit": "ea3e18ff1234",
    "measured_compiler": "rustc 1.95.0",
    "measured_machine": "Fast <CPU>, 2 cores, Linux 6.18",
}


def printed(answer: Answer) -> str:
    console = Console(width=200, file=io.StringIO(), highlight=False)
    terminal.print_answer(answer, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_views_of_a_run_say_when_and_where_it_was_measured() -> None:
    answer, view = fixtures.answer(), fixtures.View()
    assert printed(answer).endswith(f"\nmeasured {LINE}\n")
    assert f"measured {LINE.replace('<CPU>', '&lt;CPU&gt;')}</p>" in html.page(answer, view)
    assert markdown.text(answer).endswith(f"Measured {LINE.replace('<', chr(92) + '<')}.\n")
    assert (
        msgspec.json.decode(json.text(answer, view))["answer"]["meta"]["origin"]["commit"] == "ea3e18ff1234"
    )
    for table in (csv_view.text(answer), section.tables(answer, view)["codecs"]):
        for line in csv.DictReader(io.StringIO(table)):
            assert {name: line[name] for name in COLUMNS} == COLUMNS


def test_a_run_of_an_earlier_release_has_no_such_line() -> None:
    older = fixtures.answer(meta={"command": "wirelab compare x"})
    assert "measured 20" not in printed(older)
    assert "measured_date" not in csv_view.text(older)


def test_the_views_of_a_reproduced_study_have_it(tmp_path: Path) -> None:
    page = replace(PAGE, origin=origin_of(fixtures.META))
    study.write(page, tmp_path / "made-up2026")
    assert f"measured {LINE.replace('<CPU>', '&lt;CPU&gt;')}</p>" in study.html(page)
    assert study.markdown(page).endswith(f"Measured {LINE.replace('<', chr(92) + '<')}.\n")
    stored = msgspec.json.decode((tmp_path / "made-up2026" / "study.json").read_bytes())
    assert stored["origin"]["commit"] == "ea3e18ff1234"


def test_the_views_of_devices_have_it() -> None:
    known = origin_of(fixtures.META)
    assert f"measured {LINE.replace('<CPU>', '&lt;CPU&gt;')}</p>" in device_html.page(
        "x.jsonl", [fixtures.CHIP], known
    )
    assert f"Measured {LINE.replace('<', chr(92) + '<')}.\n" in devices.markdown(
        "x.jsonl", [fixtures.CHIP], known
    )
    (line, *_) = csv.DictReader(io.StringIO(devices.csv_text([fixtures.CHIP], known)))
    assert {name: line[name] for name in COLUMNS} == COLUMNS


def test_the_page_and_the_json_of_codecs_have_it_too() -> None:
    known = origin_of(fixtures.META)
    page = codec_section.page("x.jsonl", fixtures.CODECS, origin=known)
    assert f"measured {LINE.replace('<CPU>', '&lt;CPU&gt;')}</p>" in page
    comparison = CodecComparison("hash", "rustc 1.95.0", 1, 5, 1, True, (), origin=known)
    assert msgspec.json.decode(msgspec.json.encode(comparison))["origin"]["date"] == "2026-11-02 10:00 UTC"


def test_parts_that_are_not_known_are_left_out() -> None:
    assert str(Origin("2026-11-02 10:00 UTC", "0.1.0")) == "2026-11-02 10:00 UTC; wirelab 0.1.0"


def test_the_origin_of_a_measurement_names_this_machine() -> None:
    found = origin("rustc 1.95.0")
    assert found.compiler == "rustc 1.95.0"
    assert found.date.endswith(" UTC")
    assert " cores, Linux " in found.machine
