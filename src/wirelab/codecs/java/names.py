"""Helpers of all Java generators: native types, and methods generated once per type."""

from __future__ import annotations

from collections.abc import Callable

from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
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


def capital(name: str) -> str:
    """`f0` as `F0`."""
    return name[:1].upper() + name[1:]


def boxed(java: str) -> str:
    """The wrapper class of a primitive type; any other type unchanged."""
    return _BOXES.get(java, java)


def native(kind: AnyType) -> str:
    """The Java type of a native value: primitive if it cannot be null."""
    return boxed(_native(kind)) if kind.nullable else _native(kind)


def native_field(field: Field) -> str:
    """The Java type of a native field. An absent key is null; a null value is an empty Optional."""
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
    names: dict[type, str] = {
        String: "String",
        Decimal: "Decimal",
        Any: "Any",
        Timestamp: "Timestamp",
        Base64: "byte[]",
    }
    return names[type(kind)]


def read_field(field: Field, owner: str) -> str:
    """The value of a native field; null if it is absent or null."""
    place = f"{owner}.{field.name}"
    both = field.optional and field.type.nullable
    return f"({place} == null ? null : {place}.orElse(null))" if both else place


def literal(text: str) -> str:
    """A Java string literal. Characters other than printable ASCII become UTF-16 escapes."""
    units = text.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]
    return '"' + "".join(_escaped(code) for code in codes) + '"'


def _escaped(code: int) -> str:
    sign = chr(code)
    if 0x20 <= code < 0x7F and sign not in '"\\':
        return sign
    # Octal below 0x100: javac translates \\u escapes first, so \\u000a would end the line.
    return f"\\{code:03o}" if code < 0x100 else f"\\u{code:04x}"


class Methods:
    """Static methods, each generated at its first use."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, object], str] = {}
        self._texts: list[str] = []

    def named(self, prefix: str, key: object, write: Callable[[str], str]) -> str:
        """The name of the method for a key. `write` returns the method's text for a name."""
        whole = (prefix, key)
        if whole not in self._names:
            self._names[whole] = f"{prefix}{len(self._names)}"
            self._texts.append(write(self._names[whole]))
        return self._names[whole]

    @property
    def text(self) -> str:
        """All methods generated so far."""
        return "".join(self._texts)
