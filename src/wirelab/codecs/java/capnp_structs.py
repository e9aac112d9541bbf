"""Generates Cap'n Proto structs in Java: readers and builders like those of capnpc-java."""

from __future__ import annotations

from wirelab.codecs.java.capnp_struct_layout import FieldLocation, StructLayout
from wirelab.codecs.java.names import PACKAGE
from wirelab.codecs.java.object_model import capital
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Float,
    Int,
    List,
    Ref,
    String,
)
from wirelab.schema.emitters.common import Slot, Table, width

CP = f"{PACKAGE}.cp"
LIB = "org.capnproto"


def struct(table: Table, layout: StructLayout) -> str:
    locations = [(slot, layout.locations[slot.name]) for slot in table.slots]
    setters = "".join(_setter(slot, location) for slot, location in locations)
    getters = "".join(_getter(slot, location) for slot, location in locations)
    parameters = "segment, int data, int pointers, int dataSize, short pointerCount"
    given = "segment, data, pointers, dataSize, pointerCount"
    return f"""package {CP};

import {LIB}.*;

public final class {table.name} {{
    public static final StructSize SIZE = new StructSize((short) {layout.words}, (short) {layout.pointers});
    public static final Factory factory = new Factory();
    public static final StructList.Factory<Builder, Reader> list = new StructList.Factory<>(factory);

    public static final class Factory extends StructFactory<Builder, Reader> {{
        public Reader constructReader(SegmentReader {parameters}, int nestingLimit) {{
            return new Reader({given}, nestingLimit);
        }}
        public Builder constructBuilder(SegmentBuilder {parameters}) {{
            return new Builder({given});
        }}
        public StructSize structSize() {{
            return SIZE;
        }}
        public Reader asReader(Builder builder) {{
            return builder.asReader();
        }}
    }}

    public static final class Builder extends StructBuilder {{
        Builder(SegmentBuilder {parameters}) {{
            super({given});
        }}
        public Reader asReader() {{
            return new Reader({given}, 0x7fffffff);
        }}
{setters}    }}

    public static final class Reader extends StructReader {{
        Reader(SegmentReader {parameters}, int nestingLimit) {{
            super({given}, nestingLimit);
        }}
{getters}    }}
}}
"""


def _setter(slot: Slot, location: FieldLocation) -> str:
    name = capital(slot.name)
    if isinstance(slot.type, String | Base64):
        kind = "Text" if isinstance(slot.type, String) else "Data"
        return f"""        public void set{name}({kind}.Reader value) {{
            _setPointerField({kind}.factory, {location.at}, value);
        }}
"""
    if isinstance(slot.type, List | Ref):
        size = "int size" if isinstance(slot.type, List) else ""
        return f"""        public {builder(slot.type)} init{name}({size}) {{
            return _initPointerField({factory(slot.type)}, {location.at}, {"size" if size else 0});
        }}
"""
    word, bits = _field(slot.type)
    tag = f"_setShortField({location.tag // 16}, (short) 1); " if slot.optional else ""
    return f"""        public void set{name}({word.lower()} value) {{
            {tag}_set{word}Field({location.at // bits}, value);
        }}
"""


def _getter(slot: Slot, location: FieldLocation) -> str:
    name = capital(slot.name)
    there = f"!_pointerFieldIsNull({location.at})"
    if isinstance(slot.type, String | Base64):
        kind = "Text" if isinstance(slot.type, String) else "Data"
        read, made = f"_getPointerField({kind}.factory, {location.at}, null, 0, 0)", f"{kind}.Reader"
    elif isinstance(slot.type, List | Ref):
        read, made = f"_getPointerField({factory(slot.type)}, {location.at})", reader(slot.type)
    else:
        word, bits = _field(slot.type)
        read, made = f"_get{word}Field({location.at // bits})", word.lower()
        there = f"_getShortField({location.tag // 16}) == 1"
    has = f"""        public boolean has{name}() {{
            return {there};
        }}
"""
    return f"""        public {made} get{name}() {{
            return {read};
        }}
{has if slot.optional else ""}"""


def _field(kind: AnyType) -> tuple[str, int]:
    """The type name in the library's method names for a scalar, and its number of bits."""
    if isinstance(kind, Bool):
        return "Boolean", 1
    if isinstance(kind, Float):
        return ("Double", 64) if kind.bits == 64 else ("Float", 32)
    return ("Int", 32) if isinstance(kind, Int) and width(kind).endswith("32") else ("Long", 64)


def list_class(kind: AnyType) -> str:
    """The library's class for lists of these items."""
    if isinstance(kind, String):
        return f"{LIB}.TextList"
    return f"{LIB}.DataList" if isinstance(kind, Base64) else f"{LIB}.PrimitiveList.{_field(kind)[0]}"


def factory(kind: AnyType) -> str:
    if isinstance(kind, Ref):
        return f"{CP}.{kind.name}.factory"
    assert isinstance(kind, List)
    if isinstance(kind.items, Ref):
        return f"{CP}.{kind.items.name}.list"
    if isinstance(kind.items, List):
        return f"new {LIB}.ListList.Factory<>({factory(kind.items)})"
    return f"{list_class(kind.items)}.factory"


def builder(kind: AnyType) -> str:
    return side_of(kind, "Builder")


def reader(kind: AnyType) -> str:
    return side_of(kind, "Reader")


def side_of(kind: AnyType, side: str) -> str:
    if isinstance(kind, Ref):
        return f"{CP}.{kind.name}.{side}"
    assert isinstance(kind, List)
    if isinstance(kind.items, Ref):
        return f"{LIB}.StructList.{side}<{side_of(kind.items, side)}>"
    if isinstance(kind.items, List):
        return f"{LIB}.ListList.{side}<{side_of(kind.items, side)}>"
    return f"{list_class(kind.items)}.{side}"
