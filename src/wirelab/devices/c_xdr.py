"""XDR in C (RFC 4506): a function per structure and direction, on the runtime in packs/mcu/xdr."""

from __future__ import annotations

from wirelab.devices.c_layout import WHICH, Member, Shape, Table, c_type, whole
from wirelab.model.schema import Base64, Bool, Float, Int, Ref, String, Timestamp

INCLUDES = '#include "wl_xdr.h"\n'


def functions(shape: Shape) -> str:
    """`put` and `get` for every structure, and the contract's two functions."""
    blocks = []
    for table in shape.tables.values():
        is_union = table.role == "union"
        put = _put_union(table) if is_union else [_put(m) for m in table.members]
        get = _get_union(table) if is_union else [_get(m) for m in table.members]
        blocks += [_function("put", table, put), _function("get", table, get)]
    return (
        "\n".join(blocks)
        + f"""
unsigned wl_serialize(void) {{
    wl_xdr x = {{wl_buffer, wl_buffer + sizeof wl_buffer, false}};
    put_{shape.root}(&x, &wl_message);
    return x.failed ? 0 : (unsigned)(x.at - wl_buffer);
}}

bool wl_deserialize(unsigned length) {{
    wl_xdr x = {{wl_buffer, wl_buffer + length, false}};
    get_{shape.root}(&x, &wl_message);
    return !x.failed && x.at == x.end;
}}
"""
    )


def _function(verb: str, table: Table, lines: list[str]) -> str:
    constant = "const " if verb == "put" else ""
    unused = "    (void)m;\n" + ("    wl_xdr_put_u32(x, 0);" if verb == "put" else "    wl_xdr_get_u32(x);")
    body = "\n".join(lines) or unused
    return f"static void {verb}_{table.name}(wl_xdr *x, {constant}{table.name} *m) {{\n{body}\n}}\n"


def _put_union(table: Table) -> list[str]:
    """The alternative's number, then its value (section 4.15)."""
    cases = [
        f"    case {index}: {_put_value(member, f'm->value.{member.name}')} break;"
        for index, member in enumerate(table.members, start=1)
    ]
    return [f"    wl_xdr_put_u32(x, m->{WHICH} - 1u);", f"    switch (m->{WHICH}) {{", *cases, "    }"]


def _get_union(table: Table) -> list[str]:
    cases = [
        f"    case {index}: {_get_value(member, f'm->value.{member.name}')} break;"
        for index, member in enumerate(table.members, start=1)
    ]
    which = f"    m->{WHICH} = wl_xdr_get_count(x, {len(table.members) - 1}) + 1u;"
    return [which, f"    switch (m->{WHICH}) {{", *cases, "    }"]


def _put(member: Member) -> str:
    name = member.name
    if member.is_list:
        text = (
            f"    wl_xdr_put_u32(x, m->{name}_count);\n"
            f"    for (uint16_t i = 0; i < m->{name}_count; i++) {_put_value(member, f'm->{name}[i]')}"
        )
    else:
        text = f"    {_put_value(member, f'm->{name}')}"
    if member.marked:
        return f"    wl_xdr_put_u32(x, m->has_{name} == 1);\n    if (m->has_{name} == 1) {{\n{text}\n    }}"
    return text


def _put_value(member: Member, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return f"put_{kind.name}(x, &{place});"
    if isinstance(kind, String):
        return f"wl_xdr_put_text(x, {place});"
    if isinstance(kind, Base64):
        return f"wl_xdr_put_bytes(x, {place}.bytes, {place}.size);"
    return f"wl_xdr_put_{_scalar(kind)}(x, {_cast(kind, place)});"


def _get(member: Member) -> str:
    name = member.name
    if member.is_list:
        text = (
            f"    m->{name}_count = wl_xdr_get_count(x, {max(member.count, 1)});\n"
            f"    for (uint16_t i = 0; i < m->{name}_count; i++) {_get_value(member, f'm->{name}[i]')}"
        )
    else:
        text = f"    {_get_value(member, f'm->{name}')}"
    if member.marked:
        return f"    m->has_{name} = wl_xdr_get_bool(x);\n    if (m->has_{name}) {{\n{text}\n    }}"
    return text


def _get_value(member: Member, place: str) -> str:
    kind = member.kind
    if isinstance(kind, Ref):
        return f"get_{kind.name}(x, &{place});"
    if isinstance(kind, String):
        return f"wl_xdr_get_text(x, {place}, {member.size});"
    if isinstance(kind, Base64):
        return f"{place}.size = wl_xdr_get_bytes(x, {place}.bytes, {max(member.size, 1)});"
    if isinstance(kind, Bool):
        return f"{place} = wl_xdr_get_bool(x);"
    return f"{place} = ({c_type(member)})wl_xdr_get_{_scalar(kind)}(x);"


def _scalar(kind: object) -> str:
    if isinstance(kind, Float):
        return "double" if kind.bits == 64 else "float"
    return "u64" if isinstance(kind, Int | Timestamp) and whole(kind) in ("u64", "i64") else "u32"


def _cast(kind: object, place: str) -> str:
    if isinstance(kind, Int | Timestamp) and whole(kind) in ("i32", "i64"):
        return f"(uint{whole(kind)[1:]}_t){place}"
    return place


def largest(shape: Shape) -> int:
    """The largest possible size of a message."""
    sizes: dict[str, int] = {}
    for table in shape.tables.values():
        members = [_largest(member, sizes) for member in table.members]
        sizes[table.name] = 4 + max(members) if table.role == "union" else sum(members) or 4
    return max(sizes[shape.root], 4)


def _largest(member: Member, sizes: dict[str, int]) -> int:
    kind = member.kind
    if isinstance(kind, Ref):
        one = sizes[kind.name]
    elif isinstance(kind, String | Base64):
        one = 4 + (member.size + 3) // 4 * 4
    else:
        one = 8 if _scalar(kind) in ("u64", "double") else 4
    return 4 * member.marked + (4 + max(member.count, 1) * one if member.is_list else one)
