"""What the messages of a payload use of a given .proto, and what they have beyond it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

_VARINT, _FIXED64, _BYTES, _START, _FIXED32 = 0, 1, 2, 3, 5


class Usage:
    """Fields that messages set, numbers of enums without a name, and unknown fields.

    `left_out` has the full names of fields that the schema does not have.
    """

    def __init__(self, left_out: frozenset[str] = frozenset()) -> None:
        self.left_out = left_out
        self.fields: set[str] = set()
        self.numbers: dict[str, dict[int, int]] = {}
        self.unknown: dict[str, tuple[int, int]] = {}
        self._notes: dict[str, None] = {}

    def see(self, field: FieldDescriptor) -> None:
        """A message sets a field."""
        self.fields.add(field.full_name)

    def note(self, text: str) -> None:
        """Something to say once."""
        self._notes[text] = None

    def number(self, enum: EnumDescriptor, number: int) -> None:
        """A message has a number that the enum does not name."""
        seen = self.numbers.setdefault(enum.full_name, {})
        seen[number] = seen.get(number, 0) + 1

    def unknown_field(self, message: str, field: Any) -> None:
        """A message has a field, of Protobuf's UnknownFieldSet, that the file does not have."""
        count, size = self.unknown.get(f"{message} field {field.field_number}", (0, 0))
        self.unknown[f"{message} field {field.field_number}"] = (count + 1, size + _size(field))

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the messages."""
        left = (
            f"left out, not in the .proto: {what} ({count} times, {size:,} bytes)"
            for what, (count, size) in self.unknown.items()
        )
        kept = (
            f"kept, {enum.rpartition('.')[2]} has no name for it: {number} ({count} times)"
            for enum, seen in self.numbers.items()
            for number, count in seen.items()
        )
        return (*left, *kept, *self._notes)


def _size(field: Any) -> int:
    """The bytes of an unknown field with its tag. A group has two tags."""
    tag = _varint(field.field_number << 3)
    if field.wire_type == _VARINT:
        return tag + _varint(field.data)
    if field.wire_type == _BYTES:
        return tag + _varint(len(field.data)) + len(field.data)
    if field.wire_type == _START:
        return 2 * tag + sum(map(_size, field.data))
    return tag + (8 if field.wire_type == _FIXED64 else 4)


def _varint(value: int) -> int:
    return max(1, -(-(value % 2**64).bit_length() // 7))
