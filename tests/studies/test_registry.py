"""Studies by entry points: those of this source tree, and those of other packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import refused, wirelab
from wirelab.model.errors import BadInput
from wirelab.studies import registry

STUDY = """
name = "dice"
title = "How even is a die?"
instrument = "dice"

[[claim]]
text = "A six is as likely as a one"
published = "1/6"
tests = ["dice.six = dice.one"]
"""
CODE = """
from pathlib import Path
from wirelab.studies.claims import check, exact
from wirelab.studies.published_tables import InstrumentResult
from wirelab.studies.registry import Instrument, Reproduction
from wirelab.studies.study_file import texts

def run(study, folder, request):
    figures = exact({"dice.six": float(request.options.get("six", 1)), "dice.one": 1.0})
    return InstrumentResult(check(texts(study).claims, figures), [])

DICE = Reproduction(Path(__file__).with_name("dice.toml"), Instrument(run, options={"six": "weight of the six"}))
NUMBER = 3
"""
ENTRIES = """[wirelab.reproductions]
dice = third_party_dice:DICE
number = third_party_dice:NUMBER
gone = third_party_dice:GONE
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package outside the source tree, installed as pip leaves it: a module, its data, its
    metadata.
    """
    site = tmp_path / "site"
    info = site / "third_party_dice-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "third_party_dice.py").write_text(CODE)
    (site / "dice.toml").write_text(STUDY)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party-dice\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", f"{site}:{':'.join(filter(None, sys.path))}")
    return site


def test_a_study_of_another_package_runs_with_its_own_option(package: Path, tmp_path: Path) -> None:
    done = wirelab("reproduce", "dice", "-o", tmp_path / "fair")
    assert done.returncode == 0, done.stderr
    assert "A six is as likely as a one" in done.stdout
    assert "contradicted: dice.six" not in done.stdout
    done = wirelab("reproduce", "dice", "--option", "six=2", "-o", tmp_path / "loaded")
    assert "contradicted: dice.six (2) = dice.one (1)" in done.stdout
    assert "wirelab reproduce dice --option=six=2" in (tmp_path / "loaded" / "report.md").read_text()


def test_a_copy_of_its_file_runs_on_the_same_instrument(package: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.toml"
    copy.write_text(STUDY.replace("dice.six = dice.one", "dice.six > 2*dice.one"))
    done = wirelab("reproduce", copy, "-o", tmp_path / "out")
    assert "contradicted: dice.six (1) > 2*dice.one (1)" in done.stdout


def test_it_is_listed_with_its_option_among_those_of_this_source_tree(package: Path) -> None:
    (package / "third_party_dice-1.0.dist-info" / "entry_points.txt").write_text(
        "[wirelab.reproductions]\ndice = third_party_dice:DICE\n"
    )
    lines = wirelab("reproduce").stdout.splitlines()
    at = lines.index("dice                     How even is a die?")
    assert lines[at + 1].split() == ["--option", "six=...:", "weight", "of", "the", "six"]
    assert any(line.startswith("kang2020 ") for line in lines)


def test_an_option_that_the_study_does_not_declare_is_refused(package: Path) -> None:
    assert "option 'sicks': not supported by dice; did you mean six?" in refused(
        "reproduce", "dice", "--option", "sicks=2"
    )
    assert "option 'six': pace has no options" in refused("reproduce", "pace", "--option", "six=2")
    assert "write it like --option NAME=VALUE" in refused("reproduce", "dice", "--option", "six")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("number", "third_party_dice:NUMBER is not a Reproduction"),
        ("gone", "has no attribute 'GONE'"),
        ("dise", "not registered; did you mean dice"),
    ],
)
def test_a_study_that_cannot_be_loaded_is_refused_in_one_sentence(
    package: Path, name: str, complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        registry.load(name)


def test_the_former_flags_of_one_study_are_options_now(tmp_path: Path) -> None:
    done = wirelab("reproduce", "friesel2021", "--mpack-dir", tmp_path / "nowhere", "--plan")
    assert done.returncode == 3
    assert "note: --mpack-dir is now --option mpack_dir=...\n" in done.stderr
    assert "note: --plan is now --dry-run\n" in done.stderr
    assert "friesel2021: --dry-run: not supported" in done.stderr
