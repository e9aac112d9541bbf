"""JSON by ArduinoJson, release 6 or 7 (C++): a document built, written, read, and its values taken."""

from __future__ import annotations

import json
from typing import Any

from wirelab.devices.shape import Member, Shape, Table, c_type, whole
from wirelab.devices.structs import text
from wirelab.model.schema import Bool, Float, Int, Ref, String

OPTIONS = (
    "-DARDUINOJSON_ENABLE_STD_STRING=0", "-DARDUINOJSON_ENABLE_STD_STREAM=0", "-DARDUINOJSON_ENABLE_ARDUINO_STRING=0",
    "-DARDUINOJSON_ENABLE_STRING_VIEW=0", "-DARDUINOJSON_ENABLE_ARDUINO_STREAM=0", "-DARDUINOJSON_ENABLE_ARDUINO_PRINT=0",
    "-DARDUINOJSON_ENABLE_PROGMEM=0", "-Wno-deprecated-declarations",
)  # fmt: skip
PRELUDE = """#include "wl_arena.h"
#include <ArduinoJson.h>

#if ARDUINOJSON_VERSION_MAJOR >= 7
static wl_arena_allocator allocator;
#define DOCUMENT(name) wl_arena_reset(); JsonDocument name(&allocator)
#else
#define DOCUMENT(name) wl_arena_reset(); BasicJsonDocument<wl_arena_allocator> name(WL_ARENA - 16)
#endif

static bool wrong;

static void take(JsonVariantConst from, char *to, size_t limit) {
    const char *text = from.as<const char *>();
    if (!text || strlen(text) > limit) { wrong = true; to[0] = 0; }
    else strcpy(to, text);
}

template <typename T>
static T number(JsonVariantConst from) {
    if (!from.is<T>()) wrong = true;
    return from.as<T>();
}
"""


def functions(shape: Shape) -> str:
    """`put` and `get` for every structure, and the contract's two functions."""
    blocks = [PRELUDE]
    for table in shape.tables.values():
        if table.role == "record":
            puts = "\n".join(_put_field(shape, m) for m in table.members)
            gets = "\n".join(_get_field(shape, m) for m in table.members)
            blocks.append(
                f"static void put_{table.name}(JsonObject o, const {table.name} *m) {{\n    (void)o, (void)m;\n{puts}\n}}\n"
            )
            blocks.append(
                f"static void get_{table.name}(JsonObjectConst o, {table.name} *m) {{\n    (void)o, (void)m;\n{gets}\n}}\n"
            )
    root = shape.top
    put, get = (
        f"put_{root.name}(d.to<JsonObject>(), &wl_message);",
        f"get_{root.name}(d.as<JsonObjectConst>(), &wl_message);",
    )
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
    """The library's settings: 64-bit numbers only where the schema has any, and where the chip's `double` is one."""
    kinds = [member.kind for table in shape.tables.values() for member in table.members]
    wide_float = double_bits == 64 and any(isinstance(kind, Float) and kind.bits == 64 for kind in kinds)
    wide_int = any(isinstance(kind, Int) and whole(kind) in ("u64", "i64") for kind in kinds)
    return (*OPTIONS, f"-DARDUINOJSON_USE_DOUBLE={wide_float:d}", f"-DARDUINOJSON_USE_LONG_LONG={wide_int:d}")


def supported(shape: Shape) -> str:
    """Why a shape cannot be carried by this generator; empty if it can."""
    for table in shape.tables.values():
        if table.role in ("root", "wrapper"):
            return "a list in a list, a null in a list, or a message that is no object"
    return ""


def _put_field(shape: Shape, member: Member) -> str:
    lines = _put(shape, member, "o", text(member.key), f"m->{member.name}", f"m->{member.name}_count")
    there = f"m->has_{member.name}"
    if member.null and member.absent:
        return f"    if ({there} == 1) {{ {lines} }} else if ({there}) o[{text(member.key)}] = nullptr;"
    if member.null:
        return f"    if ({there} == 1) {{ {lines} }} else o[{text(member.key)}] = nullptr;"
    return f"    if ({there}) {{ {lines} }}" if member.absent else f"    {{ {lines} }}"


def _put(shape: Shape, member: Member, into: str, key: str, place: str, count: str) -> str:
    if not member.is_list:
        if isinstance(member.kind, Ref):
            return f"put_{member.kind.name}({into}.createNestedObject({key}), &{place});"
        return f"{into}[{key}] = {_plain(member, place)};"
    loop = f"for (uint16_t i = 0; i < {count}; i++)"
    if not member.is_map:
        item = (
            f"put_{member.kind.name}(a.createNestedObject(), &{place}[i]);"
            if isinstance(member.kind, Ref)
            else f"a.add({_plain(member, f'{place}[i]')});"
        )
        return f"JsonArray a = {into}.createNestedArray({key}); {loop} {item}"
    entry = _entry(shape, member)
    value = entry.members[1]
    inner = _put(shape, value, "n", "(const char *)e->key", "e->value", "e->value_count")
    if value.null:
        inner = f"if (e->has_value == 1) {{ {inner} }} else n[(const char *)e->key] = nullptr;"
    return f"JsonObject n = {into}.createNestedObject({key}); {loop} {{ const {entry.name} *e = &{place}[i]; {inner} }}"


def _entry(shape: Shape, member: Member) -> Table:
    assert isinstance(member.kind, Ref)
    return shape.tables[member.kind.name]


def _plain(member: Member, place: str) -> str:
    return f"(const char *){place}" if isinstance(member.kind, String) else place


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
        return _value(member, "v", place)
    guard = f"if ({count} == {max(member.count, 1)}) {{ wrong = true; break; }}"
    if not member.is_map:
        item = _value(member, "x", f"{place}[{count}]")
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


def _value(member: Member, variant: str, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return f"get_{kind.name}({variant}.as<JsonObjectConst>(), &{place});"
    if isinstance(kind, String):
        return f"take({variant}, {place}, {member.size});"
    assert isinstance(kind, Bool | Int | Float)
    return f"{place} = number<{c_type(member)}>({variant});"


def largest(messages: list[Any]) -> int:
    """Bytes that every message fits in: its compact JSON, with 24 characters for each float, and a NUL."""
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
