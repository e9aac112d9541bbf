"""MessagePack by MPack: its writer, and its `expect` reader with keys in any order."""

from __future__ import annotations

from collections.abc import Callable

from wirelab.devices.c_layout import Member, Shape, Table, whole
from wirelab.devices.c_map_formats import Keyed, Kind
from wirelab.model.schema import Base64, Bool, Float, Int, String, Timestamp

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
    blocks = ['#include "mpack/mpack.h"\n', _NARROW, *_MPack().functions(shape)]
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


class _MPack(Keyed):
    """`w` is the writer, `r` the reader. Both keep their first error."""

    writer, out = "mpack_writer_t *w", "w"
    reader, into = "mpack_reader_t *r", "r"
    put_null = "mpack_write_nil(w);"
    is_null = "mpack_peek_tag(r).type == mpack_type_nil"
    take_null = "mpack_expect_nil(r); "
    failed, fail = "mpack_reader_error(r) != mpack_ok", "mpack_reader_flag_error(r, mpack_error_type);"

    def put_key(self, key: str, length: int) -> str:
        return f"mpack_write_str(w, {key}, {length});"

    def put_text(self, place: str) -> str:
        return f"mpack_write_cstr(w, {place});"

    def put_container(self, kind: str, count: str, content: str) -> str:
        return f"    mpack_start_{kind}(w, {count});\n{content}\n    mpack_finish_{kind}(w);"

    def put_value(self, member: Member, place: str) -> str:
        if isinstance(member.kind, String):
            return self.put_text(place)
        if isinstance(member.kind, Base64):
            return f"mpack_write_bin(w, (const char *){place}.bytes, {place}.size);"
        return f"mpack_write_{_scalar(member.kind)}(w, {place});"

    def get_record(self, table: Table, cases: list[str], needed: str) -> str:
        told = "".join(f"    case {i}:\n{case}\n        break;\n" for i, case in enumerate(cases))
        return (
            f"    for (uint32_t left = mpack_expect_map_max(r, {len(cases)}); left && mpack_reader_error(r) == mpack_ok; left--)\n"
            f"    switch (mpack_expect_key_cstr(r, keys_{table.name}, found, {len(cases)})) {{\n{told}"
            f"    default: mpack_reader_flag_error(r, mpack_error_data);\n    }}\n    mpack_done_map(r);\n"
            f"    if (!({needed})) mpack_reader_flag_error(r, mpack_error_data);"
        )

    def get_empty(self) -> str:
        return "    mpack_expect_map_match(r, 0);\n    mpack_done_map(r);"

    def get_tuple(self, items: list[str]) -> str:
        content = "\n".join(items)
        return f"    mpack_expect_array_match(r, {len(items)});\n{content}\n    mpack_done_array(r);"

    def is_kind(self, kind: Kind, count: int) -> str:
        tag = "mpack_peek_tag(r)"
        if kind == "int":
            return f"{tag}.type == mpack_type_int || {tag}.type == mpack_type_uint"
        if kind == "float":
            return f"{tag}.type == mpack_type_double || {tag}.type == mpack_type_float"
        names = {"text": "str", "bytes": "bin"}
        length = f" && {tag}.v.n == {count}" if count else ""
        return f"{tag}.type == mpack_type_{names.get(kind, kind)}{length}"

    def attempt(self, lines: str) -> str:
        return (
            f"mpack_reader_t start = *r; {lines} if (mpack_reader_error(r) == mpack_ok) return; *r = start;"
        )

    def get_array(self, place: str, limit: int, item: Callable[[str], str]) -> str:
        return (
            f"    {place}_count = mpack_expect_array_max(r, {limit});\n{_each(place)} {item('i')}\n"
            "    mpack_done_array(r);"
        )

    def get_map(self, place: str, limit: int, entry: str, key_size: int, value: str) -> str:
        return (
            f"    {place}_count = mpack_expect_map_max(r, {limit});\n{_each(place)} {{\n    {entry} *entry = &{place}[i];\n"
            f"    mpack_expect_cstr(r, entry->key, {key_size + 1});\n"
            f"    {{ {entry} *m = entry;\n{value}\n    }}\n    }}\n    mpack_done_map(r);"
        )

    def get_value(self, member: Member, place: str) -> str:
        if isinstance(member.kind, String):
            return f"mpack_expect_cstr(r, {place}, {member.size + 1});"
        if isinstance(member.kind, Base64):
            size = max(member.size, 1)
            return f"{place}.size = mpack_expect_bin_buf(r, (char *){place}.bytes, {size});"
        return f"{place} = mpack_expect_{_scalar(member.kind)}(r);"


def _each(place: str) -> str:
    return f"    for (uint16_t i = 0; i < {place}_count && mpack_reader_error(r) == mpack_ok; i++)"


def _scalar(kind: object) -> str:
    if isinstance(kind, Bool):
        return "bool"
    if isinstance(kind, Float):
        return "double" if kind.bits == 64 else "float"
    assert isinstance(kind, Int | Timestamp)
    return whole(kind)
