"""Cap'n Proto schemas as definitions, from the request that the official compiler hands its
plugins.

`capnp compile -o-` writes a CodeGeneratorRequest of schema.capnp. The numbers below are the bits
and pointers at which schema.capnp has its fields.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Ref, String
from wirelab.schema.importers.capnp_wire import BadMessage, Message, View
from wirelab.schema.importers.compiler import Folders, run_compiler
from wirelab.schema.importers.program import Compound, Definition, Definitions, Enumeration, Member

_NONE = 0xFFFF
"""Fields have their discriminant xor this, the value of those in no union."""
_STRUCT_NODE, _ENUM_NODE = 1, 2
_LIST, _ENUM, _STRUCT = 14, 15, 16
_OTHERS = {17: "interfaces", 18: "AnyPointer"}
_SCALARS: dict[int, AnyType] = {
    0: String(nullable=True),  # Void
    1: Bool(),
    **{
        2 + i: Int(low=-(2 ** (bits - 1)), high=2 ** (bits - 1) - 1) for i, bits in enumerate((8, 16, 32, 64))
    },
    **{6 + i: Int(low=0, high=2**bits - 1) for i, bits in enumerate((8, 16, 32, 64))},
    10: Float(bits=32),
    11: Float(),
    12: String(),
    13: Base64(),
}
_VALUE_BITS = {1: (16, 1), 2: (16, 8), 3: (16, 16), 4: (32, 32), 5: (64, 64), 6: (16, 8), 7: (16, 16), 8: (32, 32),
    9: (64, 64), 10: (32, 32), 11: (64, 64), 15: (16, 16)}  # fmt: skip
"""Where a Value has the default of a type, by the type's number."""


def read_capnp(path: Path, folders: Folders) -> Definitions:
    """The definitions of a .capnp and of those that it imports. Raises BadInput."""
    places = [word for one in folders for word in ("-I", str(one))]
    arguments = ["compile", "-o-", *places, str(path)]
    data = run_compiler("capnp", arguments, path, "capnproto")
    try:
        return _Reader(path, Message(data).root()).definitions()
    except BadMessage as error:
        raise BadInput(str(path), f"capnp writes no request: {error}", "is it another version?") from None


class _Reader:
    def __init__(self, path: Path, request: View) -> None:
        self.path = path
        self.nodes = {node.bits(0, 64): node for node in request.structs(0)}
        self.file = next((one.bits(0, 64) for one in request.structs(1)), 0)
        self.notes: dict[str, None] = {}

    def definitions(self) -> Definitions:
        found: dict[str, Definition] = {}
        own = []
        for node in self.nodes.values():
            kind = node.bits(96, 16)
            if kind == _STRUCT_NODE:
                found[self.name(node)] = self.compound(node)
                own += [self.name(node)] if node.bits(128, 64) == self.file else []
            elif kind == _ENUM_NODE:
                names = [one.text(0) for one in node.structs(3)]
                found[self.name(node)] = Enumeration({name: at for at, name in enumerate(names)})
        return Definitions(str(self.path), found, tuple(own), notes=tuple(self.notes))

    def name(self, node: View) -> str:
        """`Outer.Inner`, of an imported file `file.Outer.Inner`."""
        file, _, inner = node.text(0).rpartition(":")
        stem = Path(file).stem
        return inner if stem == self.path.stem else f"{stem}.{inner}"

    def compound(self, node: View) -> Compound:
        fields = sorted(node.structs(3), key=lambda field: field.bits(0, 16))
        return Compound(tuple(member for field in fields if (member := self.member(field))))

    def member(self, field: View) -> Member | None:
        """A field; None for one that has no type here."""
        key = field.text(0)
        in_union = field.bits(16, 16) ^ _NONE != _NONE
        if in_union:
            self.notes["fields of a union may each be absent"] = None
        if field.bits(64, 16):  # a group
            return Member(key, Ref(name=self.reference(field.bits(128, 64))), optional=in_union)
        kind = field.struct(2)
        number = kind.bits(0, 16) if kind else 0
        made = self.type(kind)
        if made is None:
            self.notes[f"left out: fields of {_OTHERS.get(_innermost(kind), 'unknown types')}"] = None
            return None
        if in_union or number not in _VALUE_BITS:
            return Member(key, made, optional=True)
        value = self.default(field.struct(3), number)
        if value:
            self.notes["defaults other than zero are values like others"] = None
        return Member(key, made, default=value)

    def default(self, value: View | None, number: int) -> Any:
        raw = value.bits(*_VALUE_BITS[number]) if value else 0
        if number == 1:
            return bool(raw)
        if number in (10, 11):
            size = 4 if number == 10 else 8
            return struct.unpack("<f" if size == 4 else "<d", raw.to_bytes(size, "little"))[0]
        kind = _SCALARS.get(number)
        bits = _VALUE_BITS[number][1]
        return raw - (1 << bits) if isinstance(kind, Int) and kind.low < 0 and raw >> (bits - 1) else raw

    def type(self, kind: View | None) -> AnyType | None:
        """A type; None where there is none here."""
        number = kind.bits(0, 16) if kind else 0
        if kind is not None and number == _LIST:
            items = self.type(kind.struct(0))
            return items and List(items=items)
        if kind is not None and number in (_ENUM, _STRUCT):
            return Ref(name=self.reference(kind.bits(64, 64)))
        return _SCALARS.get(number)

    def reference(self, node: int) -> str:
        if node not in self.nodes:
            raise BadInput(str(self.path), f"no type has the id {node:#x}", "compile it with its imports")
        return self.name(self.nodes[node])


def _innermost(kind: View | None) -> int:
    """The number of a type, of a list that of its items."""
    while kind is not None and kind.bits(0, 16) == _LIST:
        kind = kind.struct(0)
    return kind.bits(0, 16) if kind else 0
