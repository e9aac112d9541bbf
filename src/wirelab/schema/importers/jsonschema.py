"""A JSON Schema (drafts 4 to 2020-12) read into ours: closed objects, typed lists, null, ranges of
integers, local references.

Of a union of which the messages use one type, that type is taken. What has no type here is refused
with its path: `any`, objects with both known and free keys, unions that no value tells apart.
Keywords that only narrow values (`pattern`, `minLength`, `multipleOf` ...) do not change a type and
are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Ref,
    Schema,
    String,
    Timestamp,
    Tuple,
)
from wirelab.schema.columns import first_of_kind
from wirelab.schema.importers.book import Book, own_name
from wirelab.schema.json_reader import MAX_DEPTH
from wirelab.schema.paths import Every, Part, kind_of, show
from wirelab.schema.unions import BadUnion, union

_LOW, _HIGH = -(2**63), 2**63 - 1
_NULL = {"type": "null"}
_KINDS = {
    "array": {"list"},
    "boolean": {"bool"},
    "integer": {"int"},
    "number": {"int", "float"},
    "object": {"object"},
    "string": {"string"},
}
"""The kinds of JSON values of a type in JSON Schema."""


def read(text: Any, source: str, stem: str, messages: Sequence[Any] = ()) -> tuple[Schema, tuple[str, ...]]:
    """The schema of a parsed JSON Schema, and what to know of it.

    Raises BadInput for what schemas here cannot hold. `messages` decide which of several types a
    value has.
    """
    reader = _Reader(text, source, messages)
    root = reader.type(text, (), (), stem)
    return reader.book.schema(root), tuple(reader.notes)


class _Reader:
    def __init__(self, whole: Any, source: str, messages: Sequence[Any]) -> None:
        self.whole, self.book, self.messages = whole, Book(source), messages
        self.named: dict[str, AnyType] = {}
        self.read: dict[int, str] = {}
        """The records by the identity of their subschema: one may be named inside itself."""
        self.notes: dict[str, None] = {}

    def type(self, text: Any, path: tuple[Part, ...], users: tuple[str, ...], wish: str) -> AnyType:
        """A subschema's type.

        `users` are the references that led here from the last object; `wish` names a record without a title.
        """
        if not isinstance(text, dict) or not text:
            raise self.book.refuse(path, "any value is allowed", "give it a type")
        if "$ref" in text:
            return self.reference(text["$ref"], path, users)
        for word in ("anyOf", "oneOf", "allOf"):
            if word in text:
                return self.combined(word, text, path, users, wish)
        names = text.get("type")
        if isinstance(names, list):
            nullable = "null" in names
            rest = [name for name in names if name != "null"]
            if len(rest) == 2 and "integer" in rest and "number" in rest:
                rest = ["number"]
            kinds = [self.single(str(name), text, path, users, wish) for name in self.used(rest, names, path)]
            return replace(self.union(kinds, names, path), nullable=nullable)
        return self.single(str(names or _implied(text)), text, path, users, wish)

    def used(self, kinds: list[Any], branches: list[Any], path: tuple[Part, ...]) -> list[Any]:
        """The one of several types that the messages use; all where there is no such one."""
        seen = {kind_of(value) for _, value in first_of_kind(self.messages, path)}
        fit = [one for one in kinds if seen and seen <= self.taken_by(one)]
        if len(kinds) == 1 or len(fit) != 1:
            return kinds
        shown = ", ".join(map(_shown, branches))
        self.notes[
            f"at {show(path)}: of {shown} the messages use {_shown(fit[0])} only, so that is the type"
        ] = None
        return fit

    def union(self, kinds: list[AnyType], branches: list[Any], path: tuple[Part, ...]) -> AnyType:
        """The union of types, of which equal ones are one.

        Raises BadInput where no value tells them apart.
        """
        has_float = any(isinstance(kind, Float) for kind in kinds)
        distinct = dict.fromkeys(kind for kind in kinds if not (has_float and isinstance(kind, Int)))
        try:
            return union(distinct)
        except BadUnion as error:
            shown = ", ".join(map(_shown, branches))
            raise self.book.refuse(path, f"a union of {shown}: {error}", "make them one type") from None

    def taken_by(self, branch: Any) -> set[str]:
        """The kinds of JSON values that a branch of a union takes; none where that is not clear."""
        if isinstance(branch, dict) and "$ref" in branch:
            branch = self.target(branch["$ref"])
        name = branch
        if isinstance(branch, dict):
            name = branch.get("type") or _implied(branch)
        return _KINDS.get(name, set()) if isinstance(name, str) else set()

    def combined(
        self, word: str, text: dict[str, Any], path: tuple[Part, ...], users: tuple[str, ...], wish: str
    ) -> AnyType:
        branches = text[word] if isinstance(text[word], list) else []
        kinds = [one for one in branches if one not in (_NULL, {"const": None}, {"enum": [None]})]
        if not kinds or (word == "allOf" and len(kinds) != 1):
            raise self.book.refuse(path, "a value of several types at once", "write them as one type")
        types = [self.type(one, path, users, wish) for one in self.used(kinds, branches, path)]
        kind = self.union(types, branches, path)
        return replace(kind, nullable=kind.nullable or len(kinds) < len(branches))

    def reference(self, ref: Any, path: tuple[Part, ...], users: tuple[str, ...]) -> AnyType:
        if not isinstance(ref, str) or not ref.startswith("#"):
            raise self.book.refuse(path, f"the reference {ref} leads out of the file", "put it under $defs")
        if ref in users or len(users) > MAX_DEPTH:
            cycle = " -> ".join((*users[users.index(ref) if ref in users else 0 :], ref))
            raise self.book.refuse(
                path, f"a value contains itself without an object between ({cycle})", "make it an object"
            )
        if ref not in self.named:
            target = self.target(ref)
            if target is None:
                raise self.book.refuse(path, f"{ref} does not exist", "correct the reference")
            self.named[ref] = self.type(target, path, (*users, ref), ref.rpartition("/")[2] or "Root")
        return self.named[ref]

    def target(self, ref: Any) -> Any:
        """The value at a local reference; None if there is none."""
        target = self.whole
        for part in [one for one in str(ref).removeprefix("#").split("/") if one]:
            key = part.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, dict) else None
        return target

    def single(
        self, name: str, text: dict[str, Any], path: tuple[Part, ...], users: tuple[str, ...], wish: str
    ) -> AnyType:
        if name == "object":
            return self.object(text, path, users, wish)
        if name == "array":
            return self.array(text, path, users, wish)
        if name == "integer":
            return self.integer(text, path)
        if name == "string":
            return self.string(text)
        if name == "null":
            return String(nullable=True)
        if name not in ("number", "boolean"):
            raise self.book.refuse(path, "any value is allowed", "give it a type")
        return Float() if name == "number" else Bool()

    def array(
        self, text: dict[str, Any], path: tuple[Part, ...], users: tuple[str, ...], wish: str
    ) -> AnyType:
        """A list, or a tuple where the number of items and their types are fixed."""
        items, first = text.get("items"), text.get("prefixItems")
        if isinstance(items, list):  # before 2020-12
            items, first = text.get("additionalItems"), items
        if isinstance(first, list) and first and (items is False or text.get("maxItems") == len(first)):
            self.notes["a list of prefixItems has all of them"] = None
            kinds = (self.type(one, (*path, at), users, wish) for at, one in enumerate(first))
            return Tuple(items=tuple(kinds))
        if first or not isinstance(items, dict):
            raise self.book.refuse(path, "a list without one type for its items", "give it items")
        return List(items=self.type(items, (*path, Every.ITEM), users, wish))

    def string(self, text: dict[str, Any]) -> AnyType:
        if text.get("format") == "date-time":
            return Timestamp()
        return Base64() if text.get("contentEncoding") == "base64" else String()

    def integer(self, text: dict[str, Any], path: tuple[Part, ...]) -> Int:
        listed = text.get("enum", [text.get("const")])
        allowed = [one for one in listed if type(one) is int] if isinstance(listed, list) else []
        low, high = _limit(text, "minimum", math.ceil, 1), _limit(text, "maximum", math.floor, -1)
        low = min(allowed) if allowed else _LOW if low is None else low
        high = max(allowed) if allowed else (_HIGH if high is None else high)
        if low < _LOW or high >= 2**64 or (low < 0 and high > _HIGH) or low > high:
            raise self.book.refuse(path, f"no 64-bit integer holds {low} to {high}", "narrow the range")
        return Int(low=low, high=high)

    def object(
        self, text: dict[str, Any], path: tuple[Part, ...], users: tuple[str, ...], wish: str
    ) -> AnyType:
        known, free = text.get("properties"), text.get("additionalProperties")
        patterns = text.get("patternProperties")
        if isinstance(patterns, dict) and len(patterns) == 1 and free in (None, False):
            free = next(iter(patterns.values()))
        elif patterns:
            raise self.book.refuse(path, "keys by several patterns", "make it one map")
        if isinstance(free, dict) and free:
            if known:
                raise self.book.refuse(path, "both known and free keys", "put the free ones into an object")
            return Map(values=self.type(free, (*path, Every.VALUE), users, wish))
        if not isinstance(known, dict):
            if free is False:
                known = {}
            else:
                raise self.book.refuse(path, "an object with any keys", "give it properties")
        if free is not False:
            self.notes["keys that the JSON Schema does not name are refused"] = None
        return Ref(name=self.record(text, known, path, wish))

    def record(
        self,
        text: dict[str, Any],
        known: dict[str, Any],
        path: tuple[Part, ...],
        wish: str,
    ) -> str:
        if id(text) in self.read:
            return self.read[id(text)]
        self.book.enter(path)
        name = self.read[id(text)] = self.book.reserve(str(text.get("title") or wish))
        needed = text.get("required", [])
        needed = needed if isinstance(needed, list) else []
        taken: set[str] = set()
        fields = []
        for key, one in known.items():
            kind = self.type(one, (*path, key), (), key)
            fields.append(Field(key, own_name(key, taken), kind, key not in needed))
        self.book.keep(name, fields, path)
        return name


def _shown(branch: Any) -> str:
    if not isinstance(branch, dict):
        return str(branch)
    return str(branch.get("type") or branch.get("$ref") or _implied(branch) or "any value")


def _implied(text: dict[str, Any]) -> str:
    """The type that other keywords imply; "" if there is none."""
    if "properties" in text or "additionalProperties" in text:
        return "object"
    if "items" in text:
        return "array"
    values = text.get("enum", [text["const"]] if "const" in text else [])
    if not isinstance(values, list) or not values:
        return ""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
    found = {kinds.get(type(value), "") for value in values}
    return found.pop() if len(found) == 1 else ""


def _limit(text: dict[str, Any], word: str, whole: Any, step: int) -> int | None:
    """A bound of an integer: `minimum` or `exclusiveMinimum` (a number, or in draft 4 a flag)."""
    own, strict = text.get(word), text.get(f"exclusive{word.capitalize()}")
    if isinstance(strict, int | float) and not isinstance(strict, bool):
        edge = whole(strict)
        return int(edge + step if edge == strict else edge)
    if not isinstance(own, int | float):
        return None
    return int(whole(own) + (step if strict is True and whole(own) == own else 0))
