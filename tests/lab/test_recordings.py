"""Recordings in formats of packages become lines of seconds and Mbit/s."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner

from wirelab.cli.commands import link
from wirelab.lab import recordings
from wirelab.lab.recordings import RecordingFormat, convert
from wirelab.model.errors import BadInput
from wirelab.system import entry_points


def _read(file: Path) -> list[tuple[float, float]] | None:
    text = file.read_text()
    if not text.startswith("ACME"):
        return None
    return [(i / 2, float(word)) for i, word in enumerate(text.split()[1:])]


ACME = RecordingFormat(_read)
ENDLESS = RecordingFormat(lambda _: ((float(i), 1.0) for i in range(10**12)))
NO_FORMAT = "text"


def _register(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    point = EntryPoint("acme", f"{__name__}:{name}", recordings.GROUP)
    monkeypatch.setattr(entry_points, "registered", lambda _: {"acme": point})


def test_a_file_of_a_registered_format_becomes_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _register(monkeypatch, "ACME")
    own, other, to = tmp_path / "own.acme", tmp_path / "other", tmp_path / "rows"
    own.write_text("ACME 2000 1.5")
    other.write_text("0 1\n")
    assert convert(other, to) is None
    assert not to.exists()
    assert convert(own, to) == "acme"
    assert to.read_text() == "# seconds Mbit/s\n0.0 2000.0\n0.5 1.5\n"


def test_a_damaged_file_is_refused_with_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _register(monkeypatch, "ACME")
    own = tmp_path / "own.acme"
    own.write_text("ACME x")
    with pytest.raises(BadInput, match="entry point acme of wirelab.recordings: could not convert"):
        convert(own, tmp_path / "rows")


def test_a_value_that_is_not_a_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _register(monkeypatch, "NO_FORMAT")
    with pytest.raises(BadInput, match="not a RecordingFormat"):
        convert(tmp_path, tmp_path / "rows")


def test_rows_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _register(monkeypatch, "ENDLESS")
    monkeypatch.setattr(recordings, "MOST_ROWS", 100)
    with pytest.raises(BadInput, match="more than 100 rows"):
        convert(tmp_path, tmp_path / "rows")


def test_import_hands_the_rows_to_the_emulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    _register(monkeypatch, "ACME")
    program = tmp_path / "wirelab-link"
    program.write_text('#!/bin/sh\necho "$1 $3 $4"\ncat "$2"\nexit 3\n')
    program.chmod(0o755)
    monkeypatch.setattr(link, "find", lambda _: str(program))
    own = tmp_path / "own.acme"
    own.write_text("ACME 1 2")
    result = CliRunner().invoke(link.command, ["import", str(own), "--clean", "gaps=cut"])
    assert result.exit_code == 3
    assert capfd.readouterr().out == "import --clean gaps=cut\n# seconds Mbit/s\n0.0 1.0\n0.5 2.0\n"
