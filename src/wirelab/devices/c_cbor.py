"""CBOR by tinycbor: its encoder, and its iterator with keys in any order."""

from __future__ import annotations

from wirelab.devices.shape import Member, Shape, Table, whole
from wirelab.devices.structs import text
from wirelab.model.schema import Base64, Bool, Float, Int, Ref, String, Timestamp
from wirelab.schema.emit.common import RANGES

FILES = ("src/cborencoder.c", "src/cborparser.c")
OPTIONS = ("-DCBOR_NO_FLOATING_POINT_HELPERS", "-DNDEBUG")

_NARROW = """#if __SIZEOF_DOUBLE__ == 4
/* double has 32 bits on this chip: numbers are written as the 32-bit ones they are. */
static CborError encode_double(CborEncoder *e, double value) { return cbor_encode_float(e, value); }
#define wl_cbor_double wl_cbor_float
#else
#define encode_double cbor_encode_double
#endif
"""


def functions(shape: Shape) -> str:
    """`put` and `get` for every structure, and the contract's two functions."""
    blocks = ['#include "wl_cbor.h"\n', _NARROW, "static int wrong;\n"]
    for table in shape.tables.values():
        if table.role != "entry":
            blocks += [_put_table(shape, table), _get_table(shape, table)]
    return (
        "\n".join(blocks)
        + f"""
unsigned wl_serialize(void) {{
    CborEncoder e;
    wrong = 0;
    cbor_encoder_init(&e, wl_buffer, sizeof wl_buffer, 0);
    put_{shape.root}(&e, &wl_message);
    return wrong ? 0 : (unsigned)cbor_encoder_get_buffer_size(&e, wl_buffer);
}}

bool wl_deserialize(unsigned length) {{
    CborParser parser;
    CborValue it;
    wl_cbor_error = cbor_parser_init(wl_buffer, length, 0, &parser, &it);
    if (!wl_cbor_error) get_{shape.root}(&it, &wl_message);
    return !wl_cbor_error;
}}
"""
    )


def _put_table(shape: Shape, table: Table) -> str:
    if table.role != "record":
        body = _put_marked(shape, table.members[0])
    else:
        fixed = sum(not m.absent for m in table.members)
        count = " + ".join([str(fixed), *(f"(m->has_{m.name} != 0)" for m in table.members if m.absent)])
        body = _container("map", count, "\n".join(_put_field(shape, m) for m in table.members))
    return (
        f"static void put_{table.name}(CborEncoder *e, const {table.name} *m) {{\n    (void)m;\n{body}\n}}\n"
    )


def _container(kind: str, count: str, content: str) -> str:
    return (
        f"    {{\n    CborEncoder *outer = e;\n    CborEncoder inner, *e = &inner;\n"
        f"    wrong |= cbor_encoder_create_{kind}(outer, e, {count});\n{content}\n"
        "    wrong |= cbor_encoder_close_container(outer, e);\n    }"
    )


def _put_field(shape: Shape, member: Member) -> str:
    key = f"    wrong |= cbor_encode_text_string(e, {text(member.key)}, {len(member.key.encode())});\n"
    lines = key + _put_marked(shape, member)
    return f"    if (m->has_{member.name}) {{\n{lines}\n    }}" if member.absent else lines


def _put_marked(shape: Shape, member: Member) -> str:
    lines = _put_member(shape, member)
    if member.null:
        return (
            f"    if (m->has_{member.name} != 1) wrong |= cbor_encode_null(e);\n    else {{\n{lines}\n    }}"
        )
    return lines


def _put_member(shape: Shape, member: Member) -> str:
    place = f"m->{member.name}"
    if not member.is_list:
        return f"    {_put_value(member, place)}"
    loop = f"    for (uint16_t i = 0; i < {place}_count; i++)"
    if not member.is_map:
        return _container("array", f"{place}_count", f"{loop} {_put_value(member, f'{place}[i]')}")
    entry = _entry(shape, member)
    value = _put_marked(shape, entry.members[1])
    content = (
        f"{loop} {{\n    const {entry.name} *entry = &{place}[i];\n"
        "    wrong |= cbor_encode_text_stringz(e, entry->key);\n"
        f"    {{ const {entry.name} *m = entry;\n{value}\n    }}\n    }}"
    )
    return _container("map", f"{place}_count", content)


def _entry(shape: Shape, member: Member) -> Table:
    assert isinstance(member.kind, Ref)
    return shape.tables[member.kind.name]


def _put_value(member: Member, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return f"put_{kind.name}(e, &{place});"
    if isinstance(kind, String):
        return f"wrong |= cbor_encode_text_stringz(e, {place});"
    if isinstance(kind, Base64):
        return f"wrong |= cbor_encode_byte_string(e, {place}.bytes, {place}.size);"
    if isinstance(kind, Bool):
        return f"wrong |= cbor_encode_boolean(e, {place});"
    if isinstance(kind, Float):
        return f"wrong |= {'encode_double' if kind.bits == 64 else 'cbor_encode_float'}(e, {place});"
    assert isinstance(kind, Int | Timestamp)
    return f"wrong |= cbor_encode_{'uint' if whole(kind)[0] == 'u' else 'int'}(e, {place});"


def _get_table(shape: Shape, table: Table) -> str:
    head = f"static void get_{table.name}(CborValue *e, {table.name} *m) {{\n    (void)m;\n"
    if table.role != "record":
        return f"{head}{_get_marked(shape, table.members[0])}\n}}\n"
    if not table.members:
        return f"{head}{_enter('true', '    if (wl_cbor_more(e)) wl_cbor_error = CborErrorImproperValue;')}\n}}\n"
    count, longest = len(table.members), max(len(m.key.encode()) for m in table.members)
    keys = ", ".join(text(m.key) for m in table.members)
    absent = "".join(f"    m->has_{m.name} = 0;\n" for m in table.members if m.absent)
    cases = "".join(
        f"    case {i}:\n    found[{i}] = true;\n{_get_marked(shape, m)}\n        break;\n"
        for i, m in enumerate(table.members)
    )
    needed = " && ".join(f"found[{i}]" for i, m in enumerate(table.members) if not m.absent) or "true"
    loop = (
        f"    while (wl_cbor_more(e)) switch (wl_cbor_key(e, key, {longest}, keys_{table.name}, {count})) {{\n{cases}"
        f"    default: break;\n    }}"
    )
    return (
        f"static const char *const keys_{table.name}[] = {{{keys}}};\n\n{head}"
        f"    bool found[{count}] = {{false}};\n    char key[{longest + 1}];\n{absent}{_enter('true', loop)}\n"
        f"    if (!({needed}) && !wl_cbor_error) wl_cbor_error = CborErrorImproperValue;\n}}\n"
    )


def _enter(is_map: str, content: str) -> str:
    return (
        "    {\n    CborValue *outer = e;\n    CborValue inner, *e = &inner;\n"
        f"    wl_cbor_enter(outer, e, {is_map});\n{content}\n    wl_cbor_leave(outer, e);\n    }}"
    )


def _get_marked(shape: Shape, member: Member) -> str:
    lines = _get_member(shape, member)
    there = f"    m->has_{member.name} = 1;\n" if member.marked else ""
    if member.null:
        return f"    if (wl_cbor_null(e)) m->has_{member.name} = 2;\n    else {{\n{there}{lines}\n    }}"
    return there + lines


def _get_member(shape: Shape, member: Member) -> str:
    place = f"m->{member.name}"
    if not member.is_list:
        return f"    {_get_value(member, place)}"
    limit = max(member.count, 1)
    guard = f"    if ({place}_count == {limit}) {{ wl_cbor_error = CborErrorImproperValue; break; }}\n"
    if not member.is_map:
        content = (
            f"    for ({place}_count = 0; wl_cbor_more(e); {place}_count++) {{\n{guard}"
            f"    {_get_value(member, f'{place}[{place}_count]')}\n    }}"
        )
        return _enter("false", content)
    entry = _entry(shape, member)
    key, value = entry.members
    content = (
        f"    for ({place}_count = 0; wl_cbor_more(e); {place}_count++) {{\n{guard}"
        f"    {entry.name} *entry = &{place}[{place}_count];\n    wl_cbor_text(e, entry->key, {key.size});\n"
        f"    {{ {entry.name} *m = entry;\n{_get_marked(shape, value)}\n    }}\n    }}"
    )
    return _enter("true", content)


def _get_value(member: Member, place: str) -> str:  # noqa: PLR0911  (one return per type reads best)
    kind = member.kind
    if isinstance(kind, Ref):
        return f"get_{kind.name}(e, &{place});"
    if isinstance(kind, String):
        return f"wl_cbor_text(e, {place}, {member.size});"
    if isinstance(kind, Base64):
        return f"{place}.size = wl_cbor_bytes(e, {place}.bytes, {max(member.size, 1)});"
    if isinstance(kind, Bool):
        return f"{place} = wl_cbor_bool(e);"
    if isinstance(kind, Float):
        return f"{place} = {'wl_cbor_double' if kind.bits == 64 else 'wl_cbor_float'}(e);"
    assert isinstance(kind, Int | Timestamp)
    name = whole(kind)
    low, high = RANGES[name]
    if name[0] == "u":
        return f"{place} = ({'uint32_t' if name == 'u32' else 'uint64_t'})wl_cbor_u64(e, {high}ULL);"
    return (
        f"{place} = ({'int32_t' if name == 'i32' else 'int64_t'})wl_cbor_i64(e, {low + 1}LL - 1, {high}LL);"
    )
