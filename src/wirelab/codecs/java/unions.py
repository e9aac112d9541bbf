"""Generates the native types of unions: a sealed interface with a record for each alternative, and
its reader for formats whose values tell their kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wirelab.codecs.java.names import MODEL, boxed, capital, literal, native
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    String,
    Timestamp,
)
from wirelab.schema.emitters.common import RANGES, width


def alternative(record: Record, field: Field) -> str:
    """The Java class of an alternative."""
    return f"{MODEL}.{record.name}.{capital(field.name)}"


def switch(record: Record, value: str, bodies: Sequence[str]) -> str:
    """A statement that runs a body for the alternative of a native value, whose content is `v`."""
    cases = "".join(
        f"            case {index} -> {{ var v = (({alternative(record, field)}) {value}).value(); {body} }}\n"
        for index, (field, body) in enumerate(zip(record.fields, bodies, strict=True))
    )
    return f"""        switch ({value}.alternative()) {{
{cases}            default -> throw Buffers.noAlternative({value}.alternative());
        }}
"""


def choose(which: str, labels: Iterable[str], bodies: Iterable[str]) -> str:
    """A statement that runs the body of the alternative with which a library labels a union."""
    cases = "".join(
        f"            case {label} -> {{ {body} }}\n" for label, body in zip(labels, bodies, strict=True)
    )
    return f"""        switch ({which}) {{
{cases}            default -> throw Buffers.noAlternative({which});
        }}
"""


def made(record: Record, labels: Iterable[str], contents: Iterable[str]) -> str:
    """The cases of a switch expression that make the alternatives of these labels."""
    return "".join(
        f"            case {label} -> new {alternative(record, field)}({content});\n"
        for label, field, content in zip(labels, record.fields, contents, strict=True)
    )


def source(record: Record, given: Mapping[str, Record]) -> str:
    """The interface of a union with numbered names. `given`: numbered name -> record of the schema."""
    classes = "".join(_alternative(record, index, field) for index, field in enumerate(record.fields))
    names = ", ".join(literal(field.name) for field in given[record.name].fields)
    return f"""package {MODEL};

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import wirelab.codecs.*;

@JsonDeserialize(using = {record.name}.Reader.class)
public sealed interface {record.name} extends Union {{
    List<String> NAMES = List.of({names});

    @Override
    default String name() {{
        return NAMES.get(alternative());
    }}

{classes}
{_reader(record, given)}}}
"""


def _alternative(record: Record, index: int, field: Field) -> str:
    return f"""    record {capital(field.name)}({native(field.type)} value) implements {record.name} {{
        @Override
        public int alternative() {{
            return {index};
        }}

        @Override
        public Object content() {{
            return value;
        }}
    }}
"""


def _reader(record: Record, given: Mapping[str, Record]) -> str:
    found = (_form(index, field, given) for index, field in enumerate(record.fields))
    forms = "".join(f",\n                {form}" for form in found if form)
    classes = ", ".join(f"{capital(field.name)}.class" for field in record.fields)
    made = "".join(
        f"                case {index} -> new {capital(field.name)}(({boxed(native(field.type))}) content);\n"
        for index, field in enumerate(record.fields)
    )
    scalars = "".join(_scalar(record.name, field) for field in record.fields) + _text(record)
    make = f"""
        @Override
        @SuppressWarnings("unchecked")
        protected {record.name} make(int alternative, Object content) {{
            return switch (alternative) {{
{made}                default -> throw Buffers.noAlternative(alternative);
            }};
        }}
"""
    return f"""    final class Reader extends UnionReader<{record.name}> {{
        public Reader() {{
            super({record.name}.class, NAMES, List.of({classes}){forms});
        }}
{make}{scalars}    }}
"""


def _form(index: int, field: Field, given: Mapping[str, Record]) -> str:
    """How the reader knows a list or an object; "" for a scalar."""
    kind = field.type
    if isinstance(kind, List | Map):
        return f"Form.{'list' if isinstance(kind, List) else 'map'}({index})"
    if not isinstance(kind, Ref):
        return ""
    fields = given[kind.name].fields
    if given[kind.name].shape == "tuple":
        return f"Form.tuple({index}, {len(fields)})"
    known = ", ".join(literal(one.key) for one in fields)
    needed = ", ".join(literal(one.key) for one in fields if not one.optional)
    return f"Form.record({index}, Set.of({known}), Set.of({needed}))"


def _scalar(owner: str, field: Field) -> str:
    """The method of the reader that makes this alternative from its token; "" where it has none."""
    name, kind = capital(field.name), field.type
    if isinstance(kind, Bool):
        return _method(owner, "Bool", "boolean value", f"return new {name}(value);")
    if isinstance(kind, Float):
        value = "in.getDoubleValue()" if kind.bits == 64 else "in.getFloatValue()"
        return _method(owner, "Real", "JsonParser in", f"return new {name}({value});") + _method(
            owner, "Integer", "JsonParser in", "return readReal(in);"
        )
    if isinstance(kind, Int):
        return _method(owner, "Integer", "JsonParser in", f"return new {name}({_integer(kind)});")
    if isinstance(kind, Base64):
        return _method(owner, "Bytes", "byte[] value", f"return new {name}(value);")
    return ""


def _integer(kind: Int) -> str:
    if is_above_i64(kind):
        return "Unsigned.of(in.getBigIntegerValue())"
    low, high = RANGES[width(kind)]
    checked = f"in.getLongValue(), {low}L, {high}L" if width(kind) != "i64" else ""
    if width(kind) == "u64":
        checked = f"in.getLongValue(), 0L, {2**63 - 1}L"
    value = f"requireRange({checked})" if checked else "in.getLongValue()"
    return f"(int) {value}" if native(kind) == "int" else value


def _text(record: Record) -> str:
    """The method that makes an alternative from text: the first that can be parsed from it."""
    tries = {Timestamp: "parseTimestamp", Base64: "parseBase64"}
    lines, is_total = [], False
    for field in record.fields:
        name = capital(field.name)
        if (parse := tries.get(type(field.type))) is not None:
            lines.append(
                f"var {field.name} = {parse}(text); if ({field.name} != null) {{ return new {name}({field.name}); }}"
            )
        if isinstance(field.type, String):
            lines, is_total = [*lines, f"return new {name}(text);"], True
    if lines and not is_total:
        lines.append("return super.readText(text);")
    return _method(record.name, "Text", "String text", " ".join(lines)) if lines else ""


def _method(owner: str, kind: str, parameter: str, body: str) -> str:
    return f"""
        @Override
        protected {owner} read{kind}({parameter}) throws IOException {{
            {body}
        }}
"""
