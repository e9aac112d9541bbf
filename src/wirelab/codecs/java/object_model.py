"""The interface to the object model of a library: how its message objects are created and read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from wirelab.codecs.java.names import boxed
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Float,
    Int,
    List,
    Map,
    Ref,
    Text,
    Timestamp,
)
from wirelab.schema.emitters.common import Slot


class ObjectModel(ABC):
    """How a library's generated classes are created and read."""

    package: str
    """the package of the generated classes"""
    shares_lists = True
    """whether its objects keep a java.util.List without a copy"""
    distinguishes_empty = True
    """whether an absent list differs from an empty one"""

    @abstractmethod
    def integer(self, slot: Int) -> str:
        """`int` or `long`."""

    @abstractmethod
    def float(self, slot: Float) -> str:
        """`float` or `double`."""

    octets: str
    """the Java type of a byte string"""

    @abstractmethod
    def to_octets(self, value: str) -> str:
        """From a byte[]."""

    @abstractmethod
    def from_octets(self, value: str) -> str:
        """To a byte[]."""

    def is_unsigned(self, slot: Int) -> bool:  # noqa: ARG002
        """Whether an `int` of this slot holds an unsigned 32-bit integer."""
        return False

    @abstractmethod
    def create(self, table: str, sets: list[str]) -> str:
        """Statements that create an object `b`, run `sets` and return it."""

    @abstractmethod
    def set(self, slot: Slot, value: str) -> str:
        """A call that sets a field of `b`."""

    @abstractmethod
    def get(self, slot: Slot) -> str:
        """An expression for a field of `o`."""

    @abstractmethod
    def has(self, slot: Slot) -> str:
        """An expression for whether an optional field of `o` is present."""

    def create_alternative(self, table: str, slot: Slot, value: str) -> str:
        """Statements that return a union with this alternative."""
        return self.create(table, [f"{self.set(slot, value)};"])

    def get_alternative(self, slot: Slot) -> str:
        """An expression for an alternative of the union `o`, which it is."""
        return self.get(slot)

    @abstractmethod
    def choose(self, slots: Sequence[Slot], bodies: Sequence[str]) -> str:
        """Statements that run the body of the alternative that the union `o` is."""

    def java(self, slot: AnyType) -> str:  # noqa: PLR0911  (one return per type reads best)
        """The library's type of a slot, primitive if there is one."""
        if isinstance(slot, Int):
            return self.integer(slot)
        if isinstance(slot, Float):
            return self.float(slot)
        if isinstance(slot, List):
            return f"List<{boxed(self.java(slot.items))}>"
        if isinstance(slot, Map):
            return f"Map<String, {boxed(self.java(slot.values))}>"
        if isinstance(slot, Ref):
            return f"{self.package}.{slot.name}"
        if isinstance(slot, Base64):
            return self.octets
        if isinstance(slot, Text):
            return "String"
        names: dict[type, str] = {Bool: "boolean", Timestamp: "long"}
        return names[type(slot)]
