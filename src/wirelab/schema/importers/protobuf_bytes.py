"""Binary messages of a given .proto as values in our types."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from wirelab.model.errors import BadInput
from wirelab.schema.importers.protobuf_fields import (
    ENUM,
    FREE_FORM,
    TIMESTAMP,
    fields_of,
    is_map,
    is_wrapped,
    key_of,
)
from wirelab.schema.importers.protobuf_usage import Usage
from wirelab.schema.json_reader import MAX_DEPTH, depth_exceeds
from wirelab.schema.paths import Part, show

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor


def from_bytes(data: bytes, root: Descriptor, where: str, usage: Usage) -> dict[str, Any]:
    """One message in our types. Raises BadInput."""
    from google.protobuf import message as protobuf_message  # noqa: PLC0415
    from google.protobuf import message_factory  # noqa: PLC0415

    message = message_factory.GetMessageClass(root)()
    try:
        message.ParseFromString(data)
    except protobuf_message.DecodeError as error:
        step = "is it of this .proto and message, or --input-format protobuf-delimited?"
        raise BadInput(where, f"no {root.name}: {error}", step) from None
    if not message.IsInitialized():
        missing = ", ".join(message.FindInitializationErrors()[:3])
        raise BadInput(where, f"a required field is missing: {missing}", "is it of this message?")
    values = FromBytes(False, where, usage).message(message, ())
    if depth_exceeds(values, MAX_DEPTH):
        raise BadInput(where, f"nested deeper than {MAX_DEPTH} levels", "leave the message out")
    return values


class FromBytes:
    """Messages of Protobuf's library in our types. `where` is the current message."""

    def __init__(self, json_names: bool, where: str, usage: Usage) -> None:
        self.json_names, self.where, self.usage = json_names, where, usage

    def message(self, message: Any, path: tuple[Part, ...]) -> dict[str, Any]:
        """One message, parsed. Raises BadInput for times and values that JSON does not have."""
        from google.protobuf.unknown_fields import UnknownFieldSet  # noqa: PLC0415

        for unknown in UnknownFieldSet(message):
            self.usage.unknown_field(message.DESCRIPTOR.name, unknown)
        made = {}
        for field in fields_of(message.DESCRIPTOR):
            value, is_set = _value(message, field)
            if is_set:
                self.usage.see(field)
            elif field.full_name in self.usage.left_out:
                continue
            if is_set or field.is_repeated or not field.has_presence:
                key = key_of(field, self.json_names)
                made[key] = self.field(value, field, (*path, key))
        return made

    def field(self, value: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        if is_map(field):
            inner = field.message_type.fields_by_name["value"]
            pairs = ((_text(key), key) for key in value)
            return {name: self.single(value[key], inner, (*path, name)) for name, key in pairs}
        if field.is_repeated:
            return [self.single(one, field, (*path, at)) for at, one in enumerate(value)]
        return self.single(value, field, path)

    def single(self, value: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        if is_wrapped(field):
            return self.single(value.value, field.message_type.fields_by_name["value"], path)
        if field.message_type is not None:
            is_time = field.message_type.full_name == TIMESTAMP
            if field.message_type.full_name in FREE_FORM:
                return self.free(value, path)
            return self.time(value, path) if is_time else self.message(value, path)
        if field.type == ENUM and value not in field.enum_type.values_by_number:
            self.usage.number(field.enum_type, value)
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        return value

    def time(self, value: Any, path: tuple[Part, ...]) -> Any:
        """A google.protobuf.Timestamp as RFC 3339 text."""
        try:
            return value.ToJsonString()
        except ValueError as error:
            raise self.refuse(path, f"no google.protobuf.Timestamp: {error}", "correct the message") from None

    def free(self, value: Any, path: tuple[Part, ...]) -> Any:
        """A Struct, Value or ListValue of google.protobuf as JSON."""
        from google.protobuf import json_format  # noqa: PLC0415

        try:
            return json_format.MessageToDict(value)
        except (json_format.SerializeToJsonError, ValueError) as error:
            why = f"{value.DESCRIPTOR.full_name} without JSON: {error}"
            raise self.refuse(path, why, "correct the message") from None

    def refuse(self, path: tuple[Part, ...], why: str, step: str) -> BadInput:
        return BadInput(f"{self.where}, at {show(path)}", why, step)


def _value(message: Any, field: FieldDescriptor) -> tuple[Any, bool]:
    """A field's value, and whether a message sets it."""
    value = message.Extensions[field] if field.is_extension else getattr(message, field.name)
    if field.is_repeated:
        return value, len(value) > 0
    if not field.has_presence:
        return value, bool(value)
    return value, message.HasExtension(field) if field.is_extension else message.HasField(field.name)


def _text(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)
