"""Messages of Protobuf's JSON mapping as values in our types.

The mapping allows variants: keys may be a field's name or its json_name, 64-bit integers text or
numbers, enums names or numbers. An absent proto3 scalar, list or map has its default. Values that
fit no type are kept, so that the schema's check rejects them with their path.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.schema.importers.protobuf_fields import (
    ANY,
    DURATION,
    ENUM,
    FIELD_MASK,
    FREE_FORM,
    TIMESTAMP,
    WRAPPERS,
    fields_of,
    is_map,
    is_value,
    is_wrapped,
    key_of,
    message_inside,
)
from wirelab.schema.importers.protobuf_usage import Usage
from wirelab.schema.paths import Part, show
from wirelab.schema.values import NONFINITE

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

_INTEGER = re.compile(r"-?[0-9]{1,20}")
_HEXADECIMAL = re.compile(r"(?=[A-Fa-f]*[0-9])(?:[0-9a-f]{16,}|[0-9A-F]{16,})")
_DOUBLE, _FLOAT, _BYTES = 1, 2, 12
_TEXTUAL = (8, 9)  # bool and string


def uses_json_names(messages: Sequence[Any], root: Descriptor) -> bool:
    """Whether any message uses a json_name that differs from the field's name."""
    return any(_camel(message, root) for message in messages)


def _camel(value: Any, message: Descriptor) -> bool:
    if not isinstance(value, dict):
        return False
    for field in message.fields:
        if field.json_name != field.name and field.json_name in value:
            return True
        inner = message_inside(field)
        if inner is not None and any(_camel(one, inner) for one in _inside(field, value.get(field.name))):
            return True
    return False


def _inside(field: FieldDescriptor, value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif is_map(field) and isinstance(value, dict):
        yield from value.values()
    else:
        yield value


class _Plan(Struct, frozen=True):
    """All names that JSON may have for fields of a message, and each field with its key here and
    its names.
    """

    known: frozenset[str]
    fields: tuple[tuple[Any, str, tuple[str, ...]], ...]


class FromJson:
    """Messages of the JSON mapping in our types. `where` is the current message."""

    def __init__(self, json_names: bool, usage: Usage) -> None:
        self.json_names, self.usage, self.where = json_names, usage, ""
        self.plans: dict[str, _Plan] = {}

    def message(self, value: Any, message: Descriptor, path: tuple[Part, ...] = ()) -> Any:
        """One message. Raises BadInput for what Protobuf's own reader refuses, too."""
        if not isinstance(value, dict):
            return value
        made: dict[str, Any] = {}
        present: dict[str, str] = {}
        plan = self.plan(message)
        for field, key, names in plan.fields:
            given = next((value[name] for name in names if name in value and value[name] is not None), None)
            if given is not None or (is_value(field) and any(name in value for name in names)):
                self.usage.see(field)
                self.check_oneof(field, key, present, path)
                made[key] = self.field(given, field, (*path, key))
            elif field.full_name in self.usage.left_out:
                continue
            elif field.is_repeated:
                made[key] = {} if is_map(field) else []
            elif not field.has_presence:
                made[key] = _default(field)
        return made | {key: item for key, item in value.items() if key not in plan.known}

    def plan(self, message: Descriptor) -> _Plan:
        """The fields of a message; asked of the descriptors once."""
        name = message.full_name
        if name not in self.plans:
            fields = [(field, key_of(field, self.json_names), _names(field)) for field in fields_of(message)]
            known = frozenset(name for _, _, names in fields for name in names)
            self.plans[name] = _Plan(known, tuple(fields))
        return self.plans[name]

    def check_oneof(
        self, field: FieldDescriptor, key: str, present: dict[str, str], path: tuple[Part, ...]
    ) -> None:
        """Note that a member of a oneof is present. Raises BadInput if another one is."""
        oneof = field.containing_oneof
        if oneof is None:
            return
        first = present.setdefault(oneof.name, key)
        if first != key:
            why = f"{first} and {key} are members of the oneof {oneof.name}"
            raise self.refuse(path, why, "keep one of them")

    def field(self, given: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        if is_map(field) and isinstance(given, dict):
            inner = field.message_type.fields_by_name["value"]
            is_text = field.message_type.fields_by_name["key"].type in _TEXTUAL
            shown = str if is_text else _short
            return {shown(key): self.single(one, inner, (*path, key)) for key, one in given.items()}
        if field.is_repeated and isinstance(given, list):
            return [self.single(one, field, (*path, at)) for at, one in enumerate(given)]
        return self.single(given, field, path)

    def single(self, given: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        inner = field.message_type
        if inner is not None:
            return self.inner(given, field, inner, path)
        if field.type in _TEXTUAL:
            return given
        if field.type == ENUM:
            return self.enum(given, field, path)
        if field.type == _BYTES:
            return self.octets(given)
        return _float(given) if field.type in (_DOUBLE, _FLOAT) else self.integer(given)

    def inner(self, given: Any, field: FieldDescriptor, message: Descriptor, path: tuple[Part, ...]) -> Any:
        """A message inside another."""
        name = message.full_name
        if name == TIMESTAMP or name in FREE_FORM:
            return given
        if name in WRAPPERS:
            value = self.single(given, message.fields_by_name["value"], path)
            return value if is_wrapped(field) else {"value": value}
        if name == ANY or (name in (DURATION, FIELD_MASK) and isinstance(given, str)):
            return self.by_library(given, message, path)
        return self.message(given, message, path)

    def by_library(self, given: Any, message: Descriptor, path: tuple[Part, ...]) -> Any:
        """A message whose JSON is of its own kind, with the fields that it has in bytes."""
        from google.protobuf import json_format, message_factory  # noqa: PLC0415

        from wirelab.schema.importers.protobuf_bytes import FromBytes  # noqa: PLC0415

        made = message_factory.GetMessageClass(message)()
        if message.full_name == ANY and isinstance(given, dict) and "@type" not in given:
            return self.message(given, message, path)
        try:
            json_format.ParseDict(given, made, descriptor_pool=message.file.pool)
        except (json_format.ParseError, ValueError, TypeError) as error:
            raise self.refuse(
                path, f"no {message.full_name}: {error}", "see Protobuf's JSON mapping"
            ) from None
        self.usage.note(f"{message.full_name} is carried as its fields, in JSON too")
        return FromBytes(self.json_names, self.where, self.usage).message(made, path)

    def integer(self, given: Any) -> Any:
        if isinstance(given, str) and _INTEGER.fullmatch(given):
            self.usage.note("integers that messages write as text are numbers here, in JSON too")
            return int(given)
        return int(given) if isinstance(given, float) and given.is_integer() else given

    def octets(self, given: Any) -> Any:
        """Bytes: base64, or what only hexadecimal digits can be."""
        if isinstance(given, str) and _is_hexadecimal(given):
            self.usage.note("bytes that messages write as hexadecimal digits are read so, as OTLP has them")
            return base64.b64encode(bytes.fromhex(given)).decode()
        return _standard_base64(given)

    def enum(self, given: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        enum = field.enum_type
        if isinstance(given, str):
            found = enum.values_by_name.get(given)
            if found is None:
                choice = ", ".join(list(enum.values_by_name)[:8])
                raise self.refuse(path, f"{enum.name} has no {given!r}", f"it has {choice}")
            return found.number
        if isinstance(given, int) and given not in enum.values_by_number:
            if enum.is_closed:
                choice = ", ".join(map(str, list(enum.values_by_number)[:8]))
                raise self.refuse(path, f"{enum.name} is closed and has no {given}", f"it has {choice}")
            self.usage.number(enum, given)
        return given

    def refuse(self, path: tuple[Part, ...], why: str, step: str) -> BadInput:
        return BadInput(f"{self.where}, at {show(path)}", why, step)


def _names(field: FieldDescriptor) -> tuple[str, ...]:
    """The names that a field may have in JSON."""
    if field.is_extension:
        return (key_of(field, False),)
    names = (str(field.json_name), str(field.name))
    return names[:1] if names[0] == names[1] else names


def _short(key: str) -> str:
    """An integer key of a map in its shortest text."""
    return str(int(key)) if _INTEGER.fullmatch(key) else key


def _float(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    if given in NONFINITE:
        return NONFINITE[given]
    try:
        value = float(given)
    except ValueError:
        return given
    return value if math.isfinite(value) else given


def _is_hexadecimal(text: str) -> bool:
    """Whether a text is hexadecimal digits. Base64 of as many signs has others, but by rare chance."""
    return len(text) % 2 == 0 and _HEXADECIMAL.fullmatch(text) is not None


def _standard_base64(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    text = given.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64encode(base64.b64decode(text + "=" * (-len(text) % 4), validate=True)).decode()
    except (binascii.Error, ValueError):
        return given


def _default(field: FieldDescriptor) -> Any:
    return 0 if field.type == ENUM else "" if field.type == _BYTES else field.default_value
