"""A program that replaces a compiler, and a module that changed."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import pytest


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> Path:
    """The program, found before any other of its name; `$COUNT` is its file `count` in the same
    folder's parent.
    """
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / name
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("COUNT", str(tmp_path / "count"))
    return program


def changed(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the source of a module be another."""
    source = tmp_path / "changed.py"
    source.write_text(Path(module.__file__ or "").read_text() + "# changed\n")
    monkeypatch.setattr(module, "__file__", str(source))
