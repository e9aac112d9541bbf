"""The names of a trial's hosts and processes: a role, and a number where there are several."""

from __future__ import annotations

from msgspec import Struct

DEVICE, SERVER, PUBLISHER, SUBSCRIBER = "device", "server", "publisher", "subscriber"
RESPONDER, CONSUMER = "responder", "consumer"


class HostRole(Struct, frozen=True):
    """A role and a number from 1; the name of number 1 is the role: `publisher`, `publisher-2` ..."""

    role: str
    number: int = 1

    @classmethod
    def parse(cls, name: str) -> HostRole:
        """The role and number of a name."""
        role, _, number = name.rpartition("-")
        return cls(role, int(number)) if role and number.isdecimal() else cls(name)

    def __str__(self) -> str:
        return self.role if self.number == 1 else f"{self.role}-{self.number}"


def role_of(name: str) -> str:
    """The role of a name: `publisher` of `publisher` and of `publisher-2`."""
    return HostRole.parse(name).role


def numbered(role: str, count: int) -> list[str]:
    """The names of all hosts of a role: `device`, `device-2`, `device-3` ..."""
    return [str(HostRole(role, number)) for number in range(1, count + 1)]
