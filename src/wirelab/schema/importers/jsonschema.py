"""A JSON Schema (drafts 4 to 2020-12) read into ours: records, lists, tuples, maps, unions, null,
ranges of integers, references within the file and to other files.

A keyword that only narrows values (`pattern`, `minLength`, `multipleOf`, `not` ...) does not change
a type and is left out. What messages say beyond the schema is in wirelab.schema.importers.usage.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from wirelab.model import schema as model
from wirelab.model.errors import BadInput
from wirelab.model.schema import (
    AnyType,
    Bool,
    Field,
    Float,
    List,
    Map,
    Record,
    Ref,
    String,
    Tuple,
)
from wirelab.schema.importers.book import EAGER, Book, own_name
from wirelab.schema.importers.hull import hull
from wirelab.schema.importers.json_schema_files import BadReference, Files, Sub
from wirelab.schema.importers.json_schema_keywords import (
    as_object,
    bounds_of,
    integer_type,
    is_open,
    prefix_of,
    rest_of,
    says_fields,
    string_type,
    texts_of,
)
from wirelab.schema.importers.json_schema_shapes import (
    BadShape,
    Shape,
    both,
    conditions,
    kinds_of,
    pure,
    shapes_of,
)
from wirelab.schema.importers.usage import Usage, used
from wirelab.schema.names import singular
from wirelab.schema.paths import Every, Part
from wirelab.schema.unions import BadUnion

_CLOSED = "keys that the JSON Schema leaves open are fields where messages have them"
_ENDLESS = "a value that contains itself without an object between is any value"
_IMPOSSIBLE = "what no value fits is any value"
_DEFINITIONS = (("$defs",), ("definitions",), ("components", "schemas"))


def read(
    whole: Any, path: Path, name: str = "", messages: Sequence[Any] = (), literal: bool = False
) -> Usage:
    """The schema of a parsed JSON Schema, with the messages in its types, and what to know of it.

    `name` picks one of its definitions. Most schemas mean more than they say: `properties` without
    `type` mean an object, `prefixItems` the whole list. With `literal` they mean what they say: an
    object or any other value, and a list of any length. Raises BadInput for what schemas here
    cannot hold.
    """
    files = Files(whole, path)
    reader = _Reader(files, str(path), literal)
    stem = path.name.partition(".")[0]
    root = reader.type(_picked(files, name, path), (), name or stem)
    reader.finish()
    unread = (
        f"{one} is not downloaded: what it says is any value; put its file next to the schema"
        for one in files.unread
    )
    return used(reader.book.schema(root), reader.free, messages, (*reader.notes, *unread))


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
    some: dict[str, list[Sub]]
    """The keys that conditions add, with a subschema for each condition."""
    free: list[Sub]
    path: tuple[Part, ...]


class _Reader:
    def __init__(self, files: Files, source: str, literal: bool) -> None:
        self.files, self.book, self.literal = files, Book(source), literal
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
        if any(as_object(sub.text).get(word) is True for sub in subs for word in ("nullable", "x-nullable")):
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
            has_null = has_null or "null" in (kinds_of(shape, implied=not self.literal) or ())
            kinds += self.kinds(shape, path, wish)
        if not kinds and not has_null:
            if not path:
                raise self.book.refuse(path, "no value fits all of it", "correct the schema")
            self.notes[_IMPOSSIBLE] = None
            return model.Any()
        try:
            kind = hull(self.merged(kinds, new) or [String()])
            return replace(kind, nullable=kind.nullable or has_null)
        except BadUnion as error:
            raise self.book.refuse(path, str(error), "make them one type") from None

    def merged(self, kinds: list[AnyType], new: int) -> list[AnyType]:
        """Types of which records with the same keys and types are one, its fields optional where
        one's are.
        """
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
        names = kinds_of(shape, implied=not self.literal)
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
            found.append(integer_type(shape))
        if "string" in names:
            found.append(string_type(shape))
        if "boolean" in names:
            found.append(Bool())
        return found

    def array(self, shape: Shape, path: tuple[Part, ...], wish: str) -> AnyType:
        """A list, or tuples where the types of its items go by position."""
        texts = [sub.text for sub in shape]
        first = next(
            (sub for sub in shape if isinstance(prefix_of(sub.text), list) and prefix_of(sub.text)), None
        )
        rest = [self.files.inside(sub, rest_of(sub.text)) for sub in shape if rest_of(sub.text) is not None]
        typed = [sub for sub in rest if sub.text is not False and sub.text is not True]
        if first is None:
            items = typed or [sub for sub in rest if sub.text is True] or [Sub(True, shape[0].start)]
            return List(items=self.all_of(items, (*path, Every.ITEM), singular(wish)))
        kinds = [
            self.type(self.files.inside(first, one), (*path, at), wish)
            for at, one in enumerate(prefix_of(first.text))
        ]
        longest = min([len(kinds), *bounds_of(texts, "maxItems")])
        if typed and longest < min([2**31, *bounds_of(texts, "maxItems")]):
            kinds.append(self.all_of(typed, (*path, Every.ITEM), wish))
            return List(items=hull(kinds))
        if self.literal and not bounds_of(texts, "maxItems") and all(sub.text is not False for sub in rest):
            return List(items=model.Any())
        shortest = max([0, *bounds_of(texts, "minItems")]) or longest
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
        known, free = self.keys(shape), self.free_values(shape)
        some = self.conditional_keys(shape, known)
        if not known and not some and (free or is_open(shape)):
            values = free or [Sub(True, shape[0].start)]
            return Map(values=self.either(values, (*path, Every.VALUE), singular(wish)))
        key = tuple(sorted(id(sub.text) for sub in shape if says_fields(sub.text)))
        if key not in self.kept:
            title = next((sub.text["title"] for sub in shape if isinstance(sub.text.get("title"), str)), "")
            self.kept[key] = self.book.reserve(title or wish)
            waiting = _Waiting(self.kept[key], shape, known, some, free, path)
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
        needed = {key for sub in one.shape for key in texts_of(sub.text.get("required"))}
        taken: set[str] = set()
        fields = []
        for key, subs in one.known.items():
            kind = self.all_of(subs, (*one.path, key), key)
            fields.append(Field(key, own_name(key, taken), kind, key not in needed))
        for key, subs in one.some.items():
            kind = model.Any() if self.literal else self.either(subs, (*one.path, key), key)
            fields.append(Field(key, own_name(key, taken), kind, key not in needed))
        self.book.keep(one.name, fields, one.path)
        if one.free:
            self.free[one.name] = self.either(one.free, (*one.path, Every.VALUE), one.name)
        elif is_open(one.shape):
            self.free[one.name] = model.Any()
            self.notes[_CLOSED] = None
        self.open = outside

    def either(self, subs: list[Sub], path: tuple[Part, ...], wish: str) -> AnyType:
        """The hull of several subschemas' types."""
        try:
            return hull(self.type(sub, path, wish) for sub in subs)
        except BadUnion as error:
            raise self.book.refuse(path, str(error), "make them one type") from None

    def keys(self, shape: Shape) -> dict[str, list[Sub]]:
        """The subschemas of each known key. Keys that may not be there are left out."""
        found: dict[str, list[Sub]] = {}
        for sub in shape:
            for key, one in as_object(sub.text.get("properties")).items():
                found.setdefault(key, []).append(self.files.inside(sub, one))
        return {key: subs for key, subs in found.items() if all(sub.text is not False for sub in subs)}

    def conditional_keys(self, shape: Shape, known: dict[str, list[Sub]]) -> dict[str, list[Sub]]:
        """The keys that hold for some values only, with the subschema of each condition."""
        found: dict[str, list[Sub]] = {}
        stated = {key for sub in shape for key in as_object(sub.text.get("properties"))} | known.keys()
        for sub in shape:
            for some in conditions(sub.text):
                for key, one in as_object(as_object(some).get("properties")).items():
                    if one is not True and one is not False and key not in stated:
                        found.setdefault(key, []).append(self.files.inside(sub, one))
        return found

    def free_values(self, shape: Shape) -> list[Sub]:
        """The subschemas of the values of keys that are not known."""
        found = []
        for sub in shape:
            patterns = as_object(sub.text.get("patternProperties"))
            found += [self.files.inside(sub, one) for one in patterns.values() if one is not False]
            rest = sub.text.get("additionalProperties", sub.text.get("unevaluatedProperties"))
            if isinstance(rest, dict) and rest:
                found.append(self.files.inside(sub, rest))
        return found
