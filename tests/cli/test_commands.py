"""The command line: help, errors and exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def wirelab(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from wirelab.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


def test_help_names_every_command() -> None:
    done = wirelab("--help")
    assert done.returncode == 0
    for name in ("compare", "run", "codecs", "schema", "link", "report", "list", "doctor"):
        assert f"  {name} " in done.stdout


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom wirelab.cli import group\n"
        "try: group(['--help'])\nexcept SystemExit: pass\n"
        "print([m for m in ('numpy', 'scipy', 'pyarrow', 'rich', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_modules_of_every_trial_import_nothing_heavy() -> None:
    script = (
        "import sys, wirelab.lab.cell\n"
        "print([m for m in ('numpy', 'scipy', 'pyarrow', 'rich', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_link_runs_the_command_after_two_dashes_behind_a_link() -> None:
    done = wirelab("link", "run", "ideal", "--", "sh", "-c", "echo behind it")
    assert (done.returncode, done.stdout) == (0, "behind it\n"), done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("compair",), "did you mean compare?"),
        (("compare",), "no payload"),
        (("run",), "no study file"),
        (("compare", "--rat", "5/s"), "--rate"),
        (("compare", "none.json"), "none.json: no such file"),
        (("run", "none.toml"), "none.toml"),
        (("report", "nowhere"), "nowhere: does not exist"),
        (("schema", "infer", "none.json"), "none.json: no such file"),
        (("schema", "emit", "none.toml", "--to", "protobof"), "did you mean protobuf?"),
    ],
)
def test_bad_input_is_one_clear_sentence_and_exit_code_3(
    arguments: tuple[str, ...], complaint: str, tmp_path: Path
) -> None:
    done = wirelab(*arguments, cwd=tmp_path)
    assert done.returncode == 3
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_schema_is_inferred_edited_and_checked(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"speed": 3, "name": "x"}\n{"speed": 40}\n')
    inferred = wirelab("schema", "infer", "m.jsonl", cwd=tmp_path)
    assert 'speed = "int 3..40"' in inferred.stdout
    (tmp_path / "m.toml").write_text(inferred.stdout)
    assert wirelab("schema", "check", "m.jsonl", "m.toml", cwd=tmp_path).returncode == 0
    (tmp_path / "m.toml").write_text(inferred.stdout.replace("int 3..40", "int 3..30"))
    refused = wirelab("schema", "check", "m.jsonl", "m.toml", cwd=tmp_path)
    assert refused.returncode == 3
    assert "40" in refused.stderr


def test_a_schema_is_emitted_for_a_format(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"speed": 3}\n')
    emitted = wirelab("schema", "emit", "m.jsonl", "--to", "protobuf", cwd=tmp_path)
    assert 'syntax = "proto3";' in emitted.stdout
    assert "speed = 1;" in emitted.stdout


def test_adopt_takes_the_directory_of_a_run(tmp_path: Path) -> None:
    done = wirelab("adopt", str(tmp_path))
    assert done.returncode == 3
    assert "name the directory of a run" in done.stderr
