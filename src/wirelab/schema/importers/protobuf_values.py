"""Messages of a given .proto, from Protobuf's JSON mapping or its bytes, as values in our types.

The mapping allows variants: keys may be a field's name or its json_name, 64-bit integers text or
numbers, enums names or numbers. An absent proto3 scalar, list or map has its default. Values that
fit no type are kept, so that the schema's check rejects them with their path.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers.protobuf import TIMESTAMP, key_of
from wirelab.schema.json_reader import MAX_DEPTH, depth_exceeds
from wirelab.schema.paths import Part, show

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

_INTEGER = re.compile(r"-?[0-9]{1,20}")
_DOUBLE, _FLOAT, _BYTES, _ENUM = 1, 2, 12, 14
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
        inner = _message_type(field)
        if inner is not None and any(_camel(one, inner) for one in _inside(field, value.get(field.name))):
            return True
    return False


def _inside(field: FieldDescriptor, value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif _is_map(field) and isinstance(value, dict):
        yield from value.values()
    else:
        yield value


def _message_type(field: FieldDescriptor) -> Descriptor | None:
    """The message inside a field: of a map's values, of a list's items, or its own."""
    return field.message_type.fields_by_name["value"].message_type if _is_map(field) else field.message_type


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


class FromJson:
    """Messages of the JSON mapping in our types. `where` is the current message; `notes` are about
    differences.
    """

    def __init__(self, json_names: bool) -> None:
        self.json_names, self.where = json_names, ""
        self.notes: dict[str, None] = {}

    def message(self, value: Any, message: Descriptor, path: tuple[Part, ...] = ()) -> Any:
        """One message. Raises BadInput for an unknown name of an enum."""
        if not isinstance(value, dict):
            return value
        made: dict[str, Any] = {}
        known: set[str] = set()
        for field in message.fields:
            known |= {field.name, field.json_name}
            given = value.get(field.json_name, value.get(field.name))
            key = key_of(field, self.json_names)
            if given is not None:
                made[key] = self.field(given, field, (*path, key))
            elif field.is_repeated:
                made[key] = {} if _is_map(field) else []
            elif not field.has_presence:
                made[key] = _default(field)
        return made | {key: item for key, item in value.items() if key not in known}

    def field(self, given: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        if _is_map(field) and isinstance(given, dict):
            inner = field.message_type.fields_by_name["value"]
            return {key: self.single(one, inner, (*path, key)) for key, one in given.items()}
        if field.is_repeated and isinstance(given, list):
            return [self.single(one, field, (*path, at)) for at, one in enumerate(given)]
        return self.single(given, field, path)

    def single(self, given: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        inner = field.message_type
        if inner is not None:
            return given if inner.full_name == TIMESTAMP else self.message(given, inner, path)
        if field.type in _TEXTUAL:
            return given
        if field.type == _ENUM:
            return self.enum(given, field, path)
        if field.type == _BYTES:
            return _standard_base64(given)
        return _float(given) if field.type in (_DOUBLE, _FLOAT) else self.integer(given)

    def integer(self, given: Any) -> Any:
        if isinstance(given, str) and _INTEGER.fullmatch(given):
            self.notes["integers that messages write as text are numbers here, in JSON too"] = None
            return int(given)
        return int(given) if isinstance(given, float) and given.is_integer() else given

    def enum(self, given: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        if not isinstance(given, str):
            return given
        found = field.enum_type.values_by_name.get(given)
        if found is None:
            choice = ", ".join(list(field.enum_type.values_by_name)[:8])
            why = f"{field.enum_type.name} has no {given!r}"
            raise BadInput(f"{self.where}, at {show(path)}", why, f"it has {choice}")
        return found.number


def _float(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        value = float(given)
    except ValueError:
        return given
    return value if math.isfinite(value) else given


def _standard_base64(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    text = given.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64encode(base64.b64decode(text + "=" * (-len(text) % 4), validate=True)).decode()
    except (binascii.Error, ValueError):
        return given


def _default(field: FieldDescriptor) -> Any:
    return 0 if field.type == _ENUM else "" if field.type == _BYTES else field.default_value


def textual(corpus: Corpus, root: Descriptor, json_names: bool) -> tuple[Corpus, tuple[str, ...]]:
    """A corpus of the JSON mapping in our types, and notes on differences. Raises BadInput."""
    reader = FromJson(json_names)
    messages = []
    for index, message in enumerate(corpus.messages):
        reader.where = corpus.where(index)
        messages.append(reader.message(message, root))
    return replace(corpus, messages=tuple(messages)), tuple(reader.notes)


def binary(parts: Iterable[bytes], root: Descriptor, name: str) -> tuple[Corpus, tuple[str, ...]]:
    """Binary messages of the file `name` in our types, and notes on skipped parts.

    Raises BadInput.
    """
    unknown: dict[str, int] = {}
    messages = tuple(
        from_bytes(part, root, False, f"{name}, message {at}", unknown)
        for at, part in enumerate(parts, start=1)
    )
    left = (f"left out, not in the .proto: {what} ({count} times)" for what, count in unknown.items())
    return Corpus(messages, b"", name), tuple(left)


def from_bytes(data: bytes, root: Descriptor, json_names: bool, where: str, unknown: dict[str, int]) -> Any:
    """One message in our types. Counts fields that the .proto does not have. Raises BadInput."""
    from google.protobuf import message as protobuf_message  # noqa: PLC0415
    from google.protobuf import message_factory  # noqa: PLC0415

    message = message_factory.GetMessageClass(root)()
    try:
        message.ParseFromString(data)
    except protobuf_message.DecodeError as error:
        raise BadInput(where, f"no {root.name}: {error}", "is it of this .proto and message?") from None
    if not message.IsInitialized():
        missing = ", ".join(message.FindInitializationErrors()[:3])
        raise BadInput(where, f"a required field is missing: {missing}", "is it of this message?")
    values = _Values(json_names, where, unknown).message(message, ())
    if depth_exceeds(values, MAX_DEPTH):
        raise BadInput(where, f"nested deeper than {MAX_DEPTH} levels", "leave the message out")
    return values


class _Values:
    def __init__(self, json_names: bool, where: str, unknown: dict[str, int]) -> None:
        self.json_names, self.where, self.unknown = json_names, where, unknown

    def message(self, message: Any, path: tuple[Part, ...]) -> dict[str, Any]:
        from google.protobuf.unknown_fields import UnknownFieldSet  # noqa: PLC0415

        for field in UnknownFieldSet(message):
            name = f"{message.DESCRIPTOR.name} field {field.field_number}"
            self.unknown[name] = self.unknown.get(name, 0) + 1
        made = {}
        for field in message.DESCRIPTOR.fields:
            if field.is_repeated or not field.has_presence or message.HasField(field.name):
                key = key_of(field, self.json_names)
                made[key] = self.field(getattr(message, field.name), field, (*path, key))
        return made

    def field(self, value: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        if _is_map(field):
            inner = field.message_type.fields_by_name["value"]
            pairs = ((_text(key), key) for key in value)
            return {name: self.single(value[key], inner, (*path, name)) for name, key in pairs}
        if field.is_repeated:
            return [self.single(one, field, (*path, at)) for at, one in enumerate(value)]
        return self.single(value, field, path)

    def single(self, value: Any, field: FieldDescriptor, path: tuple[Part, ...]) -> Any:
        if field.message_type is not None:
            is_time = field.message_type.full_name == TIMESTAMP
            return value.ToJsonString() if is_time else self.message(value, path)
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        if isinstance(value, float) and not math.isfinite(value):
            raise BadInput(
                f"{self.where}, at {show(path)}", f"{value} is not a JSON number", "leave the field out"
            )
        return value


def _text(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)
