"""CSV with a header (RFC 4180, with any of four delimiters): a message per row.

A column is typed as a whole: integers, numbers, true and false, else text.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import MAX_MESSAGES, Corpus
from wirelab.schema.json_reader import Suspect, whole

DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
_COMMA = re.compile(r"^(-?[0-9]+),([0-9]+)$")
_BOOLS = {"true": True, "false": False}
_NO_NUMBER = {"null", "na", "n/a"}
_NONFINITE = {"nan", "inf", "-inf"}
_EMPTY = object()


def read(text: str, name: str, lenient: bool) -> Corpus:
    """The corpus in a CSV file. Raises BadInput."""
    delimiter = _delimiter(text)
    header, rows, lines = _rows(text, name, delimiter)
    notes = [f"read as CSV: {len(header)} columns"]
    columns = []
    for key, column in zip(header, zip(*rows, strict=True), strict=True):
        cells = _with_points(column) if delimiter == ";" else column
        if cells != column:
            notes.append(f"column {key} has decimal commas, which are read as points")
        columns.append(_column(cells, key, lenient, notes))
    if any(_EMPTY in column for column in columns):
        notes.append("a key is left out where its cell is empty")
    messages = tuple(
        {key: value for key, value in zip(header, row, strict=True) if value is not _EMPTY}
        for row in zip(*columns, strict=True)
    )
    return Corpus(messages, text.encode(), name, tuple(lines), tuple(notes))


def _delimiter(text: str) -> str:
    """The delimiter of the header."""
    return max(DELIMITERS, key=text.lstrip().partition("\n")[0].count)


def _with_points(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Cells with decimal commas as points, if that makes the whole column numbers."""
    pointed = tuple(_COMMA.sub(r"\1.\2", cell.strip()) for cell in cells)
    if pointed == tuple(map(str.strip, cells)):
        return cells
    plain = {cell for cell in pointed if cell and cell.lower() not in _NO_NUMBER | _NONFINITE}
    return pointed if plain and all(map(_is_number, plain)) else cells


def _rows(text: str, name: str, delimiter: str) -> tuple[list[str], list[list[str]], list[int]]:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    header: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    begin = 1
    try:
        for row in reader:
            line, begin = begin, reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if not header:
                header = _header(row, f"{name}, line {line}")
                continue
            cells = row[: len(header)] + [""] * (len(header) - len(row))
            if any(cell.strip() for cell in row[len(header) :]):
                why = f"{len(row)} cells, but the header has {len(header)}"
                raise BadInput(f"{name}, line {line}", why, "quote cells that hold the delimiter")
            if len(rows) == MAX_MESSAGES:
                raise BadInput(name, f"more than {MAX_MESSAGES:,} rows", "take a sample of some thousand")
            rows.append(cells)
            lines.append(line)
    except csv.Error as error:
        raise BadInput(f"{name}, line {reader.line_num}", f"not CSV: {error}", "correct the row") from None
    if not rows:
        raise BadInput(name, "the file has a header and no rows", "give a file with at least one row")
    return header, rows, lines


def _header(row: list[str], place: str) -> list[str]:
    keys = [cell.strip() for cell in row]
    while keys and not keys[-1]:
        keys.pop()
    keys[0] = keys[0].removeprefix("#").strip()
    if all(_NUMBER.fullmatch(key) for key in keys):
        raise BadInput(place, "the first row holds numbers, not names", "add a header row")
    if "" in keys or len(set(keys)) < len(keys):
        twice = next((key for key in keys if keys.count(key) > 1), "")
        why = f"two columns are named '{twice}'" if twice else "a column has no name"
        raise BadInput(place, why, "give each column a name of its own")
    return keys


def _column(cells: tuple[str, ...], key: str, lenient: bool, notes: list[str]) -> list[Any]:
    """The values of a column's cells."""
    stripped = [cell.strip() for cell in cells]
    filled = {cell for cell in stripped if cell}
    numbers = {cell for cell in filled if cell.lower() not in _NO_NUMBER | _NONFINITE}
    if numbers and all(map(_is_number, numbers)):
        if numbers == filled or lenient:
            _count_odd([cell.lower() for cell in stripped if cell in filled - numbers], key, notes)
            return [whole(cell) if cell in numbers else _odd(cell) for cell in stripped]
        odd = min(filled - numbers)
        remedy = "leaves it out" if odd.lower() in _NO_NUMBER else "reads it as a number"
        notes.append(f"column {key} is text, since it holds '{odd}' beside numbers; --lenient {remedy}")
    if filled and all(cell.lower() in _BOOLS for cell in filled):
        return [_BOOLS[cell.lower()] if cell else _EMPTY for cell in stripped]
    return [cell if cell.strip() else _EMPTY for cell in cells]


def _count_odd(cells: list[str], key: str, notes: list[str]) -> None:
    """Add notes on the cells of a column of numbers that are not JSON numbers."""
    for cell, count in Counter(cells).items():
        what = "read as a number" if cell in _NONFINITE else "left out"
        notes.append(f"column {key}: {cell} {what}: {count:,} times (--lenient)")


def _odd(cell: str) -> Any:
    """The value of a cell that is not a JSON number, in a column of numbers."""
    return float(cell) if cell.lower() in _NONFINITE else _EMPTY


def _is_number(cell: str) -> bool:
    if not _NUMBER.fullmatch(cell):
        return False
    try:
        whole(cell)
    except Suspect:
        return False
    return True
