"""Native objects in C++: one struct per record, with plain members, their keys and a visitor."""

from __future__ import annotations

from wirelab.codecs.positional_names import is_above_i64, numbered
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.schema.emitters.common import width
from wirelab.schema.lowering import lowered

_INTEGERS = {"u32": "std::uint32_t", "i32": "std::int32_t", "u64": "std::uint64_t", "i64": "std::int64_t"}


def header(schema: Schema) -> str:
    """The header with all structs; `Message` is the type of one message."""
    schema = lowered(schema)
    renamed = numbered(schema)
    records = "".join(_record(old, new) for old, new in zip(schema.records, renamed.records, strict=True))
    return f"""#pragma once
#include <array>

#include "values.hpp"

namespace wirelab::pack {{

{records}using Message = {native(renamed.root)};

}}  // namespace wirelab::pack
"""


def native(kind: AnyType) -> str:
    """The C++ type of a native value."""
    return f"std::optional<{_plain(kind)}>" if kind.nullable else _plain(kind)


def _plain(kind: AnyType) -> str:
    if isinstance(kind, Int):
        return "std::uint64_t" if is_above_i64(kind) else _INTEGERS[width(kind)]
    if isinstance(kind, Float):
        return "double" if kind.bits == 64 else "float"
    if isinstance(kind, List):
        return f"std::vector<{native(kind.items)}>"
    if isinstance(kind, Map):
        return f"std::map<std::string, {native(kind.values)}>"
    if isinstance(kind, Ref):
        return kind.name
    names: dict[type, str] = {
        Bool: "bool",
        String: "std::string",
        Timestamp: "Timestamp",
        Base64: "Base64",
    }
    return names[type(kind)]


def _record(old: Record, new: Record) -> str:
    if new.shape == "union":
        kinds = ", ".join(native(field.type) for field in new.fields)
        return f"""struct {new.name} {{
    std::variant<{kinds}> value{{}};
    static constexpr std::size_t ALTERNATIVES = {len(new.fields)};
}};

"""
    mark = "    static constexpr bool IS_TUPLE = true;\n" if new.shape == "tuple" else ""
    keys = ", ".join(view(field.key) for field in old.fields)
    members = "".join(f"    {_member(field)} {field.name}{{}};\n" for field in new.fields)
    places = "".join(
        f"    static constexpr auto member(At<{index}>) {{ return &{new.name}::{field.name}; }}\n"
        for index, field in enumerate(new.fields)
    )
    visits = "".join(
        f"        visit(At<{index}>(), &{new.name}::{field.name});\n"
        for index, field in enumerate(new.fields)
    )
    return f"""struct {new.name} {{
{members}    static constexpr std::size_t FIELDS = {len(new.fields)};
{mark}    static constexpr std::array<std::string_view, FIELDS> keys{{{keys}}};
{places}    template <class Visit>
    static void each([[maybe_unused]] Visit visit) {{
{visits}    }}
}};

"""


def _member(field: Field) -> str:
    return f"Absent<{native(field.type)}>" if field.optional else native(field.type)


def view(text: str) -> str:
    """Any text as a string view of its UTF-8 bytes."""
    data = text.encode("utf-8", "surrogatepass")
    return f"std::string_view({literal(data)}, {len(data)})"


def literal(data: bytes) -> str:
    """Any bytes as a string literal. An octal escape always ends after three digits."""
    plain = {code: chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\?'}
    return '"' + "".join(plain.get(code, f"\\{code:03o}") for code in data) + '"'
