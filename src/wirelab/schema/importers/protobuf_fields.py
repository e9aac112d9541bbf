"""What Protobuf's descriptors say of fields: their JSON key, presence, and coding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

LIBRARY = "google.protobuf."
TIMESTAMP = f"{LIBRARY}Timestamp"
DURATION = f"{LIBRARY}Duration"
FIELD_MASK = f"{LIBRARY}FieldMask"
ANY = f"{LIBRARY}Any"
VALUE = f"{LIBRARY}Value"
FREE_FORM: dict[str, Literal["value", "struct", "list"]] = {
    f"{LIBRARY}Struct": "struct",
    VALUE: "value",
    f"{LIBRARY}ListValue": "list",
}
"""Messages of any JSON value, object or list."""
_WRAPPED = ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
WRAPPERS = frozenset(f"{LIBRARY}{name}Value" for name in _WRAPPED)
"""Messages whose JSON is that of their only field, `value`."""
SPECIAL = {
    TIMESTAMP: "timestamp",
    DURATION: "duration",
    FIELD_MASK: "field_mask",
    ANY: "any",
    **dict.fromkeys(FREE_FORM, "struct"),
    **dict.fromkeys(WRAPPERS, "wrappers"),
}
"""Messages whose JSON is not that of their fields, and their files in google/protobuf."""
GROUP, ENUM = 10, 14
"""FieldDescriptorProto.Type of a delimited message and of an enum."""
_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 13, ENUM, 15, 16, 17, 18})


def fields_of(message: Descriptor) -> list[FieldDescriptor]:
    """The fields of a message, then its extensions in the loaded files by number."""
    pool = message.file.pool
    extensions = pool.FindAllExtensions(message) if message.is_extendable else []
    return [*message.fields, *sorted(extensions, key=lambda field: int(field.number))]


def key_of(field: FieldDescriptor, json_names: bool) -> str:
    """The JSON key of a field: its lowerCamelCase `json_name`, or its name in the .proto.

    An extension's is its full name in brackets.
    """
    if field.is_extension:
        return f"[{field.full_name}]"
    return str(field.json_name if json_names else field.name)


def may_be_absent(field: FieldDescriptor) -> bool:
    """Whether a field may be absent."""
    return bool(field.has_presence and not field.is_required)


def is_map(field: FieldDescriptor) -> bool:
    """Whether a field is a map."""
    inner = field.message_type
    is_entry = inner is not None and bool(inner.GetOptions().map_entry)
    return is_entry and {"key", "value"} <= set(inner.fields_by_name)


def message_inside(field: FieldDescriptor) -> Descriptor | None:
    """The message inside a field: of a map's values, of a list's items, or its own."""
    return field.message_type.fields_by_name["value"].message_type if is_map(field) else field.message_type


def is_value(field: FieldDescriptor) -> bool:
    """Whether a field is a single google.protobuf.Value, among whose values is null."""
    inner = field.message_type
    return inner is not None and not field.is_repeated and inner.full_name == VALUE


def is_wrapped(field: FieldDescriptor) -> bool:
    """Whether a field is a single wrapper, such as google.protobuf.Int32Value."""
    inner = field.message_type
    return inner is not None and not field.is_repeated and inner.full_name in WRAPPERS


def coding_of(field: FieldDescriptor) -> Literal["", "required", "expanded", "group", "wrapped"]:
    """The field's `model.schema.Field.coding`."""
    if field.type == GROUP:
        return "group"
    if is_wrapped(field):
        return "wrapped"
    if field.is_repeated:
        return "expanded" if field.type in _NUMBERS and not field.is_packed else ""
    return "required" if field.is_required and field.message_type is None else ""
