"""CBOR by tinycbor: its encoder, and its iterator with keys in any order."""

from __future__ import annotations

from collections.abc import Callable

from wirelab.devices.c_layout import Member, Shape, Table, whole
from wirelab.devices.c_map_formats import Keyed, Kind
from wirelab.model.schema import Base64, Bool, Float, Int, String, Timestamp
from wirelab.schema.emitters.common import RANGES

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
    blocks = ['#include "wl_cbor.h"\n', _NARROW, "static int wrong;\n", *_TinyCbor().functions(shape)]
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


class _TinyCbor(Keyed):
    """`e` is an encoder or an iterator. Inside a container it is another one."""

    writer, out = "CborEncoder *e", "e"
    reader, into = "CborValue *e", "e"
    put_null = "wrong |= cbor_encode_null(e);"
    is_null = "wl_cbor_null(e)"
    failed, fail = "wl_cbor_error", "wl_cbor_error = CborErrorImproperValue;"

    def put_key(self, key: str, length: int) -> str:
        return f"wrong |= cbor_encode_text_string(e, {key}, {length});"

    def put_text(self, place: str) -> str:
        return f"wrong |= cbor_encode_text_stringz(e, {place});"

    def put_container(self, kind: str, count: str, content: str) -> str:
        return (
            f"    {{\n    CborEncoder *outer = e;\n    CborEncoder inner, *e = &inner;\n"
            f"    wrong |= cbor_encoder_create_{kind}(outer, e, {count});\n{content}\n"
            "    wrong |= cbor_encoder_close_container(outer, e);\n    }"
        )

    def put_value(self, member: Member, place: str) -> str:
        kind = member.kind
        if isinstance(kind, String):
            return self.put_text(place)
        if isinstance(kind, Base64):
            return f"wrong |= cbor_encode_byte_string(e, {place}.bytes, {place}.size);"
        if isinstance(kind, Bool):
            return f"wrong |= cbor_encode_boolean(e, {place});"
        if isinstance(kind, Float):
            return f"wrong |= {'encode_double' if kind.bits == 64 else 'cbor_encode_float'}(e, {place});"
        assert isinstance(kind, Int | Timestamp)
        return f"wrong |= cbor_encode_{'uint' if whole(kind)[0] == 'u' else 'int'}(e, {place});"

    def get_record(self, table: Table, cases: list[str], needed: str) -> str:
        longest = max(len(m.key.encode()) for m in table.members)
        told = "".join(
            f"    case {i}:\n    found[{i}] = true;\n{case}\n        break;\n" for i, case in enumerate(cases)
        )
        loop = (
            f"    while (wl_cbor_more(e)) switch (wl_cbor_key(e, key, {longest}, keys_{table.name}, {len(cases)})) {{\n"
            f"{told}    default: break;\n    }}"
        )
        return (
            f"    char key[{longest + 1}];\n{_enter('true', loop)}\n"
            f"    if (!({needed}) && !wl_cbor_error) wl_cbor_error = CborErrorImproperValue;"
        )

    def get_empty(self) -> str:
        return _enter("true", "    if (wl_cbor_more(e)) wl_cbor_error = CborErrorImproperValue;")

    def get_tuple(self, items: list[str]) -> str:
        more = f"    if (wl_cbor_more(e)) {self.fail}"
        return _enter("false", "\n".join([*items, more]))

    def is_kind(self, kind: Kind, count: int) -> str:
        if kind == "float":
            return "cbor_value_is_double(e) || cbor_value_is_float(e)"
        if count:
            return f"wl_cbor_length(e) == {count}"
        names = {"bool": "boolean", "int": "integer", "text": "text_string", "bytes": "byte_string"}
        return f"cbor_value_is_{names.get(kind, kind)}(e)"

    def attempt(self, lines: str) -> str:
        return (
            f"CborValue start = *e; {lines} if (!{self.failed}) return; "
            f"{self.failed} = CborNoError; *e = start;"
        )

    def get_array(self, place: str, limit: int, item: Callable[[str], str]) -> str:
        return _enter("false", f"{_each(place, limit)}    {item(f'{place}_count')}\n    }}")

    def get_map(self, place: str, limit: int, entry: str, key_size: int, value: str) -> str:
        content = (
            f"{_each(place, limit)}    {entry} *entry = &{place}[{place}_count];\n"
            f"    wl_cbor_text(e, entry->key, {key_size});\n    {{ {entry} *m = entry;\n{value}\n    }}\n    }}"
        )
        return _enter("true", content)

    def get_value(self, member: Member, place: str) -> str:
        kind = member.kind
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
        return f"{place} = ({'int32_t' if name == 'i32' else 'int64_t'})wl_cbor_i64(e, {low + 1}LL - 1, {high}LL);"


def _enter(is_map: str, content: str) -> str:
    return (
        "    {\n    CborValue *outer = e;\n    CborValue inner, *e = &inner;\n"
        f"    wl_cbor_enter(outer, e, {is_map});\n{content}\n    wl_cbor_leave(outer, e);\n    }}"
    )


def _each(place: str, limit: int) -> str:
    return (
        f"    for ({place}_count = 0; wl_cbor_more(e); {place}_count++) {{\n"
        f"    if ({place}_count == {limit}) {{ wl_cbor_error = CborErrorImproperValue; break; }}\n"
    )
