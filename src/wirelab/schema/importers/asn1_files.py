"""ASN.1 modules as definitions, parsed by asn1tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Ref, String
from wirelab.schema.importers.book import source
from wirelab.schema.importers.compiler import Folders
from wirelab.schema.importers.program import Alias, Compound, Definition, Definitions, Enumeration, Member

_LOW, _HIGH = -(2**63), 2**63 - 1
_TEXTS = [
    "UTF8String",
    "IA5String",
    "VisibleString",
    "PrintableString",
    "NumericString",
    "GeneralString",
    "BMPString",
    "UniversalString",
    "TeletexString",
    "T61String",
    "GraphicString",
    "ISO646String",
    "ObjectDescriptor",
    "UTCTime",
    "GeneralizedTime",
    "DATE",
    "TIME",
    "DATE-TIME",
    "TIME-OF-DAY",
    "RELATIVE-OID",
]
_SCALARS: dict[str, AnyType] = {
    "BOOLEAN": Bool(),
    "REAL": Float(),
    "OCTET STRING": Base64(),
    "BIT STRING": Base64(),
    "NULL": String(nullable=True),
    "OBJECT IDENTIFIER": String(),
    **dict.fromkeys(_TEXTS, String()),
}
MAX_FILES = 256
SUFFIXES = (".asn", ".asn1")
_OPEN = "types that may be extended have the parts that the file names"


def read_asn1(path: Path, folders: Folders) -> Definitions:
    """The definitions of a file of ASN.1 modules, and of files near it that it imports from.

    Raises BadInput.
    """
    modules = _parsed(source(path).decode("utf-8", "replace"), str(path))
    own = tuple(modules)
    near = _Near(path, folders)
    while missing := {one for parts in modules.values() for one in parts["imports"]} - modules.keys():
        found = near.find(missing)
        if not found:
            break
        modules = {**found, **modules}
    reader = _Reader(path, modules)
    for module, parts in modules.items():
        for name in parts["types"]:
            reader.define(module, name)
    names = tuple(f"{module}.{name}" for module in own for name in modules[module]["types"])
    return Definitions(str(path), reader.found, names, notes=tuple(reader.notes), broken=reader.broken)


def _parsed(text: str, name: str) -> dict[str, Any]:
    import asn1tools  # noqa: PLC0415  (loads a parser)

    try:
        return dict(asn1tools.parse_string(text))
    except RecursionError:
        raise BadInput(name, "nested too deeply", "flatten the types") from None
    except (asn1tools.ParseError, asn1tools.CompileError, ValueError) as error:
        raise BadInput(name, str(error)[:300], "correct the module") from None


class _Near:
    """Files in the folder of a module and of `-I`, parsed if they name a module that is missing."""

    def __init__(self, path: Path, folders: Folders) -> None:
        given = folders[: folders.index(path.resolve().parent)]
        places = [path.resolve().parent, *(one for one in given if one.is_dir())]
        files = [one for place in places for one in sorted(place.iterdir())[:MAX_FILES]]
        self.left = [one for one in files if one.suffix in SUFFIXES and one.resolve() != path.resolve()]

    def find(self, names: set[str]) -> dict[str, Any]:
        """The modules of the next file that names one of them; none where there is no such file."""
        while self.left:
            one = self.left.pop(0)
            text = source(one).decode("utf-8", "replace")
            if not any(name in text for name in names):
                continue
            try:
                found = _parsed(text, str(one))
            except BadInput:
                continue
            if names & found.keys():
                return found
        return {}


class _Reader:
    def __init__(self, path: Path, modules: dict[str, Any]) -> None:
        self.path, self.modules = path, modules
        self.found: dict[str, Definition] = {}
        self.notes: dict[str, None] = {}
        self.broken: dict[str, str] = {}

    def define(self, module: str, name: str) -> None:
        text = self.modules[module]["types"][name]
        full = f"{module}.{name}"
        if text.get("parameters"):
            self.broken[full] = f"{full} has parameters, which have no type here"
            return
        try:
            if text["type"] in ("SEQUENCE", "SET", "CHOICE", "ENUMERATED"):
                self.found[full] = self.definition(text, module, full)
            else:
                self.found[full] = Alias(self.type(text, module, full))
        except BadInput as error:
            self.broken[full] = error.why

    def definition(self, text: dict[str, Any], module: str, full: str) -> Definition:
        if text["type"] == "ENUMERATED":
            values = [one for one in text["values"] if one is not None]
            if None in text["values"]:
                self.notes[_OPEN] = None
            return Enumeration(dict(values))
        members = [self.member(one, module, full) for one in self.flat(text["members"], module, 16)]
        return Compound(tuple(members), choice=text["type"] == "CHOICE")

    def flat(self, members: list[Any], module: str, depth: int) -> list[dict[str, Any]]:
        """Members without extension marks and groups, and with those of COMPONENTS OF."""
        found: list[dict[str, Any]] = []
        for one in members:
            if one is None:
                self.notes[_OPEN] = None
            elif isinstance(one, list):
                found += [{**inner, "optional": True} for inner in self.flat(one, module, depth)]
            elif "components-of" in one:
                name = one["components-of"]
                home = self.home(name, module)
                inner = self.modules[home]["types"][name].get("members") if home and depth else None
                if home is None or inner is None:
                    raise self.bad(f"COMPONENTS OF {name} has no type here", "")
                found += self.flat([part for part in inner if isinstance(part, dict)], home, depth - 1)
            else:
                found.append(one)
        return found

    def member(self, one: dict[str, Any], module: str, full: str) -> Member:
        kind = self.type(one, module, f"{full}.{one['name']}")
        return Member(one["name"], kind, bool(one.get("optional")) or "default" in one)

    def type(self, text: dict[str, Any], module: str, full: str) -> AnyType:
        kind = text["type"]
        if kind in ("SEQUENCE OF", "SET OF"):
            return List(items=self.type(text["element"], module, f"{full}.item"))
        if kind in ("SEQUENCE", "SET", "CHOICE", "ENUMERATED"):
            self.found[full] = self.definition(text, module, full)
            return Ref(name=full)
        if kind == "INTEGER":
            return self.integer(text, module)
        if kind in _SCALARS:
            if kind == "BIT STRING":
                self.notes["a BIT STRING is carried as whole bytes"] = None
            return _SCALARS[kind]
        home = self.home(kind, module)
        if home is None:
            raise self.bad(f"{kind} has no type here", full)
        return Ref(name=f"{home}.{kind}")

    def home(self, name: str, module: str) -> str | None:
        """The module that defines a type: this one, or the one that it is imported from."""
        parts = self.modules[module]
        if name in parts["types"]:
            return module
        near = [other for other, names in parts["imports"].items() if name in names]
        return (
            near[0] if near and near[0] in self.modules and name in self.modules[near[0]]["types"] else None
        )

    def integer(self, text: dict[str, Any], module: str) -> Int:
        ranges = [one for one in text.get("restricted-to") or [] if one is not None]
        if None in (text.get("restricted-to") or []):
            self.notes[_OPEN] = None
        pairs = [one if isinstance(one, tuple) else (one, one) for one in ranges]
        low = min((self.bound(one, module, _LOW) for one, _ in pairs), default=_LOW)
        high = max((self.bound(one, module, _HIGH) for _, one in pairs), default=_HIGH)
        if not (_LOW <= low <= high < 2**64) or (low < 0 and high > _HIGH):
            raise self.bad(f"no 64-bit integer holds {low} to {high}", "")
        return Int(low=low, high=high)

    def bound(self, value: Any, module: str, free: int) -> int:
        if isinstance(value, int):
            return value
        found = self.modules[module]["values"].get(value, {}).get("value")
        return found if isinstance(found, int) else free

    def bad(self, why: str, place: str) -> BadInput:
        where = f"{self.path}, at {place}" if place else str(self.path)
        return BadInput(where, why, "use another type")
