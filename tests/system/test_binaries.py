"""Where the compiled programs are found."""

from pathlib import Path

import pytest

from wirelab.system.binaries import find


def test_a_relative_folder_gives_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "built" / "wirelab-peer-coap"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WIRELAB_BIN", "built")
    assert find("wirelab-peer-coap") == str(program)
