"""The Java types of Cap'n Proto values, as capnpc-java and its library name them."""

from __future__ import annotations

from wirelab.codecs.java.names import PACKAGE
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Float,
    Int,
    List,
    Ref,
    Text,
)
from wirelab.schema.emitters.common import width

CP = f"{PACKAGE}.cp"
OUTER = "Structs"
STRUCTS = f"{CP}.{OUTER}"
"""The class in which capnpc-java puts all structs."""
LIB = "org.capnproto"


def list_class(kind: AnyType) -> str:
    """The library's class for lists of these items."""
    if isinstance(kind, Text):
        return f"{LIB}.TextList"
    return f"{LIB}.DataList" if isinstance(kind, Base64) else f"{LIB}.PrimitiveList.{_primitive(kind)}"


def _primitive(kind: AnyType) -> str:
    """The part of the library's class names that is for a scalar."""
    if isinstance(kind, Bool):
        return "Boolean"
    if isinstance(kind, Float):
        return "Double" if kind.bits == 64 else "Float"
    return "Int" if isinstance(kind, Int) and width(kind).endswith("32") else "Long"


def builder(kind: AnyType) -> str:
    return side_of(kind, "Builder")


def reader(kind: AnyType) -> str:
    return side_of(kind, "Reader")


def side_of(kind: AnyType, side: str) -> str:
    if isinstance(kind, Ref):
        return f"{STRUCTS}.{kind.name}.{side}"
    assert isinstance(kind, List)
    if isinstance(kind.items, Ref):
        return f"{LIB}.StructList.{side}<{side_of(kind.items, side)}>"
    if isinstance(kind.items, List):
        return f"{LIB}.ListList.{side}<{side_of(kind.items, side)}>"
    return f"{list_class(kind.items)}.{side}"
