"""The importer of Avro schemas (.avsc) and their JSON messages.

A union with null may be null, or absent where messages leave the field out. An enum is its index,
as in the bytes. Messages may be plain JSON or Avro's JSON encoding, which names the branch of a
union (`{"string": "x"}`) and writes bytes as characters up to U+00FF.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
    walk,
)
from wirelab.model.suggestions import nearest
from wirelab.schema.importers.avro_files import Neighbours, named
from wirelab.schema.importers.avro_logical import NOTE, logical_value
from wirelab.schema.importers.avro_unions import Branch, several
from wirelab.schema.importers.book import EAGER, Book, own_name
from wirelab.schema.paths import Every, Part, show
from wirelab.schema.unions import BadUnion

Take = Callable[[Any, tuple[Part, ...]], Any]
"""The conversion of a JSON value at a path to our types. Values that fit no type are kept."""

_PRIMITIVES: dict[str, AnyType] = {
    "boolean": Bool(),
    "int": Int(low=-(2**31), high=2**31 - 1),
    "long": Int(low=-(2**63), high=2**63 - 1),
    "float": Float(bits=32),
    "double": Float(),
    "string": String(),
    "bytes": Base64(),
}


class _Named(Struct, frozen=True):
    """A type with its full name."""

    kind: AnyType
    take: Take


class _Listed(Struct, frozen=True):
    """A record as its definition says it: full name, own name, fields, and the namespace inside."""

    full: str
    name: str
    fields: list[dict[str, Any]]
    space: str


_Taken = tuple[str, Take, bool]
"""The key of a field, the conversion of its value, and whether that may be null."""


def read(text: Any, path: Path, name: str = "") -> AvroReader:
    """The reader of parsed Avro JSON: its schema, and `messages` in its types.

    Of a list of types, `name` picks one; the only record that no other uses needs no name. Raises
    BadInput for unsupported parts.
    """
    reader = AvroReader(path)
    if isinstance(text, dict) and "main" in text and not name:
        reader.waiting = dict(named(text["types"], ""))
        reader.root, reader.take = reader.type(text["main"], (), str(text.get("namespace", "")))
        reader.finish()
        return reader
    several_types = isinstance(text, list)
    reader.root, reader.take = (
        reader.picked(text, name) if name or several_types else reader.type(text, (), "")
    )
    reader.finish()
    return reader


class AvroReader:
    """The types read so far, each with its conversion from JSON."""

    def __init__(self, path: Path) -> None:
        self.source = source = str(path)
        self.book, self.neighbours = Book(source), Neighbours(path)
        self.waiting: dict[str, dict[str, Any]] = {}
        """Named types of the file that are not read yet."""
        self.named: dict[str, _Named] = {}
        self.notes: dict[str, None] = {}
        self.ahead = 0
        """Types that are read because one before them names them."""
        self.later: deque[Callable[[], None]] = deque()
        """The fields of records deeper than EAGER such types, which wait."""
        self.left_out: set[tuple[str, int]] = set()
        self.null: set[tuple[str, int]] = set()
        self.root: AnyType = String()
        self.take: Take = _same
        self.where = source

    def picked(self, text: Any, name: str) -> tuple[AnyType, Take]:
        """The type of that name in a file; without a name the only record that no other uses."""
        texts = text if isinstance(text, list) else text["types"] if "main" in text else [text]
        if not texts:
            raise BadInput(self.source, "it has no types", "give a schema with a record")
        self.waiting = dict(named(texts, ""))
        for full in [full for full, _ in named(texts, "")]:
            if full not in self.named:
                self.type(self.waiting[full], (), "")
                self.finish()
        if not name:
            return self.unused()
        found = [full for full in self.named if name in (full, full.rpartition(".")[2])]
        if not found:
            raise BadInput(f"{self.source}:{name}", "there is no such type", nearest(name, self.named))
        return self.named[found[0]].kind, self.named[found[0]].take

    def finish(self) -> None:
        """Read the fields that wait."""
        while self.later:
            self.later.popleft()()

    def unused(self) -> tuple[AnyType, Take]:
        """The only record of the file that no other record uses. Raises BadInput."""
        used = {
            kind.name
            for record in self.book.records.values()
            for field in record.fields
            for kind in walk(field.type)
            if isinstance(kind, Ref) and kind.name != record.name
        }
        free = [
            full
            for full, text in self.waiting.items()
            if text["type"] == "record" and getattr(self.named[full].kind, "name", "") not in used
        ]
        free = list(self.waiting) if len(self.waiting) == 1 else free
        if len(free) != 1:
            shown = ", ".join(free or self.waiting)
            raise BadInput(
                self.source, f"which type is one message? ({shown[:400]})", f"name it: {self.source}:NAME"
            )
        return self.named[free[0]].kind, self.named[free[0]].take

    def messages(self, values: Sequence[Any], where: Callable[[int], str]) -> tuple[Any, ...]:
        """The messages in our types. They decide which fields may be absent and which null."""
        made = []
        for index, value in enumerate(values):
            self.where = where(index)
            made.append(self.take(value, ()))
        return tuple(made)

    def schema(self) -> Schema:
        """The schema. A nullable field that messages only leave out becomes optional."""
        schema = self.book.schema(self.root)
        return replace(schema, records=tuple(map(self._settled, schema.records)))

    def _settled(self, record: Record) -> Record:
        fields = []
        for index, field in enumerate(record.fields):
            place = (record.name, index)
            if field.type.nullable and place in self.left_out:
                kind = replace(field.type, nullable=place in self.null)
                field = replace(field, type=kind, optional=True)  # noqa: PLW2901
            fields.append(field)
        return Record(record.name, tuple(fields))

    def type(self, text: Any, path: tuple[Part, ...], space: str) -> tuple[AnyType, Take]:
        """A type and its conversion. `space` is the current namespace."""
        if isinstance(text, list):
            return self.union(text, path, space)
        if isinstance(text, str):
            return self.by_name(text, path, space)
        if not isinstance(text, dict) or "type" not in text:
            raise self.book.refuse(path, "not an Avro type", "write a name, a union or an object with a type")
        if "logicalType" in text:
            self.notes[NOTE] = None
            convert = logical_value(text)
            if convert is not None:
                plain = {key: one for key, one in text.items() if key != "logicalType"}
                kind, take = self.type(plain, path, space)
                full = self.full_name(text, path, space)[0] if text["type"] == "fixed" else ""
                if full:
                    self.named[full] = _Named(kind, _after(convert, take))
                return kind, _after(convert, take)
        nested = {"array": self.array, "map": self.map, "record": self.record, "error": self.record}
        if text["type"] in ("enum", "fixed"):
            return self.leaf(text, path, space)
        if isinstance(text["type"], str) and text["type"] in nested:
            return nested[text["type"]](text, path, space)
        return self.type(text["type"], path, space)

    def by_name(self, name: str, path: tuple[Part, ...], space: str) -> tuple[AnyType, Take]:
        if name in _PRIMITIVES:
            return _PRIMITIVES[name], self.octets if name == "bytes" else _same
        full = name if "." in name or not space else f"{space}.{name}"
        if name == "null":
            return String(nullable=True), _same
        found = self.named.get(full) or self.named.get(name)
        if found is not None:
            return found.kind, found.take
        for one in (full, name):
            text = self.waiting.get(one) or self.neighbours.find(one)
            if text is not None:
                self.ahead += 1
                made = self.type(text, (), "")
                self.ahead -= 1
                return made
        raise self.book.refuse(
            path, f"no type '{name}' is defined here or in a file next to it", "define it or give its file"
        )

    def union(self, branches: list[Any], path: tuple[Part, ...], space: str) -> tuple[AnyType, Take]:
        kinds = [one for one in branches if one not in ("null", {"type": "null"})]
        if not kinds:
            return String(nullable=True), _same
        if len(kinds) > 1:
            try:
                kind, take = several(
                    [Branch(_tag(one, space), *self.type(one, path, space)) for one in kinds],
                    self.notes,
                )
            except BadUnion as error:
                shown = ", ".join(_shown(one) for one in branches)
                raise self.book.refuse(path, f"a union of {shown}: {error}", "make them one type") from None
            return replace(kind, nullable=len(kinds) < len(branches)), take
        kind, take = self.type(kinds[0], path, space)
        if len(kinds) == len(branches):
            return kind, take
        tag = _tag(kinds[0], space)

        def unwrapped(value: Any, at: tuple[Part, ...]) -> Any:
            if value is None:
                return None
            tagged = isinstance(value, dict) and list(value) in ([tag], [tag.rpartition(".")[2]])
            return take(next(iter(value.values())) if tagged else value, at)

        return replace(kind, nullable=True), unwrapped

    def array(self, text: dict[str, Any], path: tuple[Part, ...], space: str) -> tuple[AnyType, Take]:
        kind, take = self.type(text.get("items"), (*path, Every.ITEM), space)

        def items(value: Any, at: tuple[Part, ...]) -> Any:
            return (
                [take(one, (*at, index)) for index, one in enumerate(value)]
                if isinstance(value, list)
                else value
            )

        return List(items=kind), items

    def map(self, text: dict[str, Any], path: tuple[Part, ...], space: str) -> tuple[AnyType, Take]:
        kind, take = self.type(text.get("values"), (*path, Every.VALUE), space)

        def values(value: Any, at: tuple[Part, ...]) -> Any:
            return (
                {key: take(one, (*at, key)) for key, one in value.items()}
                if isinstance(value, dict)
                else value
            )

        return Map(values=kind), values

    def record(self, text: dict[str, Any], path: tuple[Part, ...], space: str) -> tuple[AnyType, Take]:
        full, space = self.full_name(text, path, space)
        self.book.enter(path)
        name = self.book.reserve(full.rpartition(".")[2])
        takes: list[_Taken] = []
        old: dict[str, str] = {}

        def values(value: Any, at: tuple[Part, ...]) -> Any:
            if not isinstance(value, dict):
                return value
            made = {}
            if not old.keys().isdisjoint(value):
                self.notes["keys that are aliases have the names of their fields"] = None
                value = {
                    old.get(key, key) if old.get(key) not in value else key: one for key, one in value.items()
                }
            for index, (key, take, nullable) in enumerate(takes):
                if key in value:
                    made[key] = take(value[key], (*at, key))
                if nullable and value.get(key) is None:
                    (self.null if key in value else self.left_out).add((name, index))
            return made | {key: one for key, one in value.items() if key not in made}

        aliases = [
            one if "." in one or not space else f"{space}.{one}" for one in _texts(text.get("aliases"))
        ]
        for one in (*aliases, full):
            self.named[one] = _Named(Ref(name=name), values)  # its own fields may name it
        listed = text.get("fields")
        if not isinstance(listed, list) or not all(isinstance(one, dict) and "name" in one for one in listed):
            raise self.book.refuse(path, f"record {full} has no list of named fields", "correct the schema")

        def read_fields() -> None:
            self.fields(_Listed(full, name, listed, space), path, takes, old)

        if self.ahead > EAGER:
            self.later.append(read_fields)
        else:
            read_fields()
        return Ref(name=name), values

    def fields(
        self, record: _Listed, path: tuple[Part, ...], takes: list[_Taken], old: dict[str, str]
    ) -> None:
        """The fields of a record. Adds their conversions to `takes` and their aliases to `old`."""
        taken: set[str] = set()
        fields: list[Field] = []
        for one in record.fields:
            # `json` is the attribute in which wirelab's own schemas keep the key of a renamed
            # field.
            key = str(one.get("json", one["name"]))
            kind, take = self.type(one.get("type"), (*path, key), record.space)
            fields.append(Field(key, own_name(str(one["name"]), taken), kind))
            takes.append((key, take, kind.nullable))
            old |= dict.fromkeys(_texts(one.get("aliases")), key)
        if len({key for key, *_ in takes}) < len(takes):
            raise self.book.refuse(path, f"two fields of {record.full} have one name", "rename one of them")
        self.book.keep(record.name, fields, path)

    def leaf(self, text: dict[str, Any], path: tuple[Part, ...], space: str) -> tuple[AnyType, Take]:
        """An enum or a fixed."""
        full, _ = self.full_name(text, path, space)
        if text["type"] == "fixed":
            self.notes["fixed is carried as bytes with their length"] = None
            self.named[full] = _Named(Base64(), self.octets)
            return Base64(), self.octets
        symbols = text.get("symbols")
        if not isinstance(symbols, list) or not symbols:
            raise self.book.refuse(path, f"enum {full} has no symbols", "correct the schema")
        self.notes["enums are carried as their numbers, in JSON too"] = None

        def number(value: Any, at: tuple[Part, ...]) -> Any:
            if not isinstance(value, str):
                return value
            if value not in symbols:
                raise BadInput(
                    f"{self.where}, at {show(at)}",
                    f"{full} has no {value!r}",
                    nearest(value, map(str, symbols)),
                )
            return symbols.index(value)

        kind = Int(low=0, high=len(symbols) - 1)
        self.named[full] = _Named(kind, number)
        return kind, number

    def octets(self, value: Any, at: tuple[Part, ...]) -> Any:
        """Bytes as Avro's JSON writes them, one character each, as base64."""
        if not isinstance(value, str):
            return value
        self.notes["bytes, one character each in Avro's JSON, are base64 in JSON here"] = None
        try:
            return base64.b64encode(value.encode("latin-1")).decode()
        except UnicodeEncodeError:
            raise BadInput(
                f"{self.where}, at {show(at)}",
                "bytes hold a character above U+00FF",
                "see Avro's JSON encoding",
            ) from None

    def full_name(self, text: dict[str, Any], path: tuple[Part, ...], space: str) -> tuple[str, str]:
        """A definition's full name and the namespace inside it."""
        name = text.get("name")
        if not isinstance(name, str) or not name:
            raise self.book.refuse(path, f"a {text['type']} without a name", "correct the schema")
        if "." in name:
            return name, name.rpartition(".")[0]
        space = str(text.get("namespace", space) or "")
        return (f"{space}.{name}" if space else name), space


def _same(value: Any, at: tuple[Part, ...]) -> Any:  # noqa: ARG001  (one shape for all)
    return value


def _after(convert: Callable[[Any], Any], take: Take) -> Take:
    """The conversion of a value that may be written as a logical type."""

    def through(value: Any, at: tuple[Part, ...]) -> Any:
        made = convert(value)
        return take(value, at) if made is value else made

    return through


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _shown(branch: Any) -> str:
    return str(branch.get("name", branch.get("type"))) if isinstance(branch, dict) else str(branch)


def _tag(branch: Any, space: str) -> str:
    """The name of a union's branch in Avro's JSON encoding."""
    name = branch
    if isinstance(branch, dict):
        name = branch.get("name", branch.get("type"))
        space = str(branch.get("namespace", space) or "")
    known = not isinstance(name, str) or name in _PRIMITIVES or name in ("array", "map") or "." in name
    return str(name) if known or not space else f"{space}.{name}"
