"""The published schema of study files is current, accepts the shipped studies and refuses what the
reader refuses.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from wirelab.studies.study_schema import study_schema

ROOT = Path(__file__).resolve().parents[2]
STUDIES = [
    path
    for path in sorted(ROOT.glob("reproductions/*/study.toml"))
    if "instrument" not in tomllib.loads(path.read_text())
]


def errors(table: dict[str, Any]) -> list[str]:
    checked = jsonschema.Draft202012Validator(json.loads(study_schema()))
    return [one.message for one in checked.iter_errors(table)]


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "docs" / "reference" / "study.schema.json").read_text()
    assert published == study_schema(), (
        "run: python -m wirelab.studies.study_schema > docs/reference/study.schema.json"
    )


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.parent.name)
def test_a_shipped_study_is_valid(path: Path) -> None:
    assert errors(tomllib.loads(path.read_text())) == []


def test_there_are_studies_to_check() -> None:
    assert {path.parent.name for path in STUDIES} >= {"kang2020", "kayal2017", "pace", "proos2020"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("protocols = ['mqtt']", "'protocols' was unexpected"),
        ("replicates = 'many'", "'many' is not of type 'integer'"),
        ("[[part]]\nloss = 0", "'name' is a required property"),
        ("[quick]\nlink = true", "True is not valid under any of the given schemas"),
        ("[[claim]]\ntext = 'x'\npublished = 'y'\nwhere = 'Fig. 1'", "'where' was unexpected"),
    ],
)
def test_files_that_the_reader_refuses_are_invalid(text: str, message: str) -> None:
    (found,) = errors(tomllib.loads(text))
    assert message in found
