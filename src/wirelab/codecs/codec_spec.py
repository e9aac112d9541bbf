"""The declaration of a codec, common to all languages: one library's implementation of a format."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from wirelab.model.codec_id import CodecId
from wirelab.model.schema import AnyType, Schema
from wirelab.schema.lowering import first_place, free_type, mixed_type, nonfinite_type
from wirelab.schema.recursion import recursive_place
from wirelab.system import entry_points

T = TypeVar("T")


class CodecSpec(Struct, frozen=True):
    """One library's implementation of a format.

    `package` is its name at its registry, whose locked version goes into the result ("" if there is
    none). `source` is the expression or type that implements the phases. `self_delimiting`: whether
    the end of a message can be found without its length. `unions`: whether unions and tuples are
    supported. `recursion`: whether recursive records are. `free_types`: whether `any` and `decimal`
    are. `nonfinite`: what becomes of NaN and infinities; "" if they are not supported.
    """

    format: str
    library: str
    package: str
    source: str
    phases: tuple[str, ...]
    options: dict[str, str] = {}
    self_delimiting: bool = True
    unions: bool = False
    recursion: bool = False
    free_types: bool = False
    nonfinite: Literal["", "carried", "null"] = ""

    @property
    def name(self) -> str:
        """`format/library`."""
        return str(CodecId(self.format, self.library))

    def other(self, library: str, options: Mapping[str, str], **changed: Any) -> Self:
        """The codec with another name and setting, and with the fields in `changed`."""
        return replace(self, library=library, options={**self.options, **options}, **changed)


def lacks_types(codec: CodecSpec, schema: Schema) -> str:
    """Why a codec does not carry a schema with unions, tuples, recursive records, `any`, `decimal`
    or NaN; "" if it does, or the schema has none.
    """
    mixed = "" if codec.unions else mixed_type(schema)
    if mixed:
        return f"wirelab has no unions and tuples for this codec: {mixed}"
    nested = "" if codec.recursion else recursive_place(schema)
    if nested:
        return f"wirelab has no recursive records for this codec: {nested}"
    free = "" if codec.free_types else free_type(schema)
    if free:
        return f"wirelab has no any and decimal for this codec: {free}"
    endless = "" if codec.nonfinite else nonfinite_type(schema)
    return endless and f"wirelab has no NaN and infinities for this codec: {endless}"


def without(unfit: type[AnyType], why: str) -> Callable[[Schema], str]:
    """The test for schemas with a type that a library does not carry, for this reason."""

    def unsupported(schema: Schema) -> str:
        place = first_place(schema, lambda kind: isinstance(kind, unfit))
        return place and f"{why}: {place}"

    return unsupported


def declared(package: ModuleType, name: str, kind: type[T], group: str) -> dict[str, T]:
    """The object `name` of every module of a package, by module name, and those of other packages.

    Another installed package declares one by an entry point of `group`, `NAME = "module:OBJECT"`.
    Raises BadInput for a broken entry point (`entry_points.load`).
    """
    modules = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    found: dict[str, T] = {
        module: getattr(import_module(f"{package.__name__}.{module}"), name) for module in modules
    }
    return found | entry_points.load(group, kind, found)
