"""What all generated Java shares: native types, and methods that are written once for each type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirelab.codecs.positional_names import is_above_i64
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
    String,
    Timestamp,
)
from wirelab.schema.emitters.common import fits_int32

PACKAGE = "wirelab.pack"
MODEL = f"{PACKAGE}.model"
_BOXES = {"int": "Integer", "long": "Long", "double": "Double", "float": "Float", "boolean": "Boolean"}


def boxed(java: str) -> str:
    """The class of a primitive type; any other type is itself."""
    return _BOXES.get(java, java)


def native(kind: AnyType) -> str:
    """The Java type of a native value: primitive where it cannot be null."""
    return boxed(_native(kind)) if kind.nullable else _native(kind)


def native_field(field: Field) -> str:
    """The Java type of a native field: null where the key is absent, an empty Optional where the value is null."""
    inner = boxed(native(field.type))
    if field.optional and field.type.nullable:
        return f"java.util.Optional<{inner}>"
    return inner if field.optional else native(field.type)


def _native(kind: AnyType) -> str:  # noqa: PLR0911  (one return per type reads best)
    if isinstance(kind, Int):
        return "Unsigned" if is_above_i64(kind) else "int" if fits_int32(kind) else "long"
    if isinstance(kind, Float):
        return "double" if kind.bits == 64 else "float"
    if isinstance(kind, Bool):
        return "boolean"
    if isinstance(kind, List):
        return f"List<{boxed(native(kind.items))}>"
    if isinstance(kind, Map):
        return f"SortedKeys<{boxed(native(kind.values))}>"
    if isinstance(kind, Ref):
        return f"{MODEL}.{kind.name}"
    names: dict[type, str] = {String: "String", Timestamp: "Timestamp", Base64: "byte[]"}
    return names[type(kind)]


def read_field(field: Field, owner: str) -> str:
    """A native field's value as null or what is there."""
    place = f"{owner}.{field.name}"
    both = field.optional and field.type.nullable
    return f"({place} == null ? null : {place}.orElse(null))" if both else place


def literal(text: str) -> str:
    """Any text as a Java string literal, in UTF-16 escapes where it is not plain ASCII."""
    units = text.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]
    return '"' + "".join(_escaped(code) for code in codes) + '"'


def _escaped(code: int) -> str:
    sign = chr(code)
    if 0x20 <= code < 0x7F and sign not in '"\\':
        return sign
    # An octal escape: the compiler reads \\u before anything else, so \\u000a would end the line.
    return f"\\{code:03o}" if code < 0x100 else f"\\u{code:04x}"


class Methods:
    """Static methods, each written when it is first asked for."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._texts: list[str] = []

    def named(self, prefix: str, key: Any, write: Callable[[str], str]) -> str:
        """The name of the method for a key; `write` gives its text, from its name."""
        whole = (prefix, key)
        if whole not in self._names:
            self._names[whole] = f"{prefix}{len(self._names)}"
            self._texts.append(write(self._names[whole]))
        return self._names[whole]

    @property
    def text(self) -> str:
        """All methods written so far."""
        return "".join(self._texts)
