"""The address of a server as a value."""

from __future__ import annotations

from msgspec import Struct


class HostPort(Struct, frozen=True):
    """`HOST:PORT`; an IPv6 address is in brackets in the text."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> HostPort | None:
        """The host and port of a text; None if it is not of that form."""
        host, _, port = text.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
            return None
        return cls(host.strip("[]"), int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
