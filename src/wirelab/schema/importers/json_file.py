"""JSON files that hold a schema."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.schema import json_reader
from wirelab.schema.importers.book import source
from wirelab.schema.json_diagnostics import find_problem
from wirelab.schema.json_reader import MAX_DEPTH, Suspect


def text_of(path: Path) -> str:
    """The text of a schema file, without a byte order mark. Raises BadInput."""
    try:
        return source(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(str(path), "it is not UTF-8", "convert the file to UTF-8") from None


def parsed(words: str, name: str) -> Any:
    """The one JSON value in a text. `name` is the file's in errors. Raises BadInput."""
    try:
        value, end = json_reader.part(words, len(words) - len(words.lstrip()), 4 * MAX_DEPTH)
    except Suspect:
        problem = find_problem(words)
        why = f"line {problem.line}, at {problem.path}: {problem.why}" if problem else "not JSON, or too deep"
        raise BadInput(name, why, "correct the schema") from None
    if words[end:].strip():
        raise BadInput(name, "something follows the JSON value", "correct the schema")
    return value


_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def without_comments(words: str) -> str:
    """A text with blanks in place of its `//` and `/* */` comments, so that places stay the same."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    return _COMMENT.sub(blank, words)
