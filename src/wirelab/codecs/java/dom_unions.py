"""Generates methods that tell which alternative of a union a value of Jackson's tree is: the first
that takes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirelab.codecs.java.names import Methods
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
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
from wirelab.schema.emitters.common import plain

_NODES: dict[type, tuple[str, ...]] = {
    Bool: ("BOOLEAN",),
    Int: ("NUMBER",),
    Float: ("NUMBER",),
    String: ("STRING",),
    Timestamp: ("STRING",),
    Base64: ("BINARY", "STRING"),
    List: ("ARRAY",),
    Map: ("OBJECT",),
}
"""Jackson's types of node for a type. Bytes are text where the tree was read from JSON."""


class TreeUnions:
    """Generates the methods of one class. `keys`: numbered record -> the keys of its fields."""

    def __init__(self, schema: Schema, keys: Mapping[str, Sequence[str]], methods: Methods) -> None:
        self.records = {record.name: record for record in schema.records}
        self.keys, self.methods = keys, methods

    def pick(self, record: Record, value: str) -> str:
        """An expression for the number of the alternative that a node is."""
        name = self.methods.named("pick", record.name, lambda name: self._pick(name, record))
        return f"{name}({value})"

    def _pick(self, name: str, record: Record) -> str:
        takers: dict[str, list[int]] = {}
        for index, field in enumerate(record.fields):
            for node in self._nodes(field.type):
                takers.setdefault(node, []).append(index)
        cases = "".join(
            f"            case {node} -> {self._first(record, indexes)};\n"
            for node, indexes in takers.items()
        )
        return f"""    private static int {name}(JsonNode v) {{
        return switch (v.getNodeType()) {{
{cases}            default -> throw Buffers.noAlternative(v.getNodeType());
        }};
    }}
"""

    def _nodes(self, kind: AnyType) -> tuple[str, ...]:
        if isinstance(kind, Ref):
            return ("ARRAY",) if self.records[kind.name].shape == "tuple" else ("OBJECT",)
        return _NODES[type(kind)]

    def _first(self, record: Record, indexes: Sequence[int]) -> str:
        """The first alternative that takes the node. The last one reports what it does not take."""
        tests = [f"{self.fits(record.fields[index].type, 'v')} ? {index} : " for index in indexes[:-1]]
        return f"{''.join(tests)}{indexes[-1]}"

    def fits(self, kind: AnyType, value: str) -> str:
        """A condition for whether a type takes a node."""
        inner = self._fits(plain(kind), value)
        return f"({value}.isNull() || {inner})" if kind.nullable else inner

    def _fits(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, Int):
            return f"Dom.{'isUnsigned' if is_above_i64(kind) else 'isLong'}({value})"
        if isinstance(kind, List | Map | Ref):
            name = self.methods.named("fits", kind, lambda name: self._fits_many(name, kind))
            return f"{name}({value})"
        tests: dict[type, str] = {
            Bool: f"{value}.isBoolean()",
            Float: f"{value}.isNumber()",
            String: f"{value}.isTextual()",
            Timestamp: f"Dom.isTimestamp({value})",
            Base64: f"Dom.isBase64({value})",
            Decimal: f"{value}.isNumber()",
            Any: "true",
        }
        return tests[type(kind)]

    def _fits_many(self, name: str, kind: List | Map | Ref) -> str:
        if isinstance(kind, Ref):
            body = self._fits_record(self.records[kind.name], self.keys[kind.name])
        else:
            shape, inner = ("Array", kind.items) if isinstance(kind, List) else ("Object", kind.values)
            body = f"""        if (!v.is{shape}()) {{ return false; }}
        for (JsonNode f : v) {{ if (!{self.fits(inner, "f")}) {{ return false; }} }}
        return true;
"""
        return f"    private static boolean {name}(JsonNode v) {{\n{body}    }}\n"

    def _fits_record(self, record: Record, keys: Sequence[str]) -> str:
        if record.shape == "union":
            return f"        return {' || '.join(self.fits(field.type, 'v') for field in record.fields)};\n"
        if record.shape == "tuple":
            items = [f" && {self.fits(field.type, f'v.get({i})')}" for i, field in enumerate(record.fields)]
            return f"        return v.isArray() && v.size() == {len(items)}{''.join(items)};\n"
        lines = ["if (!v.isObject()) { return false; }", "int known = 0;", "JsonNode f;"]
        for field, key in zip(record.fields, keys, strict=True):
            absent = "" if field.optional else " else { return false; }"
            wrong = f"if (!{self.fits(field.type, 'f')}) {{ return false; }}"
            lines.append(f"f = v.get({key}); if (f != null) {{ {wrong} known++; }}{absent}")
        lines.append("return known == v.size();")
        return "".join(f"        {line}\n" for line in lines)
