"""How a library with objects of its own names and makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod

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
    String,
    Timestamp,
)
from wirelab.schema.emitters.common import Slot


def capital(name: str) -> str:
    """`f0` as `F0`."""
    return name[:1].upper() + name[1:]


class ObjectModel(ABC):
    """How a library's generated classes are made and read. `package` is where they are."""

    package: str
    shares_lists = True
    """whether its objects hold any java.util.List as it is"""
    distinguishes_empty = True
    """whether a list that is absent is told from an empty one"""

    @abstractmethod
    def integer(self, slot: Int) -> str:
        """`int` or `long`."""

    @abstractmethod
    def float(self, slot: Float) -> str:
        """`float` or `double`."""

    octets: str
    """the type of a byte string"""

    @abstractmethod
    def to_octets(self, value: str) -> str:
        """From a byte[]."""

    @abstractmethod
    def from_octets(self, value: str) -> str:
        """To a byte[]."""

    def is_unsigned(self, slot: Int) -> bool:  # noqa: ARG002
        """Whether an `int` of this slot stands for 32 bits without sign."""
        return False

    @abstractmethod
    def create(self, table: str, sets: list[str]) -> str:
        """Statements that make an object, run `sets` on `b` and return it."""

    @abstractmethod
    def set(self, slot: Slot, value: str) -> str:
        """A call on `b`."""

    @abstractmethod
    def get(self, slot: Slot) -> str:
        """A field of `o`."""

    @abstractmethod
    def has(self, slot: Slot) -> str:
        """Whether a field of `o` that may be missing is there."""

    def java(self, slot: AnyType) -> str:  # noqa: PLR0911  (one return per type reads best)
        """The library's type of a slot, primitive where there is one."""
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
        names: dict[type, str] = {Bool: "boolean", String: "String", Timestamp: "long"}
        return names[type(slot)]
