"""JSON by ArduinoJson, release 6 or 7 (C++), through its document type."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from wirelab.devices.c_layout import WHICH, Member, Shape, Table, c_type, whole
from wirelab.devices.structs import text
from wirelab.model.schema import Bool, Float, Int, Ref, String

OPTIONS = (
    "-DARDUINOJSON_ENABLE_STD_STRING=0", "-DARDUINOJSON_ENABLE_STD_STREAM=0", "-DARDUINOJSON_ENABLE_ARDUINO_STRING=0",
    "-DARDUINOJSON_ENABLE_STRING_VIEW=0", "-DARDUINOJSON_ENABLE_ARDUINO_STREAM=0", "-DARDUINOJSON_ENABLE_ARDUINO_PRINT=0",
    "-DARDUINOJSON_ENABLE_PROGMEM=0", "-Wno-deprecated-declarations",
)  # fmt: skip


def functions(shape: Shape) -> str:
    """`put` and `get` for every structure, and the contract's two functions."""
    blocks = ['#include "wl_json.h"\n']
    for table in shape.tables.values():
        if table.role == "record":
            puts = "\n".join(_put_field(shape, m) for m in table.members)
            gets = "\n".join(_get_field(shape, m) for m in table.members)
            blocks.append(_function("put", "JsonObject o", f"const {table.name}", table.name, puts))
            blocks.append(_function("get", "JsonObjectConst o", table.name, table.name, gets))
        elif table.role != "entry":
            put, get = _variant_functions(shape, table)
            blocks.append(_function("put", "JsonVariant v", f"const {table.name}", table.name, put))
            blocks.append(_function("get", "JsonVariantConst v", table.name, table.name, get))
    root = shape.top
    kind = "JsonObject" if root.role == "record" else "JsonVariant"
    put = f"put_{root.name}(d.to<{kind}>(), &wl_message);"
    get = f"get_{root.name}(d.as<{kind}Const>(), &wl_message);"
    return (
        "\n".join(blocks)
        + f"""
extern "C" unsigned wl_serialize(void) {{
    DOCUMENT(d);
    {put}
    WL_USED(d);
    if (d.overflowed()) return 0;
    return (unsigned)serializeJson(d, (char *)wl_buffer, sizeof wl_buffer);
}}

extern "C" bool wl_deserialize(unsigned length) {{
    DOCUMENT(d);
    wrong = false;
    if (deserializeJson(d, (const char *)wl_buffer, length)) return false;
    WL_USED(d);
    {get}
    return !wrong;
}}

extern "C" unsigned wl_heap_peak(void) {{ return wl_arena_peak; }}
"""
    )


def options(shape: Shape, double_bits: int) -> tuple[str, ...]:
    """The library's settings: 64-bit numbers only if the schema has any and the chip's `double` has
    64 bits.
    """
    kinds = [member.kind for table in shape.tables.values() for member in table.members]
    wide_float = double_bits == 64 and any(isinstance(kind, Float) and kind.bits == 64 for kind in kinds)
    wide_int = any(isinstance(kind, Int) and whole(kind) in ("u64", "i64") for kind in kinds)
    return (*OPTIONS, f"-DARDUINOJSON_USE_DOUBLE={wide_float:d}", f"-DARDUINOJSON_USE_LONG_LONG={wide_int:d}")


def _function(verb: str, source: str, kind: str, name: str, body: str) -> str:
    return f"static void {verb}_{name}({source}, {kind} *m) {{\n    (void)m;\n{body}\n}}\n"


def _variant_functions(shape: Shape, table: Table) -> tuple[str, str]:
    """What writes and reads a structure that is not a JSON object."""
    if table.role == "union":
        return _put_union(shape, table), _get_union(shape, table)
    if table.role == "tuple":
        return _put_tuple(shape, table), _get_tuple(shape, table)
    (only,) = table.members
    return _put_only(shape, only), _get_only(shape, only)


class _Into(Struct, frozen=True):
    """The destination of a value: expressions that make an object, an array or an unset value
    there, and a statement that assigns it.
    """

    object: str
    array: str
    variant: str
    assign: str


_VARIANT = _Into("v.to<JsonObject>()", "v.to<JsonArray>()", "v", "v.set({})")
_ITEM = _Into("t.createNestedObject()", "t.createNestedArray()", "slot(t)", "t.add({})")


def _keyed(into: str, key: str) -> _Into:
    return _Into(
        f"{into}.createNestedObject({key})",
        f"{into}.createNestedArray({key})",
        f"{into}[{key}].to<JsonVariant>()",
        f"{into}[{key}] = {{}}",
    )


def _put_field(shape: Shape, member: Member) -> str:
    into = _keyed("o", text(member.key))
    lines = _put(shape, member, into, f"m->{member.name}")
    there, null = f"m->has_{member.name}", into.assign.format("nullptr")
    if member.null and member.absent:
        return f"    if ({there} == 1) {{ {lines} }} else if ({there}) {null};"
    if member.null:
        return f"    if ({there} == 1) {{ {lines} }} else {null};"
    return f"    if ({there}) {{ {lines} }}" if member.absent else f"    {{ {lines} }}"


def _put_union(shape: Shape, table: Table) -> str:
    cases = [
        f"    case {index}: {_put(shape, member, _VARIANT, f'm->value.{member.name}')} break;"
        for index, member in enumerate(table.members, start=1)
    ]
    return "\n".join([f"    switch (m->{WHICH}) {{", *cases, "    }"])


def _put_tuple(shape: Shape, table: Table) -> str:
    lines = ["    JsonArray t = v.to<JsonArray>();"]
    for member in table.members:
        put = _put(shape, member, _ITEM, f"m->{member.name}")
        null = (
            f"if (m->has_{member.name} != 1) {_ITEM.assign.format('nullptr')}; else " if member.null else ""
        )
        lines.append(f"    {null}{{ {put} }}")
    return "\n".join(lines)


def _put_only(shape: Shape, member: Member) -> str:
    """The value of a wrapper structure: a list in a list, a null in a list, or a message that is
    not an object.
    """
    lines = _put(shape, member, _VARIANT, f"m->{member.name}")
    return (
        f"    if (m->has_{member.name} == 1) {{ {lines} }} else v.clear();" if member.null else f"    {lines}"
    )


def _put(shape: Shape, member: Member, into: _Into, place: str) -> str:
    kind = member.kind
    if not member.is_list:
        if isinstance(kind, Ref):
            is_record = shape.tables[kind.name].role == "record"
            return f"put_{kind.name}({into.object if is_record else into.variant}, &{place});"
        return into.assign.format(_plain(member, place)) + ";"
    loop = f"for (uint16_t i = 0; i < {place}_count; i++)"
    if not member.is_map:
        item = f"a.add({_plain(member, f'{place}[i]')});"
        if isinstance(kind, Ref):
            is_record = shape.tables[kind.name].role == "record"
            item = f"put_{kind.name}({'a.createNestedObject()' if is_record else 'slot(a)'}, &{place}[i]);"
        return f"JsonArray a = {into.array}; {loop} {item}"
    entry = _entry(shape, member)
    value = entry.members[1]
    into_entry = _keyed("n", "(const char *)e->key")
    inner = _put(shape, value, into_entry, "e->value")
    if value.null:
        inner = f"if (e->has_value == 1) {{ {inner} }} else {into_entry.assign.format('nullptr')};"
    return f"JsonObject n = {into.object}; {loop} {{ const {entry.name} *e = &{place}[i]; {inner} }}"


def _entry(shape: Shape, member: Member) -> Table:
    assert isinstance(member.kind, Ref)
    return shape.tables[member.kind.name]


def _plain(member: Member, place: str) -> str:
    return f"(const char *){place}" if isinstance(member.kind, String) else place


def _get_union(shape: Shape, table: Table) -> str:
    """The kind of the value selects the alternative. Of several lists or several objects, the first
    that can be read is taken.
    """
    tests = [_is_kind(shape, member) for member in table.members]
    lines = ["    if (wrong) return;"]
    for index, (member, (kind, more)) in enumerate(zip(table.members, tests, strict=True)):
        read = f"m->{WHICH} = {index + 1}; {_value(shape, member, 'v', f'm->value.{member.name}')}"
        is_last = all(kind != other for other, _ in tests[index + 1 :])
        end = "return;" if is_last else "if (!wrong) return; wrong = false;"
        lines.append(f"    if (v.is<{kind}>(){more}) {{ {read} {end} }}")
    return "\n".join([*lines, "    wrong = true;"])


def _is_kind(shape: Shape, member: Member) -> tuple[str, str]:
    """The type of a value in the library, and what else an alternative demands of it."""
    kind = member.kind
    if not isinstance(kind, Ref):
        return "const char *" if isinstance(kind, String) else c_type(member), ""
    table = shape.tables[kind.name]
    if table.role == "tuple":
        return "JsonArrayConst", f" && v.size() == {len(table.members)}"
    if table.role == "record":
        keys = [f"v.as<JsonObjectConst>().containsKey({text(m.key)})" for m in table.members]
        return "JsonObjectConst", f" && v.size() == {' + '.join(['0u', *keys])}"
    return "JsonObjectConst" if table.members[0].is_map else "JsonArrayConst", ""


def _get_tuple(shape: Shape, table: Table) -> str:
    lines = [
        f"    if (v.size() != {len(table.members)}) {{ wrong = true; return; }}",
        "    JsonArrayConst t = v;",
    ]
    for index, member in enumerate(table.members):
        lines.append(f"    {{ JsonVariantConst v = t[{index}];\n{_get_only(shape, member)} }}")
    return "\n".join(lines)


def _get_only(shape: Shape, member: Member) -> str:
    lines = _get(shape, member, f"m->{member.name}", f"m->{member.name}_count")
    there = f"m->has_{member.name}"
    if member.null:
        return f"    {there} = v.isNull() ? 2 : 1;\n    if ({there} == 1) {{ {lines} }}"
    return f"    {lines}"


def _get_field(shape: Shape, member: Member) -> str:
    variant = f"JsonVariantConst v = o[{text(member.key)}];"
    lines = _get(shape, member, f"m->{member.name}", f"m->{member.name}_count")
    there = f"m->has_{member.name}"
    if member.null and member.absent:
        state = f"{there} = !v.isNull() ? 1 : o.containsKey({text(member.key)}) ? 2 : 0;"
    elif member.null:
        state = f"{there} = v.isNull() ? 2 : 1;"
    else:
        state = f"{there} = !v.isNull();"
    if member.marked:
        return f"    {{ {variant} {state} if ({there} == 1) {{ {lines} }} }}"
    return f"    {{ {variant} {lines} }}"


def _get(shape: Shape, member: Member, place: str, count: str) -> str:
    if not member.is_list:
        return _value(shape, member, "v", place)
    guard = f"if ({count} == {max(member.count, 1)}) {{ wrong = true; break; }}"
    if not member.is_map:
        item = _value(shape, member, "x", f"{place}[{count}]")
        return (
            f"{count} = 0; for (JsonVariantConst x : v.as<JsonArrayConst>()) {{ {guard} {item} {count}++; }}"
        )
    entry = _entry(shape, member)
    key, value = entry.members
    inner = _get(shape, value, "e->value", "e->value_count")
    if value.null:
        inner = f"e->has_value = v.isNull() ? 2 : 1; if (e->has_value == 1) {{ {inner} }}"
    return (
        f"{count} = 0; for (JsonPairConst p : v.as<JsonObjectConst>()) {{ {guard} {entry.name} *e = &{place}[{count}]; "
        f"if (strlen(p.key().c_str()) > {key.size}) {{ wrong = true; break; }} strcpy(e->key, p.key().c_str()); "
        f"JsonVariantConst v = p.value(); {inner} {count}++; }}"
    )


def _value(shape: Shape, member: Member, variant: str, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        is_record = shape.tables[kind.name].role == "record"
        return f"get_{kind.name}({variant}{'.as<JsonObjectConst>()' if is_record else ''}, &{place});"
    if isinstance(kind, String):
        return f"take({variant}, {place}, {member.size});"
    assert isinstance(kind, Bool | Int | Float)
    return f"{place} = number<{c_type(member)}>({variant});"


def largest(messages: list[Any]) -> int:
    """An upper bound of the message size: compact JSON with 24 characters per float, and a NUL."""
    return (
        max(
            len(json.dumps(_widened(m), separators=(",", ":"), ensure_ascii=False).encode()) for m in messages
        )
        + 1
    )


def _widened(value: Any) -> Any:
    if isinstance(value, float):
        return "x" * 22
    if isinstance(value, list):
        return [_widened(item) for item in value]
    return {key: _widened(item) for key, item in value.items()} if isinstance(value, dict) else value
