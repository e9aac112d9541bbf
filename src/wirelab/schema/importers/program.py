"""Schemas of languages with a compiler: named definitions as our types, and messages in them.

The readers of FlatBuffers, Cap'n Proto, Thrift and ASN.1 give `Definitions`. In their types a `Ref`
names a definition. Messages are JSON as the language writes it: enums by name or number, 64-bit
integers also as text, bytes also as a list of numbers.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Base64, Field, Int, List, Map, Ref, Schema, Union, walk
from wirelab.model.suggestions import nearest
from wirelab.schema.importers.book import EAGER, Book, own_name
from wirelab.schema.importers.hull import hull
from wirelab.schema.json_reader import MAX_DEPTH
from wirelab.schema.paths import Every, Part, show

Take = Callable[[Any, tuple[Part, ...]], Any]
"""The conversion of a JSON value at a path to our types. Values that fit no type are kept."""
_ENUMS = "enums are carried as their numbers, in JSON too"
_CHOICES = "fields of a union may each be absent"


class Enumeration(Struct, frozen=True):
    """An enum: the numbers of its names. Of `flags`, a value is any number of names."""

    numbers: dict[str, int]
    flags: bool = False


class Alias(Struct, frozen=True):
    """Another name of a type."""

    kind: AnyType


class Member(Struct, frozen=True):
    """A field of a definition.

    A message that leaves it out has `default`, if there is one; else it is `optional` or required.
    `type_key` is the key in which FlatBuffers' JSON names the alternative of a union.
    """

    key: str
    kind: AnyType
    optional: bool = False
    default: Any = None
    type_key: str = ""


class Compound(Struct, frozen=True):
    """A record. Of the fields of a `choice` one is there."""

    members: tuple[Member, ...]
    choice: bool = False


Definition = Enumeration | Alias | Compound


class Definitions(Struct, frozen=True):
    """The definitions of a schema by full name, those of the given file, and its root, if it says
    so.

    `broken` has the reason for each definition that has no type here.
    """

    source: str
    by_name: dict[str, Definition]
    own: tuple[str, ...]
    root: str = ""
    notes: tuple[str, ...] = ()
    broken: dict[str, str] = {}


def read_definitions(found: Definitions, name: str) -> DefinitionReader:
    """The reader of a schema's root: the definition `name`, else the only one that no other uses.

    Raises BadInput.
    """
    return DefinitionReader(found, _picked(found, name))


def _picked(found: Definitions, name: str) -> str:
    if name:
        fit = [full for full in found.by_name if name == full] or [
            full for full in found.by_name if full.endswith((f".{name}", f":{name}"))
        ]
        if not fit:
            raise BadInput(f"{found.source}:{name}", "there is no such type", nearest(name, found.by_name))
        return fit[0]
    if found.root:
        return found.root
    records = [one for one in found.own if isinstance(found.by_name.get(one), Compound)]
    used = {
        kind.name
        for full, one in found.by_name.items()
        for kind in _inside(one)
        if isinstance(kind, Ref) and kind.name != full
    }
    free = [one for one in records if one not in used] or records
    if not records and found.broken:
        raise BadInput(found.source, next(iter(found.broken.values())), "use another type")
    if len(free) != 1:
        shown = ", ".join(free) or "it has none"
        raise BadInput(
            found.source, f"which type is one message? ({shown[:400]})", f"name it: {found.source}:NAME"
        )
    return free[0]


def _inside(one: Definition) -> Iterable[AnyType]:
    if isinstance(one, Alias):
        yield from walk(one.kind)
    elif isinstance(one, Compound):
        for member in one.members:
            yield from walk(member.kind)


class _Waiting(Struct, frozen=True):
    """A record whose fields are not read yet."""

    name: str
    definition: Compound
    takes: list[tuple[Member, Take]]
    path: tuple[Part, ...]


class DefinitionReader:
    """The schema of a root, and the conversion of messages."""

    def __init__(self, found: Definitions, root: str) -> None:
        self.found, self.book = found, Book(found.source)
        self.named: dict[str, tuple[AnyType, Take]] = {}
        self.open: list[str] = []
        self.notes = dict.fromkeys(found.notes)
        self.where = found.source
        self.waiting: deque[_Waiting] = deque()
        self.root, self.take = self.type(Ref(name=root), ())
        self.finish()

    def schema(self) -> Schema:
        return self.book.schema(self.root)

    def messages(self, values: Sequence[Any], where: Callable[[int], str]) -> tuple[Any, ...]:
        """The messages in our types."""
        made = []
        for index, value in enumerate(values):
            self.where = where(index)
            made.append(self.take(value, ()))
        return tuple(made)

    def type(self, kind: AnyType, path: tuple[Part, ...]) -> tuple[AnyType, Take]:
        """A type in our records, and its conversion."""
        self.book.enter(path)
        if isinstance(kind, Ref):
            made, take = self.by_name(kind.name, path)
            return replace(made, nullable=made.nullable or kind.nullable), take
        if isinstance(kind, List | Map):
            return self.container(kind, path)
        if isinstance(kind, Union):
            return hull(self.type(one, path)[0] for one in kind.alternatives), _same
        if isinstance(kind, Int):
            return kind, _number
        return kind, self.octets if isinstance(kind, Base64) else _same

    def container(self, kind: List | Map, path: tuple[Part, ...]) -> tuple[AnyType, Take]:
        if isinstance(kind, List):
            inner, take = self.type(kind.items, (*path, Every.ITEM))
            return replace(kind, items=inner), _each(take)
        inner, take = self.type(kind.values, (*path, Every.VALUE))
        return replace(kind, values=inner), _each(take)

    def by_name(self, full: str, path: tuple[Part, ...]) -> tuple[AnyType, Take]:
        if full in self.named:
            return self.named[full]
        one = self.found.by_name.get(full)
        if one is None:
            why = self.found.broken.get(full, f"no type '{full}' is defined")
            raise self.book.refuse(path, why, "give the file that defines it, or use another type")
        if isinstance(one, Enumeration):
            self.named[full] = self.enumeration(full, one)
        elif isinstance(one, Alias):
            if full in self.open:
                raise self.book.refuse(path, f"{full} contains itself", "make it a record")
            if len(self.open) > MAX_DEPTH:
                why = f"names of names, more than {MAX_DEPTH} deep"
                raise self.book.refuse(path, why, "use the type that they stand for")
            self.open.append(full)
            self.named[full] = self.type(one.kind, path)
            self.open.pop()
        else:
            self.record(full, one, path)
        return self.named[full]

    def enumeration(self, full: str, one: Enumeration) -> tuple[AnyType, Take]:
        self.notes[_ENUMS] = None
        numbers = [*one.numbers.values(), sum(one.numbers.values()) if one.flags else 0]

        def number(value: Any, at: tuple[Part, ...]) -> Any:
            if not isinstance(value, str):
                return value
            found = 0
            for word in value.split() if one.flags else [value]:
                name = word if word in one.numbers else word.rpartition(".")[2]
                if name not in one.numbers:
                    where = f"{self.where}, at {show(at)}"
                    raise BadInput(where, f"{full} has no {word!r}", nearest(word, one.numbers))
                found |= one.numbers[name]
            return found

        return Int(low=min(0, *numbers), high=max(0, *numbers)), number

    def record(self, full: str, one: Compound, path: tuple[Part, ...]) -> None:
        name = self.book.reserve(full.replace(":", ".").rpartition(".")[2])
        takes: list[tuple[Member, Take]] = []

        def values(value: Any, at: tuple[Part, ...]) -> Any:
            if not isinstance(value, dict):
                return value
            made = {}
            left = dict(value)
            for member, take in takes:
                tag = left.pop(member.type_key, None) if member.type_key else None
                if member.key in left:
                    inner = left.pop(member.key)
                    convert = self.alternative(member.kind, tag, take)
                    made[member.key] = convert(inner, (*at, member.key))
                elif member.default is not None:
                    made[member.key] = member.default
            return made | left

        self.named[full] = Ref(name=name), values
        waiting = _Waiting(name, one, takes, path)
        if len(path) > EAGER:
            self.waiting.append(waiting)
        else:
            self.fields(waiting)

    def finish(self) -> None:
        """Read the records that wait."""
        while self.waiting:
            self.fields(self.waiting.popleft())

    def fields(self, record: _Waiting) -> None:
        """The fields of a record, and in `takes` the conversions of their values."""
        outside, self.open = self.open, []
        taken: set[str] = set()
        fields = []
        one = record.definition
        for member in one.members:
            kind, take = self.type(member.kind, (*record.path, member.key))
            record.takes.append((member, take))
            optional = (member.optional or one.choice) and member.default is None
            fields.append(Field(member.key, own_name(member.key, taken), kind, optional))
        self.open = outside
        if one.choice:
            self.notes[_CHOICES] = None
        self.book.keep(record.name, fields, record.path)

    def alternative(self, kind: AnyType, tag: Any, take: Take) -> Take:
        """The conversion by the alternative of a union that a message names, else `take`."""
        if isinstance(tag, list) and isinstance(kind, List):
            each = [self.alternative(kind.items, one, take) for one in tag]
            return lambda value, at: (
                [
                    convert(one, (*at, index))
                    for index, (convert, one) in enumerate(zip(each, value, strict=True))
                ]
                if isinstance(value, list) and len(value) == len(each)
                else value
            )
        if isinstance(tag, str) and isinstance(kind, Union):
            for one in kind.alternatives:
                if isinstance(one, Ref) and one.name.rpartition(".")[2] == tag.rpartition(".")[2]:
                    return self.by_name(one.name, ())[1]
        return take

    def octets(self, value: Any, at: tuple[Part, ...]) -> Any:  # noqa: ARG002  (one shape for all)
        """Bytes that a message writes as a list of numbers, as base64."""
        if not isinstance(value, list) or not all(type(one) is int and 0 <= one < 256 for one in value):
            return value
        self.notes["bytes that messages write as lists of numbers are base64 in JSON here"] = None
        return base64.b64encode(bytes(value)).decode()


def _number(value: Any, at: tuple[Part, ...]) -> Any:  # noqa: ARG001  (one shape for all)
    """An integer that a message may write as text."""
    plain = value.removeprefix("-") if isinstance(value, str) else ""
    return int(value) if plain.isascii() and plain.isdigit() and len(plain) <= 20 else value


def _each(take: Take) -> Take:
    def items(value: Any, at: tuple[Part, ...]) -> Any:
        if isinstance(value, list):
            return [take(one, (*at, index)) for index, one in enumerate(value)]
        if isinstance(value, dict):
            return {key: take(one, (*at, key)) for key, one in value.items()}
        return value

    return items


def _same(value: Any, at: tuple[Part, ...]) -> Any:  # noqa: ARG001  (one shape for all)
    return value
