"""The check of a corpus against a schema, and its messages in exactly the schema's types."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wirelab.model import schema as model
from wirelab.model.errors import BadInput
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Decimal,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
    Timestamp,
    Tuple,
    Union,
)
from wirelab.schema.corpus import Corpus
from wirelab.schema.paths import Part, excerpt, kind_of, show
from wirelab.schema.types import show_type
from wirelab.schema.values import NONFINITE, is_base64, is_map_key, is_timestamp, nonfinite_text

Convert = Callable[[Any], Any]
FLOAT32_MAX = 3.4028235677973366e38
"""Below this, a number rounds to a finite 32-bit float."""


def check(corpus: Corpus, schema: Schema) -> None:
    """Raises BadInput at the first message that contradicts the schema.

    The error has the message, the path, the expected type and the value.
    """
    for _ in typed_messages(corpus, schema):
        pass


def typed_messages(corpus: Corpus, schema: Schema) -> Iterator[Any]:
    """The messages with keys in the schema's order and numbers in its types.

    Raises BadInput as `check` does.
    """
    convert = _Compiler(schema).any(schema.root)
    for index, message in enumerate(corpus.messages):
        try:
            yield convert(message)
        except _Mismatch as error:
            place = f"{corpus.where(index)}, at {show(reversed(error.path))}"
            why = f"the schema expects {error.expected}, found {error.found}"
            raise BadInput(place, why, "correct the schema, or leave the message out") from None


def fits(schema: Schema, messages: Iterable[Any]) -> bool:
    """Whether every message fits the schema."""
    convert = _Compiler(schema).any(schema.root)
    try:
        for message in messages:
            convert(message)
    except _Mismatch:
        return False
    return True


def fitted(messages: Iterable[Any], schema: Schema) -> Iterator[Any]:
    """Those of the messages that fit the schema, in its types."""
    convert = _Compiler(schema).any(schema.root)
    for message in messages:
        try:
            yield convert(message)
        except _Mismatch:
            continue


class _Mismatch(Exception):
    """A value that contradicts its type. The path is built from the inside while it is raised."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(expected)
        self.expected, self.found = expected, found
        self.path: list[Part] = []


class _Compiler:
    """A function per type from a JSON value to the typed one."""

    def __init__(self, schema: Schema) -> None:
        self.records: dict[str, Convert] = {}
        for record in schema.records:
            self.records[record.name] = self.record(record)

    def any(self, kind: AnyType) -> Convert:
        convert = self.plain(kind)
        if not kind.nullable:
            return convert
        return lambda value: None if value is None else convert(value)

    def plain(self, kind: AnyType) -> Convert:
        if isinstance(kind, List):
            return _list(self.any(kind.items))
        if isinstance(kind, Map):
            return _map(self.any(kind.values), kind)
        if isinstance(kind, Tuple):
            return _tuple([self.any(item) for item in kind.items], kind)
        if isinstance(kind, Union):
            return _union([self.plain(one) for one in kind.alternatives], kind)
        if isinstance(kind, Ref):
            return self.of_record(kind.name)
        return _any(kind) if isinstance(kind, model.Any) else _scalar(kind)

    def of_record(self, name: str) -> Convert:
        """The function of a record, which a recursive one gets only when it is called."""
        records = self.records
        return records.get(name) or (lambda value: records[name](value))  # noqa: PLW0108  (read late)

    def record(self, record: Record) -> Convert:
        fields = [(field.key, self.any(field.type), field) for field in record.fields]
        known = {field.key for field in record.fields}

        def convert(value: Any) -> Any:
            if type(value) is not dict:
                raise _Mismatch(f"an object ({record.name})", _found(value))
            typed = {}
            for key, convert_field, field in fields:
                if key in value:
                    typed[key] = _inside(key, convert_field, value[key])
                elif not field.optional:
                    raise _missing(field)
            if len(typed) != len(value):
                raise _unknown(record.name, next(key for key in value if key not in known))
            return typed

        return convert


def _any(kind: model.Any) -> Convert:
    """Any value, or any object or list."""
    wanted = {"struct": dict, "list": list}.get(kind.coding)
    if wanted is None:
        return _json

    def convert(value: Any) -> Any:
        if type(value) is not wanted:
            raise _Mismatch(show_type(kind), _found(value))
        return _json(value)

    return convert


def _json(value: Any) -> Any:
    """Any value, with null for NaN and infinities."""
    if type(value) is dict:
        return {key: _json(item) for key, item in value.items()}
    if type(value) is list:
        return list(map(_json, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _missing(field: Field) -> _Mismatch:
    error = _Mismatch(show_type(field.type), "no such key")
    error.path.append(field.key)
    return error


def _unknown(record: str, key: str) -> _Mismatch:
    error = _Mismatch(f"no such key in {record}", "one")
    error.path.append(key)
    return error


def _inside(part: Part, convert: Convert, value: Any) -> Any:
    try:
        return convert(value)
    except _Mismatch as error:
        error.path.append(part)
        raise


def _list(convert: Convert) -> Convert:
    def whole(value: Any) -> Any:
        if type(value) is not list:
            raise _Mismatch("a list", _found(value))
        return [_inside(index, convert, item) for index, item in enumerate(value)]

    return whole


def _tuple(items: list[Convert], kind: Tuple) -> Convert:
    def whole(value: Any) -> Any:
        if type(value) is not list or len(value) != len(items):
            found = f"a list of {len(value)}" if type(value) is list else _found(value)
            raise _Mismatch(show_type(kind), found)
        return [_inside(index, items[index], item) for index, item in enumerate(value)]

    return whole


def _union(alternatives: list[Convert], kind: Union) -> Convert:
    """The first alternative that fits the value. If none does, the deepest mismatch is raised."""

    def first(value: Any) -> Any:
        deepest: _Mismatch | None = None
        for convert in alternatives:
            try:
                return convert(value)
            except _Mismatch as error:
                if deepest is None or len(error.path) > len(deepest.path):
                    deepest = error
        if deepest is None or not deepest.path:
            raise _Mismatch(show_type(kind), _found(value))
        raise deepest

    return first


def _map(convert: Convert, kind: Map) -> Convert:
    def whole(value: Any) -> Any:
        if type(value) is not dict:
            raise _Mismatch("an object (map)", _found(value))
        for key in value if kind.keys else ():
            if not is_map_key(key, kind.keys):
                raise _Mismatch(f"keys of {kind.keys}", json.dumps(key))
        return {key: _inside(key, convert, item) for key, item in value.items()}

    return whole


def _scalar(kind: AnyType) -> Convert:
    if isinstance(kind, Int):
        return _int(kind)
    if isinstance(kind, Float):
        return _float(kind)
    tests: dict[type, Callable[[Any], bool]] = {
        Bool: lambda value: type(value) is bool,
        Decimal: lambda value: isinstance(value, int | float) and type(value) is not bool,
        String: lambda value: isinstance(value, str),
        Timestamp: lambda value: isinstance(value, str) and is_timestamp(value),
        Base64: lambda value: isinstance(value, str) and is_base64(value),
    }
    test, expected = tests[type(kind)], show_type(kind)

    def convert(value: Any) -> Any:
        if not test(value):
            raise _Mismatch(expected, _found(value))
        return value

    return convert


def _int(kind: Int) -> Convert:
    low, high, expected = kind.low, kind.high, show_type(kind)

    def convert(value: Any) -> Any:
        if type(value) is not int or not low <= value <= high:
            raise _Mismatch(expected, _found(value))
        return value

    return convert


def _float(kind: Float) -> Convert:
    short = _as_float32 if kind.bits == 32 else float

    def convert(value: Any) -> Any:
        if kind.nonfinite and isinstance(value, str) and value in NONFINITE:
            return value
        if not isinstance(value, float) and type(value) is not int:
            raise _Mismatch(show_type(kind), _found(value))
        if not math.isfinite(value):
            if not kind.nonfinite:
                raise _Mismatch(show_type(kind), nonfinite_text(value))
            return nonfinite_text(value)
        try:
            return short(value)
        except OverflowError:
            raise _Mismatch(show_type(kind), f"{_found(value)}, which is too large for it") from None

    return convert


def _as_float32(value: float) -> float:
    """The shortest decimal of the nearest 32-bit float."""
    packed = struct.pack("<f", float(value))
    nearest: float = struct.unpack("<f", packed)[0]
    for digits in range(6, 9):
        short = float(f"{nearest:.{digits}g}")
        if abs(short) <= FLOAT32_MAX and struct.pack("<f", short) == packed:
            return short
    return float(f"{nearest:.9g}")  # 9 digits always identify a 32-bit float


def _found(value: Any) -> str:
    return "null" if value is None else f"{kind_of(value)} {excerpt(value)}"
