"""MessagePack by MPack: its writer, and its `expect` reader with keys in any order."""

from __future__ import annotations

from wirelab.devices.shape import Member, Shape, Table, whole
from wirelab.devices.structs import text
from wirelab.model.schema import Base64, Bool, Float, Int, Ref, String, Timestamp

FILES = (
    "mpack/mpack-platform.c",
    "mpack/mpack-common.c",
    "mpack/mpack-writer.c",
    "mpack/mpack-reader.c",
    "mpack/mpack-expect.c",
)
OPTIONS = (
    "-DMPACK_STDLIB=0", "-DMPACK_STDIO=0", "-DMPACK_NODE=0", "-DMPACK_BUILDER=0", "-DMPACK_DEBUG=0",
    "-DMPACK_STRINGS=0", "-DMPACK_COMPATIBILITY=0", "-DMPACK_EXTENSIONS=0",
    "-DMPACK_WRITER=1", "-DMPACK_READER=1", "-DMPACK_EXPECT=1", "-DMPACK_WRITE_TRACKING=0", "-DMPACK_READ_TRACKING=0",
)  # fmt: skip
"""No heap, no files, no debugging: the reader and writer over one buffer."""

NARROW_DOUBLE = "-DMPACK_DOUBLE=0"
_NARROW = """#if __SIZEOF_DOUBLE__ == 4
/* double has 32 bits on this chip: numbers are written as the 32-bit ones they are. */
#define mpack_write_double mpack_write_float
#define mpack_expect_double mpack_expect_float
#endif
"""


def functions(shape: Shape) -> str:
    """`put` and `get` for every structure, and the contract's two functions."""
    blocks = ['#include "mpack/mpack.h"\n', _NARROW]
    for table in shape.tables.values():
        if table.role != "entry":
            blocks += [_put_table(shape, table), _get_table(shape, table)]
    return (
        "\n".join(blocks)
        + f"""
unsigned wl_serialize(void) {{
    mpack_writer_t w;
    mpack_writer_init(&w, (char *)wl_buffer, sizeof wl_buffer);
    put_{shape.root}(&w, &wl_message);
    size_t used = mpack_writer_buffer_used(&w);
    return mpack_writer_destroy(&w) == mpack_ok ? (unsigned)used : 0;
}}

bool wl_deserialize(unsigned length) {{
    mpack_reader_t r;
    mpack_reader_init_data(&r, (const char *)wl_buffer, length);
    get_{shape.root}(&r, &wl_message);
    return mpack_reader_destroy(&r) == mpack_ok;
}}
"""
    )


def _put_table(shape: Shape, table: Table) -> str:
    if table.role != "record":
        body = _put_marked(shape, table.members[0])
    else:
        fixed = sum(not m.absent for m in table.members)
        count = " + ".join([str(fixed), *(f"(m->has_{m.name} != 0)" for m in table.members if m.absent)])
        fields = "\n".join(_put_field(shape, m) for m in table.members)
        body = f"    mpack_start_map(w, {count});\n{fields}\n    mpack_finish_map(w);"
    return f"static void put_{table.name}(mpack_writer_t *w, const {table.name} *m) {{\n    (void)m;\n{body}\n}}\n"


def _put_field(shape: Shape, member: Member) -> str:
    key = f"    mpack_write_str(w, {text(member.key)}, {len(member.key.encode())});\n"
    lines = key + _put_marked(shape, member)
    return f"    if (m->has_{member.name}) {{\n{lines}\n    }}" if member.absent else lines


def _put_marked(shape: Shape, member: Member) -> str:
    lines = _put_member(shape, member, "m->")
    if member.null:
        return f"    if (m->has_{member.name} != 1) mpack_write_nil(w);\n    else {{\n{lines}\n    }}"
    return lines


def _put_member(shape: Shape, member: Member, base: str) -> str:
    place = f"{base}{member.name}"
    if not member.is_list:
        return f"    {_put_value(member, place)}"
    loop = f"    for (uint16_t i = 0; i < {place}_count; i++)"
    if not member.is_map:
        return (
            f"    mpack_start_array(w, {place}_count);\n{loop} {_put_value(member, f'{place}[i]')}\n"
            "    mpack_finish_array(w);"
        )
    entry = _entry(shape, member)
    value = _put_marked(shape, entry.members[1])
    return (
        f"    mpack_start_map(w, {place}_count);\n{loop} {{\n"
        f"    const {entry.name} *e = &{place}[i];\n    mpack_write_cstr(w, e->key);\n"
        f"    {{ const {entry.name} *m = e;\n{value}\n    }}\n    }}\n    mpack_finish_map(w);"
    )


def _entry(shape: Shape, member: Member) -> Table:
    assert isinstance(member.kind, Ref)
    return shape.tables[member.kind.name]


def _put_value(member: Member, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return f"put_{kind.name}(w, &{place});"
    if isinstance(kind, String):
        return f"mpack_write_cstr(w, {place});"
    if isinstance(kind, Base64):
        return f"mpack_write_bin(w, (const char *){place}.bytes, {place}.size);"
    return f"mpack_write_{_scalar(kind)}(w, {place});"


def _scalar(kind: object) -> str:
    if isinstance(kind, Bool):
        return "bool"
    if isinstance(kind, Float):
        return "double" if kind.bits == 64 else "float"
    assert isinstance(kind, Int | Timestamp)
    return whole(kind)


def _get_table(shape: Shape, table: Table) -> str:
    head = f"static void get_{table.name}(mpack_reader_t *r, {table.name} *m) {{\n    (void)m;\n"
    if table.role != "record":
        return f"{head}{_get_marked(shape, table.members[0])}\n}}\n"
    count = len(table.members)
    if not count:
        return f"{head}    mpack_expect_map_match(r, 0);\n    mpack_done_map(r);\n}}\n"
    keys = ", ".join(text(m.key) for m in table.members)
    absent = "".join(f"    m->has_{m.name} = 0;\n" for m in table.members if m.absent)
    cases = "".join(
        f"    case {i}:\n{_get_marked(shape, m)}\n        break;\n" for i, m in enumerate(table.members)
    )
    needed = " && ".join(f"found[{i}]" for i, m in enumerate(table.members) if not m.absent) or "true"
    return (
        f"static const char *const keys_{table.name}[] = {{{keys}}};\n\n{head}"
        f"    bool found[{count}] = {{false}};\n{absent}"
        f"    for (uint32_t left = mpack_expect_map_max(r, {count}); left && mpack_reader_error(r) == mpack_ok; left--)\n"
        f"    switch (mpack_expect_key_cstr(r, keys_{table.name}, found, {count})) {{\n{cases}"
        f"    default: mpack_reader_flag_error(r, mpack_error_data);\n    }}\n    mpack_done_map(r);\n"
        f"    if (!({needed})) mpack_reader_flag_error(r, mpack_error_data);\n}}\n"
    )


def _get_marked(shape: Shape, member: Member) -> str:
    lines = _get_member(shape, member, "m->")
    there = f"    m->has_{member.name} = 1;\n" if member.marked else ""
    if member.null:
        nil = f"{{ mpack_expect_nil(r); m->has_{member.name} = 2; }}"
        return f"    if (mpack_peek_tag(r).type == mpack_type_nil) {nil}\n    else {{\n{there}{lines}\n    }}"
    return there + lines


def _get_member(shape: Shape, member: Member, base: str) -> str:
    place = f"{base}{member.name}"
    limit = max(member.count, 1)
    if not member.is_list:
        return f"    {_get_value(member, place)}"
    loop = f"    for (uint16_t i = 0; i < {place}_count && mpack_reader_error(r) == mpack_ok; i++)"
    if not member.is_map:
        return (
            f"    {place}_count = mpack_expect_array_max(r, {limit});\n{loop} {_get_value(member, f'{place}[i]')}\n"
            "    mpack_done_array(r);"
        )
    entry = _entry(shape, member)
    key, value = entry.members
    return (
        f"    {place}_count = mpack_expect_map_max(r, {limit});\n{loop} {{\n    {entry.name} *e = &{place}[i];\n"
        f"    mpack_expect_cstr(r, e->key, {key.size + 1});\n"
        f"    {{ {entry.name} *m = e;\n{_get_marked(shape, value)}\n    }}\n    }}\n    mpack_done_map(r);"
    )


def _get_value(member: Member, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return f"get_{kind.name}(r, &{place});"
    if isinstance(kind, String):
        return f"mpack_expect_cstr(r, {place}, {member.size + 1});"
    if isinstance(kind, Base64):
        size = max(member.size, 1)
        return f"{place}.size = mpack_expect_bin_buf(r, (char *){place}.bytes, {size});"
    return f"{place} = mpack_expect_{_scalar(kind)}(r);"
