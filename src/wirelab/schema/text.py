"""Schemas as editable text: TOML, one table per record, one line per field.

    root = "VehicleStatus"
    [record.VehicleStatus]
    vin = "string"
    position = "Position?"          # may be absent
    note = "string|null"
    "first-name" = "string as given_name"
    speed = "float = 7"             # Protobuf's field number: of each field of a record, or of none

The key is the JSON key. Field names are derived from it; `as NAME` sets another one.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.model.schema import (
    AnyType,
    Bool,
    Field,
    FieldCoding,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    Tuple,
    Union,
)
from wirelab.schema import recursion
from wirelab.schema.json_reader import MAX_DEPTH
from wirelab.schema.names import MAX_NAMES, field_name, folded, is_field, is_record
from wirelab.schema.types import BadType, read_type, show_type

__all__ = ["dump", "load", "read", "show_type"]

MAX_BYTES = 4 * 2**20
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_AS = re.compile(r"(.*)\sas\s+(\S+)\s*", re.DOTALL)
_CODED = re.compile(r"(.*)\s(required|expanded|group|wrapped)\s*", re.DOTALL)
_NUMBER = re.compile(r"(.*?)\s*=\s*([0-9]{1,9})\s*", re.DOTALL)
MAX_NUMBER = 2**29 - 1
_HEADER = """\
# wirelab schema: edit the types and pass it with --schema.
# bool, int LOW..HIGH, float, float32, decimal, string, timestamp, base64, any, list<T>, map<T>, tuple<T, U>, or a record's name;
# T|U is one of them, T|null may be null, T? may be absent, `T as NAME` sets the name used where the key is not legal, `T = 7` Protobuf's number.
"""


def dump(schema: Schema, notes: Mapping[tuple[str, str], str] | None = None) -> str:
    """The schema as text, with notes (by record name and JSON key; "" and "" for the root) as
    comments.
    """
    notes = notes or {}
    root = f"root = {quoted(show_type(schema.root))}"
    parts = [_HEADER, _with_note(root, notes.get(("", ""))) + "\n"]
    for record in reversed(schema.records):
        parts.append(f"\n[record.{record.name}]\n")
        taken: set[str] = set()
        for field in record.fields:
            line = f"{_key(field.key)} = {quoted(_field(field, taken))}"
            parts.append(_with_note(line, notes.get((record.name, field.key))) + "\n")
            taken.add(folded(field.name))
    return "".join(parts)


def read(path: str | Path) -> Schema:
    """The schema in a file. Raises BadInput."""
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(
            str(path), f"cannot be read: {error.strerror}", "give a readable schema file"
        ) from None
    if len(data) > MAX_BYTES:
        raise BadInput(str(path), f"larger than {MAX_BYTES // 2**20} MiB", "is this a payload?")
    try:
        return load(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise BadInput(str(path), f"byte {error.start} is not UTF-8", "convert the file to UTF-8") from None


def load(text: str, name: str = "schema") -> Schema:
    """The schema in a text; `name` is the file's in errors. Raises BadInput."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadInput(name, f"not TOML: {why}", "see `wirelab schema infer FILE` for the form") from None
    return _Loader(text, name).schema(data)


class _Loader:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def schema(self, data: dict[str, Any]) -> Schema:
        for key in data:
            if key not in ("root", "record"):
                near = difflib.get_close_matches(key, ["root", "record"], 1)
                raise self.bad("", key, "unknown key", f"did you mean '{near[0]}'?" if near else "remove it")
        tables = data.get("record", {})
        if not isinstance(tables, dict):
            raise self.bad("", "record", "must be tables", "write [record.NAME]")
        if max(map(len, (tables, *filter(_is_table, tables.values())))) > MAX_NAMES:
            raise BadInput(self.name, f"more than {MAX_NAMES:,} records, or fields in one", "use a map")
        for name in tables:
            if not is_record(name):
                raise self.bad(name, "", "not a name every format takes", "write it like VehicleStatus")
        records = [self.record(name, table, tables) for name, table in tables.items()]
        names = {folded(record.name): record.name for record in records}
        if len(names) < len(records):
            raise BadInput(self.name, "two records differ only in case", "rename one of them")
        if "root" not in data:
            raise BadInput(self.name, "it has no root", 'write root = "TYPE" at the top')
        root, optional = self.type("", "root", data["root"], tables)
        if optional:
            raise self.bad("", "root", "a whole message cannot be absent", "write |null instead of ?")
        return Schema(root, self.ordered(records))

    def record(self, name: str, table: object, tables: dict[str, Any]) -> Record:
        if not isinstance(table, dict):
            raise self.bad(name, "", "must be a table of fields", f"write [record.{name}]")
        taken: set[str] = set()
        fields = []
        for key, value in table.items():
            field = self.field(name, key, value, tables, taken)
            taken.add(folded(field.name))
            fields.append(field)
        self.check_numbers(name, fields)
        return Record(name, tuple(fields))

    def check_numbers(self, record: str, fields: list[Field]) -> None:
        seen: set[int] = set()
        for field in fields:
            if bool(field.number) != bool(fields[0].number):
                raise self.bad(
                    record, field.key, "some fields have a number and some have none", "number all or none"
                )
            if field.number in seen:
                raise self.bad(record, field.key, f"the number {field.number} is taken", "choose another")
            seen |= {field.number} - {0}

    def field(self, record: str, key: str, value: object, tables: dict[str, Any], taken: set[str]) -> Field:
        if isinstance(value, dict):
            raise self.bad(record, key, "must be a type in quotes", "write keys that hold dots in quotes")
        numbered = _NUMBER.fullmatch(value) if isinstance(value, str) else None
        if numbered is not None:
            value = numbered[1]
        number = int(numbered[2]) if numbered else 0
        if numbered and (not 1 <= number <= MAX_NUMBER or 19000 <= number <= 19999):
            raise self.bad(
                record, key, f"{number} is not a field number of Protobuf", "see its language guide"
            )
        renamed = _AS.fullmatch(value) if isinstance(value, str) else None
        value = renamed[1] if renamed else value
        coded = _CODED.fullmatch(value) if isinstance(value, str) else None
        kind, optional = self.type(record, key, coded[1] if coded else value, tables)
        coding = self.coding(record, key, coded[2], kind, optional) if coded else ""
        name = renamed[2] if renamed else field_name(key, taken)
        if not is_field(name):
            raise self.bad(
                record, key, f"'{name}' is not a name every format takes", "write it like given_name"
            )
        if folded(name) in taken:
            raise self.bad(
                record, key, f"the name '{name}' is taken in this record", "choose another after `as`"
            )
        return Field(key, name, kind, optional, number, coding)

    def coding(self, record: str, key: str, word: str, kind: AnyType, optional: bool) -> FieldCoding:
        """Protobuf's coding of a field."""
        scalar = not kind.nullable and not isinstance(kind, List | Map | Ref | Tuple | Union)
        inner = kind.items if isinstance(kind, List) else kind
        fits: dict[FieldCoding, bool] = {
            "required": scalar and not optional,
            "expanded": isinstance(kind, List) and isinstance(inner, Bool | Int | Float),
            "group": isinstance(inner, Ref) and not inner.nullable,
            "wrapped": scalar and optional,
        }
        found = next(name for name in fits if name == word)
        if not fits[found]:
            step = "see docs/reference/payloads.md#the-schema-file"
            raise self.bad(record, key, f"'{word}' does not fit this type", step)
        return found

    def type(self, record: str, key: str, value: object, tables: dict[str, Any]) -> tuple[Any, bool]:
        if not isinstance(value, str):
            raise self.bad(record, key, "must be a type in quotes", 'write it like "string"')
        try:
            return read_type(value, tables)
        except BadType as error:
            near = f"did you mean '{error.nearest}'?" if error.nearest else 'write it like "list<int 0..99>?"'
            raise self.bad(record, key, str(error), near) from None

    def ordered(self, records: list[Record]) -> tuple[Record, ...]:
        """Records before their users. If there is a choice, the reverse order of the file."""
        records.reverse()
        levels, outermost = recursion.deepest(records)
        if levels > MAX_DEPTH:
            raise self.bad(outermost, "", f"nested deeper than {MAX_DEPTH} levels", "flatten the records")
        try:
            recursion.check(records)
        except recursion.Endless as error:
            raise self.bad(error.record, error.key, str(error), recursion.REMEDY) from None
        return recursion.ordered(records)

    def bad(self, record: str, key: str, why: str, next_step: str) -> BadInput:
        line = _line_of(self.text, record, key)
        parts = [self.name, f"line {line}" if line else "", f"record {record}" if record else ""]
        what = ", ".join(part for part in (*parts, f"'{key}'" if key else "") if part)
        return BadInput(what, why, next_step)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _line_of(text: str, record: str, key: str) -> int | None:
    """The line of a field, or of a record's header if `key` is empty."""
    current = ""
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            parsed = tomllib.loads(line)
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        if line.lstrip().startswith("["):
            names = parsed.get("record")
            current = next(iter(names)) if isinstance(names, dict) and names else ""
            if current == record and not key:
                return number
        elif current == record and key in parsed:
            return number
    return None


def _field(field: Field, taken: set[str]) -> str:
    text = show_type(field.type) + ("?" if field.optional else "")
    text = f"{text} {field.coding}".rstrip()
    text = text if field.name == field_name(field.key, taken) else f"{text} as {field.name}"
    return f"{text} = {field.number}" if field.number else text


def _with_note(line: str, note: str | None) -> str:
    return f"{line:<40} # {note}" if note else line


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else quoted(key)


def quoted(text: str) -> str:
    """A text as a basic string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
