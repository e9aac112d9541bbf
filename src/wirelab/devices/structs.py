"""The structures in C, the messages as initialisers, and the checksum over every value."""

from __future__ import annotations

import struct
from typing import Any

from wirelab.devices.c_layout import WHICH, Member, Shape, Table, c_type
from wirelab.model.schema import Base64, Bool, Float, Int, Ref, String, Timestamp


def declarations(shape: Shape) -> str:
    """The structures, with nanopb's field names: `x`, `has_x` (1 present, 2 null), `x_count`."""
    blocks = []
    for table in shape.tables.values():
        lines = [line for member in table.members for line in _declare(member)] or ["char empty;"]
        if table.role == "union":
            lines = [f"uint16_t {WHICH};", "union {", *(f"    {line}" for line in lines), "} value;"]
        blocks.append(
            f"typedef struct {{\n    {chr(10).join(lines).replace(chr(10), chr(10) + '    ')}\n}} {table.name};\n"
        )
    return "\n".join(blocks)


def _declare(member: Member) -> list[str]:
    head = [f"uint8_t has_{member.name};"] if member.marked else []
    many = f"[{max(member.count, 1)}]" if member.is_list else ""
    if member.is_list:
        head.append(f"uint16_t {member.name}_count;")
    if isinstance(member.kind, String):
        return [*head, f"char {member.name}{many}[{member.size + 1}];"]
    if isinstance(member.kind, Base64):
        return [
            *head,
            f"struct {{ uint16_t size; uint8_t bytes[{max(member.size, 1)}]; }} {member.name}{many};",
        ]
    return [*head, f"{c_type(member)} {member.name}{many};"]


def initialiser(shape: Shape, table: Table, value: dict[str, Any], nanopb: bool) -> str:
    """A message as a C initialiser of its structure."""
    if table.role == "union":
        member = table.members[value[WHICH] - 1]
        literal = _literal(shape, member, value[member.name], nanopb)
        return f"{{.{WHICH} = {value[WHICH]}, .value = {{.{member.name} = {literal}}}}}"
    parts = []
    for member in table.members:
        parts += _initialise(shape, member, value, nanopb)
    return "{" + ", ".join(parts) + "}"


def _initialise(shape: Shape, member: Member, value: dict[str, Any], nanopb: bool) -> list[str]:
    content = value.get(member.name)
    name, parts = member.name, []
    if nanopb and not member.is_list and (member.marked or isinstance(member.kind, Ref)):
        parts.append(f".has_{name} = {'true' if content is not None else 'false'}")
    elif not nanopb and member.marked:
        parts.append(f".has_{name} = {1 if content is not None else 2 if name in value else 0}")
    if content is None:
        return parts
    if member.is_list:
        items = ", ".join(_literal(shape, member, item, nanopb) for item in content)
        return [*parts, f".{name}_count = {len(content)}", *([f".{name} = {{{items}}}"] if content else [])]
    return [*parts, f".{name} = {_literal(shape, member, content, nanopb)}"]


def _literal(shape: Shape, member: Member, value: Any, nanopb: bool) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return initialiser(shape, shape.tables[kind.name], value, nanopb)
    if isinstance(kind, Bool):
        return "true" if value else "false"
    if isinstance(kind, Int | Timestamp):
        return _integer(value)
    if isinstance(kind, Float):
        return f"{float(value)!r}" if kind.bits == 64 else f"{_float32(value)!r}f"
    if isinstance(kind, Base64):
        return f"{{{len(value)}, {{{', '.join(map(str, value)) or '0'}}}}}"
    return text(value)


def _integer(value: int) -> str:
    if value == -(2**63):
        return "(-9223372036854775807LL - 1)"
    return f"{value}ULL" if value >= 2**63 else f"{value}LL" if abs(value) >= 2**31 else f"{value}L"


def _float32(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def text(value: str) -> str:
    """A C string literal."""
    return '"' + "".join(_character(byte) for byte in value.encode()) + '"'


def _character(byte: int) -> str:
    plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
    return chr(byte) if plain else f"\\{byte:03o}"


def fold_functions(shape: Shape, nanopb: bool, null_is_absent: bool) -> str:
    """`wl_fold`: FNV-1a over all values but floats, with presence and lengths.

    `wl_fold_floats`: floats.
    """
    blocks = [_FNV]
    for table in shape.tables.values():
        if table.role == "union":
            lines = _fold_union(table)
        else:
            lines = [line for m in table.members for line in _fold(m, nanopb, null_is_absent)]
        body = "\n    ".join(lines or ["(void)m;"])
        blocks.append(f"static void fold_{table.name}(const {table.name} *m) {{\n    {body}\n}}\n")
    blocks.append(
        f"uint32_t wl_fold(void) {{\n    hash = floats = 2166136261u;\n    fold_{shape.root}(wl_subject);\n"
        "    return hash;\n}\n\nuint32_t wl_fold_floats(void) { return floats; }\n"
    )
    return "\n".join(blocks)


_FNV = """static uint32_t hash, floats;

static void fold_into(uint32_t *sum, const void *at, unsigned size) {
    const uint8_t *bytes = at;
    while (size--) *sum = (*sum ^ *bytes++) * 16777619u;
}

#define fold(at, size) fold_into(&hash, at, size)
#define FOLD(value) fold(&(value), sizeof(value))
#define FOLD_FLOAT(value) fold_into(&floats, &(value), sizeof(value))
"""


def _fold(member: Member, nanopb: bool, null_is_absent: bool) -> list[str]:
    name = member.name
    if member.is_list:
        one = _fold_value(member, f"m->{name}[i]")
        loop = [f"FOLD(m->{name}_count);", f"for (unsigned i = 0; i < m->{name}_count; i++) {one}"]
        if nanopb or not member.marked:
            return loop
        return [_presence(name, null_is_absent), f"if (m->has_{name} == 1) {{", *loop, "}"]
    one = _fold_value(member, f"m->{name}")
    if member.marked or (nanopb and isinstance(member.kind, Ref)):
        return [_presence(name, null_is_absent), f"if (m->has_{name} == 1) {one}"]
    return [one]


def _fold_union(table: Table) -> list[str]:
    cases = [
        f"case {index}: {_fold_value(member, f'm->value.{member.name}')} break;"
        for index, member in enumerate(table.members, start=1)
    ]
    return [f"uint16_t which = m->{WHICH};", "FOLD(which);", "switch (which) {", *cases, "}"]


def _presence(name: str, null_is_absent: bool) -> str:
    if null_is_absent:
        return f"{{ uint8_t there = m->has_{name} == 1; FOLD(there); }}"
    return f"FOLD(m->has_{name});"


def _fold_value(member: Member, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return f"fold_{kind.name}(&{place});"
    if isinstance(kind, String):
        return f"fold({place}, strlen({place}) + 1);"
    if isinstance(kind, Base64):
        return f"{{ FOLD({place}.size); fold({place}.bytes, {place}.size); }}"
    return f"FOLD_FLOAT({place});" if isinstance(kind, Float) else f"FOLD({place});"


def messages_part(shape: Shape, nanopb: bool, null_is_absent: bool) -> str:
    """The C file with the messages: load, clear, fold.

    Its size cancels out: it is in the baseline too.
    """
    rows = ",\n    ".join(initialiser(shape, shape.top, m, nanopb) for m in shape.messages)
    return f"""#include <string.h>
#include "message.h"
#include "wirelab.h"
#ifdef __AVR__
#include <avr/pgmspace.h>
#else
#define PROGMEM
#define memcpy_P memcpy
#endif

static const {shape.root} messages[] PROGMEM = {{
    {rows}}};
const uint8_t wl_messages = {len(shape.messages)};

void wl_load(uint8_t index) {{ memcpy_P(wl_subject, &messages[index], sizeof *wl_subject); }}
void wl_clear(void) {{ memset(wl_subject, 0x5A, sizeof *wl_subject); }}

{fold_functions(shape, nanopb, null_is_absent)}"""
