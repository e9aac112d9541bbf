"""Native objects in C++: one struct per record, with plain members, their keys and a visitor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wirelab.codecs.positional_names import is_above_i64, numbered
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
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
from wirelab.schema.numerals import has_decimal
from wirelab.schema.recursion import components, recursive

_INTEGERS = {"u32": "std::uint32_t", "i32": "std::int32_t", "u64": "std::uint64_t", "i64": "std::int64_t"}


def header(schema: Schema) -> str:
    """The header with all structs; `Message` is the type of one message."""
    schema = lowered(schema)
    renamed = numbered(schema)
    records = _records(schema.records, renamed.records)
    digits = "template <>\ninline constexpr bool keeps_digits<pack::Message> = true;\n"
    return f"""#pragma once
#include <array>

#include "values.hpp"

namespace wirelab::pack {{

{records}using Message = {native(renamed.root)};

}}  // namespace wirelab::pack

namespace wirelab {{

{digits if has_decimal(schema) else ""}}}  // namespace wirelab
"""


def native(kind: AnyType, boxed: Collection[str] = ()) -> str:
    """The C++ type of a native value. Records in `boxed` are on the heap unless in a list or map."""
    plain = _plain(kind)
    if isinstance(kind, Ref) and kind.name in boxed:
        plain = f"std::unique_ptr<{plain}>"
    return f"std::optional<{plain}>" if kind.nullable else plain


def _records(olds: Sequence[Record], news: Sequence[Record]) -> str:
    """The structs of records, each after those that it holds outside the heap."""
    in_cycles = recursive(news)
    keys = {new.name: old for old, new in zip(olds, news, strict=True)}
    records = {record.name: record for record in news}
    text = "".join(f"struct {record.name};\n" for record in news if record.name in in_cycles)
    if not in_cycles:
        return "".join(_record(keys[name], record) for name, record in records.items())
    for component in components(news, _held):
        is_cycle = len(component) > 1 or component[0] in in_cycles
        for name in component:
            boxed = component if is_cycle else ()
            text += _record(keys[name], records[name], boxed, name in in_cycles)
    return text


def _held(kind: AnyType) -> Iterator[AnyType]:
    """The type itself: those in a list or map are on the heap."""
    yield kind


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
        Any: "Any",
        Bool: "bool",
        Decimal: "Decimal",
        String: "std::string",
        Timestamp: "Timestamp",
        Base64: "Base64",
    }
    return names[type(kind)]


def _record(old: Record, new: Record, boxed: Collection[str] = (), is_recursive: bool = False) -> str:
    mark = "    static constexpr bool IS_RECURSIVE = true;\n" if is_recursive else ""
    if new.shape == "union":
        kinds = ", ".join(native(field.type, boxed) for field in new.fields)
        return f"""struct {new.name} {{
    std::variant<{kinds}> value{{}};
    static constexpr std::size_t ALTERNATIVES = {len(new.fields)};
{mark}}};

"""
    mark += "    static constexpr bool IS_TUPLE = true;\n" if new.shape == "tuple" else ""
    keys = ", ".join(view(field.key) for field in old.fields)
    members = "".join(f"    {_member(field, boxed)} {field.name}{{}};\n" for field in new.fields)
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


def _member(field: Field, boxed: Collection[str]) -> str:
    kind = native(field.type, boxed)
    return f"Absent<{kind}>" if field.optional else kind


def view(text: str) -> str:
    """Any text as a string view of its UTF-8 bytes."""
    data = text.encode("utf-8", "surrogatepass")
    return f"std::string_view({literal(data)}, {len(data)})"


def literal(data: bytes) -> str:
    """Any bytes as a string literal. An octal escape always ends after three digits."""
    plain = {code: chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\?'}
    return '"' + "".join(plain.get(code, f"\\{code:03o}") for code in data) + '"'
