"""Thrift IDL as definitions, from the official compiler's XML (`thrift --gen xml`)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Map, Ref, String
from wirelab.schema.importers.compiler import Folders, run_compiler
from wirelab.schema.importers.program import Alias, Compound, Definition, Definitions, Enumeration, Member

_SCALARS: dict[str, AnyType] = {
    "bool": Bool(),
    "byte": Int(low=-(2**7), high=2**7 - 1),
    "i8": Int(low=-(2**7), high=2**7 - 1),
    "i16": Int(low=-(2**15), high=2**15 - 1),
    "i32": Int(low=-(2**31), high=2**31 - 1),
    "i64": Int(low=-(2**63), high=2**63 - 1),
    "double": Float(),
    "string": String(),
    "binary": Base64(),
    "uuid": String(),
}
_SPACE = "{http://thrift.apache.org/xml/idl}"


def read_thrift(path: Path, folders: Folders) -> Definitions:
    """The definitions of a .thrift and of the files that it includes. Raises BadInput."""
    with tempfile.TemporaryDirectory() as folder:
        places = [word for one in folders for word in ("-I", str(one))]
        arguments = ["-r", "--gen", "xml", *places, "-o", folder, str(path)]
        run_compiler("thrift", arguments, path, "thrift-compiler")
        found: dict[str, Definition] = {}
        notes: dict[str, None] = {}
        own: list[str] = []
        for one in sorted(Path(folder).rglob("*.xml")):
            for document in ElementTree.parse(one).getroot().iter(f"{_SPACE}document"):
                names = _document(document, found, notes)
                own += names if document.get("name") == path.stem else []
    return Definitions(str(path), found, tuple(own), notes=tuple(notes))


def _document(document: Any, found: dict[str, Definition], notes: dict[str, None]) -> list[str]:
    module = document.get("name")
    own = []
    for one in document:
        kind, name = one.tag.removeprefix(_SPACE), f"{module}.{one.get('name')}"
        if kind == "enum":
            found[name] = Enumeration(
                {m.get("name"): int(m.get("value")) for m in one.iter(f"{_SPACE}member")}
            )
        elif kind == "typedef":
            found[name] = Alias(_type(one, notes))
        elif kind in ("struct", "union", "exception"):
            members = [_member(field, notes) for field in one if field.tag == f"{_SPACE}field"]
            found[name] = Compound(tuple(members), choice=kind == "union")
            own.append(name)
    return own


def _member(field: Any, notes: dict[str, None]) -> Member:
    return Member(field.get("name"), _type(field, notes), optional=field.get("required") != "required")


def _type(one: Any, notes: dict[str, None]) -> AnyType:
    kind = one.get("type")
    inner = {child.tag.removeprefix(_SPACE): child for child in one}
    if kind == "id":
        return Ref(name=f"{one.get('type-module')}.{one.get('type-id')}")
    if kind in ("list", "set"):
        if kind == "set":
            notes["sets are carried as lists"] = None
        return List(items=_type(inner["elemType"], notes))
    if kind == "map":
        if inner["keyType"].get("type") != "string":
            notes["keys of maps are carried as text, numbers too"] = None
        return Map(values=_type(inner["valueType"], notes))
    if kind not in _SCALARS:
        raise BadInput("thrift", f"the type {kind} has no type here", "use another type")
    return _SCALARS[kind]
