"""Generates the native message classes: public fields with Jackson annotations, one class per
record. A tuple is a class that Jackson writes as a list, a union a sealed interface.

Also generates the class `Folds`, which adds all fields of a message to its checksum.
"""

from __future__ import annotations

from wirelab.codecs.java import unions
from wirelab.codecs.java.names import (
    MODEL,
    PACKAGE,
    Methods,
    boxed,
    literal,
    native,
    native_field,
    read_field,
)
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
    Text,
)
from wirelab.schema.emitters.common import plain
from wirelab.schema.lowering import is_object
from wirelab.schema.numerals import has_decimal

IMPORTS = """import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import wirelab.codecs.*;
"""


def sources(schema: Schema, arms: dict[str, str]) -> dict[str, str]:
    """The classes of the records of a lowered schema, and the pack.

    `arms`: codec with generated code -> expression.
    """
    renamed = numbered(schema)
    records = dict(zip((record.name for record in renamed.records), schema.records, strict=True))
    classes = {
        f"model/{new.name}.java": unions.source(new, records)
        if new.shape == "union"
        else _record(records[new.name], new)
        for new in renamed.records
    }
    return classes | {"Generated.java": _pack(schema, renamed, arms), "model/Folds.java": _folds(renamed)}


def _record(old: Record, new: Record) -> str:
    keys = ", ".join(literal(field.key) for field in old.fields)
    fields = "".join(_field(given.key, field) for given, field in zip(old.fields, new.fields, strict=True))
    as_list = "@JsonFormat(shape = JsonFormat.Shape.ARRAY)\n" if new.shape == "tuple" else ""
    return f"""package {MODEL};

import com.fasterxml.jackson.annotation.*;
{IMPORTS}
{as_list}@JsonPropertyOrder({{{keys}}})
public final class {new.name} {{
{fields}}}
"""


def _field(key: str, field: Field) -> str:
    omitted = "    @JsonInclude(JsonInclude.Include.NON_NULL)\n" if field.optional else ""
    return f"    @JsonProperty({literal(key)})\n{omitted}    public {native_field(field)} {field.name};\n"


def _pack(schema: Schema, renamed: Schema, arms: dict[str, str]) -> str:
    message = boxed(native(renamed.root))
    root = _root_name(schema)
    cases = "".join(
        f"            case {literal(name)} -> {{ return {value}; }}\n" for name, value in arms.items()
    )
    decimals = (
        "    @Override\n    public boolean hasDecimals() {\n        return true;\n    }\n\n"
        if has_decimal(schema)
        else ""
    )
    return f"""package {PACKAGE};

import com.fasterxml.jackson.core.type.TypeReference;
{IMPORTS}
public final class Generated implements Pack<{message}> {{
    @Override
    public TypeReference<{message}> type() {{
        return new TypeReference<>() {{}};
    }}

    @Override
    public String rootName() {{
        return {literal(root)};
    }}

{decimals}    @Override
    public void fold({message} message, Checksum sum) {{
        {MODEL}.Folds.fold(message, sum);
    }}

    @Override
    public Codec<{message}, ?> open(String name) throws Exception {{
        switch (name) {{
{cases}            default -> throw new IllegalArgumentException("there is no codec '" + name + "' in this pack");
        }}
    }}
}}
"""


def _root_name(schema: Schema) -> str:
    if not isinstance(schema.root, Ref):
        return "Message"
    return schema.root.name if is_object(schema) else "message"


def _folds(schema: Schema) -> str:
    writer = _Folds(schema)
    root = writer.value(schema.root, "message")
    records = "".join(map(writer.record, schema.records))
    return f"""package {MODEL};

{IMPORTS}
public final class Folds {{
    public static void fold({boxed(native(schema.root))} message, Checksum sum) {{
        {root}
    }}
{records}{writer.methods.text}}}
"""


class _Folds:
    def __init__(self, schema: Schema) -> None:
        self.schema, self.methods = schema, Methods()

    def record(self, record: Record) -> str:
        lines = "".join(f"        {self.field(field)}\n" for field in record.fields)
        if record.shape == "union":
            folds = [self.plain(field.type, "v") for field in record.fields]
            lines = unions.switch(record, "o", [fold_alternative(i, f) for i, f in enumerate(folds)])
        return f"    static void fold{record.name}({record.name} o, Checksum sum) {{\n{lines}    }}\n"

    def field(self, field: Field) -> str:
        if not (field.optional and field.type.nullable):
            return self.maybe(field.type, field.optional or field.type.nullable, f"o.{field.name}")
        inner = boxed(native(field.type))
        name = f"v{field.name}"
        return f"{inner} {name} = {read_field(field, 'o')}; {self.maybe(field.type, True, name)}"

    def value(self, kind: AnyType, value: str) -> str:
        return self.maybe(kind, kind.nullable, value)

    def maybe(self, kind: AnyType, may_lack: bool, value: str) -> str:
        inner = plain(kind)
        if not may_lack:
            return self.plain(inner, value)
        present = "" if isinstance(inner, List | Map) else "sum.addPresent(); "
        return f"if ({value} == null) {{ sum.addAbsent(); }} else {{ {present}{self.plain(inner, value)} }}"

    def plain(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, Ref):
            return f"fold{kind.name}({value}, sum);"
        if isinstance(kind, List | Map):
            return f"{self.methods.named('fold', kind, lambda name: self.many(name, kind))}({value}, sum);"
        if isinstance(kind, Any):
            return f"{value}.fold(sum);"
        return fold_scalar(kind, _word(kind, value))

    def many(self, name: str, kind: List | Map) -> str:
        if isinstance(kind, Map):
            inner = boxed(native(kind.values))
            loop = f"for (Map.Entry<String, {inner}> e : all.entrySet()) {{ sum.addText(e.getKey()); {inner} v = e.getValue();"
            item = self.value(kind.values, "v")
        else:
            loop, item = f"for ({boxed(native(kind.items))} v : all) {{", self.value(kind.items, "v")
        return f"""    private static void {name}({native(kind)} all, Checksum sum) {{
        sum.addWord(all.size());
        {loop} {item} }}
    }}
"""


def _word(kind: AnyType, value: str) -> str:
    if isinstance(kind, Int) and is_above_i64(kind):
        return f"{value}.bits()"
    if isinstance(kind, Decimal):
        return f"{value}.text()"
    scalar = isinstance(kind, Bool | Int | Float | String | Base64)
    return value if scalar else f"{value}.nanos()"


def fold_alternative(index: int, fold: str) -> str:
    """Statements that add an alternative's number, then its value, to the checksum `sum`."""
    return f"sum.addWord({index}); {fold}"


def fold_scalar(kind: AnyType, value: str) -> str:
    """A statement that adds a scalar to the checksum `sum`.

    `value` is a boolean, number, text, byte[], or a timestamp in ns. A value of any type is JSON
    text.
    """
    if isinstance(kind, Any):
        return f"Any.foldText({value}, sum);"
    if isinstance(kind, Text):
        return f"sum.addText({value});"
    calls: dict[type, str] = {Bool: "addBool", Float: "addNumber", Base64: "addBytes"}
    return f"sum.{calls.get(type(kind), 'addWord')}({value});"
