"""A JSON Schema (drafts 4 to 2020-12) read into ours: records, lists, tuples, maps, unions, null,
ranges of integers, references within the file and to other files.

A keyword that only narrows values (`pattern`, `minLength`, `multipleOf`, `not` ...) does not change
a type and is left out. What messages say beyond the schema is in wirelab.schema.importers.usage.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

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
    String,
    Timestamp,
    Tuple,
)
from wirelab.schema.importers.book import EAGER, Book, own_name
from wirelab.schema.importers.hull import hull
from wirelab.schema.importers.json_schema_files import BadReference, Files, Sub
from wirelab.schema.importers.json_schema_shapes import (
    BadShape,
    Shape,
    both,
    conditions,
    kinds_of,
    pure,
    shapes_of,
    values_of,
)
from wirelab.schema.importers.usage import Usage, used
from wirelab.schema.names import singular
from wirelab.schema.paths import Every, Part
from wirelab.schema.unions import BadUnion

_LOW, _HIGH = -(2**63), 2**63 - 1
_CLOSED = "keys that the JSON Schema leaves open are fields where messages have them"
_ENDLESS = "a value that contains itself without an object between is any value"
_DEFINITIONS = (("$defs",), ("definitions",), ("components", "schemas"))


def read(whole: Any, path: Path, name: str = "", messages: Sequence[Any] = ()) -> Usage:
    """The schema of a parsed JSON Schema, with the messages in its types, and what to know of it.

    `name` picks one of its definitions. Raises BadInput for what schemas here cannot hold.
    """
    files = Files(whole, path)
    reader = _Reader(files, str(path))
    stem = path.name.partition(".")[0]
    root = reader.type(_picked(files, name, path), (), name or stem)
    reader.finish()
    return used(reader.book.schema(root), reader.free, messages, tuple(reader.notes))


def _picked(files: Files, name: str, path: Path) -> Sub:
    """The root of a schema, or one of its definitions. Raises BadInput."""
    whole = files.root.text
    known: dict[str, Any] = {}
    for steps in _DEFINITIONS:
        found = whole
        for step in steps:
            found = found.get(step) if isinstance(found, dict) else None
        known |= found if isinstance(found, dict) else {}
    if name and name not in known:
        raise BadInput(
            f"{path}:{name}", "there is no such definition", f"it has {', '.join(known) or 'none'}"
        )
    if name:
        return files.inside(files.root, known[name])._replace(name=name)
    if known and shapes_are_open(files.root):
        if len(known) == 1:
            return files.inside(files.root, *known.values())._replace(name=next(iter(known)))
        shown = ", ".join(list(known)[:20])
        raise BadInput(str(path), f"which definition is one message? ({shown})", f"name it: {path}:NAME")
    return files.root


def shapes_are_open(root: Sub) -> bool:
    """Whether a document has definitions alone."""
    words = {"type", "properties", "$ref", "allOf", "anyOf", "oneOf", "items", "enum", "const"}
    return isinstance(root.text, dict) and not words & root.text.keys()


class _Waiting(NamedTuple):
    """A record that is not read yet: its shape, the subschemas of its known and free keys."""

    name: str
    shape: Shape
    known: dict[str, list[Sub]]
    free: list[Sub]
    path: tuple[Part, ...]


class _Reader:
    def __init__(self, files: Files, source: str) -> None:
        self.files, self.book = files, Book(source)
        self.free: dict[str, AnyType] = {}
        self.known: dict[tuple[int, ...], AnyType] = {}
        """Types by the identity of their subschemas."""
        self.open: set[tuple[int, ...]] = set()
        """Those that are being read since the last object."""
        self.kept: dict[tuple[int, ...], str] = {}
        """Records by the identity of their subschemas."""
        self.waiting: deque[_Waiting] = deque()
        self.notes: dict[str, None] = {}

    def type(self, sub: Sub, path: tuple[Part, ...], wish: str) -> AnyType:
        """A subschema's type. `wish` names a record without title or reference."""
        return self.all_of([sub], path, wish)

    def all_of(self, subs: list[Sub], path: tuple[Part, ...], wish: str) -> AnyType:
        """The type of values that fit several subschemas."""
        self.book.enter(path)
        try:
            subs = [pure(self.files, sub) for sub in subs]
            key = tuple(id(sub.text) for sub in subs)
            if key in self.known:
                return self.known[key]
            if key in self.open:
                self.notes[_ENDLESS] = None
                return model.Any()
            self.open.add(key)
            shapes: list[Shape] = [()]
            for sub in subs:
                shapes = both(shapes, shapes_of(self.files, sub))
        except BadShape as error:
            raise self.book.refuse(path, str(error), "correct the schema") from None
        except BadReference as error:
            remedy = "correct it, or put its file next to the schema"
            raise self.book.refuse(path, str(error), remedy) from None
        kind = self.of_shapes(shapes, path, next((sub.name for sub in subs if sub.name), wish))
        if any(_object(sub.text).get(word) is True for sub in subs for word in ("nullable", "x-nullable")):
            kind = replace(kind, nullable=True)
        self.known[key] = kind
        self.open.discard(key)
        return kind

    def of_shapes(self, shapes: Iterable[Shape], path: tuple[Part, ...], wish: str) -> AnyType:
        """The hull of the types of several shapes; records with equal fields are one."""
        kinds: list[AnyType] = []
        has_null = False
        new = len(self.book.records)
        for shape in shapes:
            has_null = has_null or "null" in (kinds_of(shape) or ())
            kinds += self.kinds(shape, path, wish)
        if not kinds and not has_null:
            raise self.book.refuse(path, "no value fits all of it", "correct the schema")
        try:
            kind = hull(self.merged(kinds, new) or [String()])
            return replace(kind, nullable=kind.nullable or has_null)
        except BadUnion as error:
            raise self.book.refuse(path, str(error), "make them one type") from None

    def merged(self, kinds: list[AnyType], new: int) -> list[AnyType]:
        """Types of which records with the same keys and types are one, its fields optional where one's are."""
        records = self.book.records
        fresh = set(list(records)[new:])
        first: dict[Any, str] = {}
        found: list[AnyType] = []
        for kind in kinds:
            record = records.get(kind.name) if isinstance(kind, Ref) else None
            if record is None or not isinstance(kind, Ref):
                found.append(kind)
                continue
            keys = tuple((field.key, field.type) for field in record.fields)
            name = first.setdefault((keys, self.free.get(kind.name)), kind.name)
            optional = {
                field.key for one in (record, records[name]) for field in one.fields if field.optional
            }
            if name in fresh or name == kind.name:
                fields = (replace(field, optional=field.key in optional) for field in records[name].fields)
                records[name] = Record(name, tuple(fields))
                found.append(replace(kind, name=name))
            else:
                found.append(kind)
        return found

    def kinds(self, shape: Shape, path: tuple[Part, ...], wish: str) -> list[AnyType]:
        """The types of a shape, one for each JSON type but null that it takes."""
        names = kinds_of(shape)
        if names is None:
            return [model.Any()]
        found: list[AnyType] = []
        wish = next((sub.name for sub in reversed(shape) if sub.name), wish)
        if "object" in names:
            found.append(self.object(shape, path, wish))
        if "array" in names:
            found.append(self.array(shape, path, wish))
        if "number" in names:
            found.append(Float())
        elif "integer" in names:
            found.append(_integer(shape))
        if "string" in names:
            found.append(_string(shape))
        if "boolean" in names:
            found.append(Bool())
        return found

    def array(self, shape: Shape, path: tuple[Part, ...], wish: str) -> AnyType:
        """A list, or tuples where the types of its items go by position."""
        texts = [sub.text for sub in shape]
        first = next(
            (sub for sub in shape if isinstance(_prefix(sub.text), list) and _prefix(sub.text)), None
        )
        rest = [self.files.inside(sub, _rest(sub.text)) for sub in shape if _rest(sub.text) is not None]
        typed = [sub for sub in rest if sub.text is not False and sub.text is not True]
        if first is None:
            items = typed or [sub for sub in rest if sub.text is True] or [Sub(True, shape[0].start)]
            return List(items=self.all_of(items, (*path, Every.ITEM), singular(wish)))
        kinds = [
            self.type(self.files.inside(first, one), (*path, at), wish)
            for at, one in enumerate(_prefix(first.text))
        ]
        longest = min([len(kinds), *_bounds(texts, "maxItems")])
        if typed and longest < min([2**31, *_bounds(texts, "maxItems")]):
            kinds.append(self.all_of(typed, (*path, Every.ITEM), wish))
            return List(items=hull(kinds))
        shortest = max([0, *_bounds(texts, "minItems")]) or longest
        self.notes[
            "a list of prefixItems has all of them, and no more"
            if shortest == longest
            else "a list of prefixItems has no more than them"
        ] = None
        tuples = [
            Tuple(items=tuple(kinds[:size])) for size in range(min(shortest, longest), longest + 1) if size
        ]
        return hull(tuples) if tuples else List(items=hull(kinds))

    def object(self, shape: Shape, path: tuple[Part, ...], wish: str) -> AnyType:
        """A map where no key is known, else a record."""
        known, free, is_open = self.keys(shape), self.free_values(shape), _is_open(shape)
        if not known and (free or is_open):
            values = free or [Sub(True, shape[0].start)]
            return Map(values=self.either(values, (*path, Every.VALUE), singular(wish)))
        key = tuple(sorted(id(sub.text) for sub in shape if _is_typed(sub.text)))
        if key not in self.kept:
            title = next((sub.text["title"] for sub in shape if isinstance(sub.text.get("title"), str)), "")
            self.kept[key] = self.book.reserve(title or wish)
            waiting = _Waiting(self.kept[key], shape, known, free, path)
            if len(path) > EAGER:
                self.waiting.append(waiting)
            else:
                self.record(waiting)
        return Ref(name=self.kept[key])

    def finish(self) -> None:
        """Read the records that wait."""
        while self.waiting:
            self.record(self.waiting.popleft())

    def record(self, one: _Waiting) -> None:
        outside, self.open = self.open, set()
        needed = {key for sub in one.shape for key in _texts(sub.text.get("required"))}
        taken: set[str] = set()
        fields = []
        for key, subs in one.known.items():
            kind = self.all_of(subs, (*one.path, key), key)
            fields.append(Field(key, own_name(key, taken), kind, key not in needed))
        self.book.keep(one.name, fields, one.path)
        if one.free:
            self.free[one.name] = self.either(one.free, (*one.path, Every.VALUE), one.name)
        elif _is_open(one.shape):
            self.free[one.name] = model.Any()
            self.notes[_CLOSED] = None
        self.open = outside

    def either(self, subs: list[Sub], path: tuple[Part, ...], wish: str) -> AnyType:
        """The hull of several subschemas' types."""
        return hull(self.type(sub, path, wish) for sub in subs)

    def keys(self, shape: Shape) -> dict[str, list[Sub]]:
        """The subschemas of each known key. Keys that may not be there are left out.

        What holds for some values only adds keys that may be absent.
        """
        found: dict[str, list[Sub]] = {}
        for sub in shape:
            for key, one in _object(sub.text.get("properties")).items():
                found.setdefault(key, []).append(self.files.inside(sub, one))
        for sub in shape:
            for some in conditions(sub.text):
                for key, one in _object(_object(some).get("properties")).items():
                    if one is not True and key not in found:
                        found[key] = [self.files.inside(sub, one)]
        return {key: subs for key, subs in found.items() if all(sub.text is not False for sub in subs)}

    def free_values(self, shape: Shape) -> list[Sub]:
        """The subschemas of the values of keys that are not known."""
        found = []
        for sub in shape:
            patterns = _object(sub.text.get("patternProperties"))
            found += [self.files.inside(sub, one) for one in patterns.values() if one is not False]
            rest = sub.text.get("additionalProperties", sub.text.get("unevaluatedProperties"))
            if isinstance(rest, dict) and rest:
                found.append(self.files.inside(sub, rest))
        return found


def _integer(shape: Shape) -> Int | Decimal:
    """An integer of 64 bits, or a decimal where its range is wider."""
    low, high = _range(shape)
    fits = low >= _LOW and high < 2**64 and (low >= 0 or high <= _HIGH)
    return Int(low=low, high=max(low, high)) if fits else Decimal()


def _is_open(shape: Shape) -> bool:
    words = ("additionalProperties", "unevaluatedProperties")
    return all(sub.text.get(word) is not False for sub in shape for word in words)


def _is_typed(text: dict[str, Any]) -> bool:
    words = (
        "properties",
        "required",
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "title",
    )
    return any(word in text for word in (*words, "if", "dependentSchemas", "dependencies"))


def _string(shape: Shape) -> AnyType:
    for sub in shape:
        form = sub.text.get("format")
        if form == "date-time":
            return Timestamp()
        if form == "byte" or sub.text.get("contentEncoding") == "base64":
            return Base64()
    return String()


def _prefix(text: dict[str, Any]) -> Any:
    items = text.get("items")
    return items if isinstance(items, list) else text.get("prefixItems")


def _rest(text: dict[str, Any]) -> Any:
    """The subschema of the items that have no position of their own; None where it is not said."""
    items = text.get("items")
    return text.get("additionalItems") if isinstance(items, list) else items


def _bounds(texts: list[dict[str, Any]], word: str) -> list[int]:
    return [text[word] for text in texts if type(text.get(word)) is int and 0 <= text[word] <= 2**16]


def _range(shape: Shape) -> tuple[int, int]:
    """The range of the integers of a shape."""
    low, high = _LOW, _HIGH
    for sub in shape:
        least, most = _limit(sub.text, "minimum", math.ceil, 1), _limit(sub.text, "maximum", math.floor, -1)
        allowed = [int(one) for one in values_of(sub.text) or () if type(one) in (int, float)]
        low = max(low, min(allowed)) if allowed else low if least is None else max(low, least)
        if least is not None and least < _LOW:
            low = least
        if allowed or most is not None:
            own = max(allowed) if allowed else most or 0
            high = own if high == _HIGH else min(high, own)
    return low, high


def _limit(text: dict[str, Any], word: str, whole: Any, step: int) -> int | None:
    """A bound of an integer: `minimum` or `exclusiveMinimum` (a number, or in draft 4 a flag)."""
    own, strict = text.get(word), text.get(f"exclusive{word.capitalize()}")
    if isinstance(strict, int | float) and not isinstance(strict, bool):
        edge = whole(strict)
        return int(edge + step if edge == strict else edge)
    if not isinstance(own, int | float) or isinstance(own, bool):
        return None
    return int(whole(own) + (step if strict is True and whole(own) == own else 0))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
