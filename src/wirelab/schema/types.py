"""Types as text: `int 0..99`, `list<string>`, `map<Trip|null>`, `int|string`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from typing import Literal, get_args

import msgspec

from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
    Float,
    Int,
    List,
    Map,
    MapKeys,
    Ref,
    String,
    Timestamp,
    Tuple,
    Union,
)
from wirelab.schema.json_reader import MAX_DEPTH
from wirelab.schema.unions import BadUnion, union

SIMPLE: dict[str, AnyType] = {
    "bool": Bool(),
    "float": Float(),
    "float32": Float(bits=32),
    "decimal": Decimal(),
    "string": String(),
    "timestamp": Timestamp(),
    "base64": Base64(),
    "any": Any(),
}
_TOKEN = re.compile(r"\s*(\.\.|-?[0-9]{1,30}|[A-Za-z_][A-Za-z0-9_]*|[<>|?,]|\S)")
_INT = (-(2**63), 2**63 - 1)
MAP_KEYS: tuple[MapKeys, ...] = get_args(MapKeys)
CODINGS: tuple[Literal["varint", "fixed"], ...] = ("varint", "fixed")


FREE_CODINGS: tuple[Literal["value", "struct", "list"], ...] = ("value", "struct", "list")


class BadType(ValueError):
    """A text that is not a type. The message is the reason, `nearest` the nearest known type."""

    def __init__(self, why: str, nearest: str = "") -> None:
        super().__init__(why)
        self.nearest = nearest


def show_type(kind: AnyType) -> str:
    """The text of a type; `read_type` reads it back."""
    return f"{_show(kind)}|null" if kind.nullable else _show(kind)


def _show(kind: AnyType) -> str:  # noqa: PLR0911  (one return per type)
    if isinstance(kind, List | Map | Tuple | Union):
        return _show_container(kind)
    if isinstance(kind, Ref):
        return kind.name
    if isinstance(kind, Int):
        text = "int" if (kind.low, kind.high) == _INT else f"int {kind.low}..{kind.high}"
        return f"{text} {kind.coding}".rstrip()
    if isinstance(kind, Any):
        return f"any {kind.coding}".rstrip()
    if isinstance(kind, Timestamp):
        return f"timestamp {kind.coding}".rstrip()
    if isinstance(kind, Float):
        return f"{'float' if kind.bits == 64 else 'float32'}{' nonfinite' if kind.nonfinite else ''}"
    return next(
        name for name, simple in SIMPLE.items() if simple == msgspec.structs.replace(kind, nullable=False)
    )


def _show_container(kind: List | Map | Tuple | Union) -> str:
    if isinstance(kind, List):
        return f"list<{show_type(kind.items)}>"
    if isinstance(kind, Map):
        keys = f"{kind.keys}, " if kind.keys else ""
        return f"map<{keys}{show_type(kind.values)}>"
    if isinstance(kind, Tuple):
        return f"tuple<{', '.join(map(show_type, kind.items))}>"
    return "|".join(map(_show, kind.alternatives))


def read_type(text: str, records: Collection[str]) -> tuple[AnyType, bool]:
    """The type in a text, and whether `?` follows it. Raises BadType."""
    reader = _Reader(text, records)
    kind = reader.type(MAX_DEPTH)
    optional = reader.take("?")
    if reader.tokens:
        raise BadType(f"'{reader.tokens[0]}' is not expected in '{text}'")
    return kind, optional


class _Reader:
    def __init__(self, text: str, records: Collection[str]) -> None:
        self.text, self.records = text, records
        self.tokens = [match[1] for match in _TOKEN.finditer(text)]

    def take(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False

    def next(self) -> str:
        if not self.tokens:
            raise BadType(f"'{self.text}' ends too early")
        return self.tokens.pop(0)

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise BadType(f"'{token}' is missing in '{self.text}'")

    def type(self, depth: int) -> AnyType:
        if depth == 0:
            raise BadType(f"nested deeper than {MAX_DEPTH} levels")
        alternatives = [self.plain(self.next(), depth)]
        nullable = False
        while self.take("|"):
            if self.take("null"):
                nullable = True
            else:
                alternatives.append(self.plain(self.next(), depth))
        try:
            return msgspec.structs.replace(union(alternatives), nullable=nullable)
        except BadUnion as error:
            raise BadType(f"{error}, in '{self.text}'") from None

    def plain(self, word: str, depth: int) -> AnyType:  # noqa: PLR0911  (one return per type)
        if word in ("list", "map"):
            self.expect("<")
            keys = self.keys() if word == "map" else ""
            inner = self.type(depth - 1)
            self.expect(">")
            return List(items=inner) if word == "list" else Map(values=inner, keys=keys)
        if word == "timestamp" and self.take("message"):
            return Timestamp(coding="message")
        if word == "any":
            return Any(coding=next((name for name in FREE_CODINGS if self.take(name)), ""))
        if word in ("float", "float32"):
            return Float(bits=64 if word == "float" else 32, nonfinite=self.take("nonfinite"))
        if word == "tuple":
            return self.tuple(depth)
        if word == "int":
            found = self.range()
            coding: Literal["varint", "fixed"] | None = next(
                (name for name in CODINGS if self.take(name)), None
            )
            return msgspec.structs.replace(found, coding=coding) if coding else found
        if word in SIMPLE:
            return SIMPLE[word]
        if word not in self.records:
            near = difflib.get_close_matches(
                word, [*SIMPLE, "int", "list", "map", "tuple", *self.records], 1, 0.5
            )
            raise BadType(f"there is no type '{word}'", *near)
        return Ref(name=word)

    def keys(self) -> MapKeys:
        """Protobuf's type of a map's keys, "" if none is named."""
        found: MapKeys = next((name for name in MAP_KEYS if name and self.tokens[:1] == [name]), "")
        if found and self.tokens[1:2] == [","]:
            del self.tokens[:2]
            return found
        return ""

    def tuple(self, depth: int) -> Tuple:
        self.expect("<")
        items = [self.type(depth - 1)]
        while self.take(","):
            items.append(self.type(depth - 1))
        self.expect(">")
        return Tuple(items=tuple(items))

    def range(self) -> Int:
        if not self.tokens or not re.fullmatch("-?[0-9]+", self.tokens[0]):
            return Int(low=_INT[0], high=_INT[1])
        low = self.integer()
        self.expect("..")
        high = self.integer()
        if low > high:
            raise BadType(f"the range {low}..{high} is reversed")
        if low < _INT[0] or high >= 2**64 or (low < 0 and high > _INT[1]):
            raise BadType(f"no 64-bit integer holds {low}..{high}")
        return Int(low=low, high=high)

    def integer(self) -> int:
        word = self.next()
        if not re.fullmatch("-?[0-9]+", word):
            raise BadType(f"'{word}' in '{self.text}' is not an integer")
        return int(word)
