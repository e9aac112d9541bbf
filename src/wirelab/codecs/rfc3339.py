"""RFC 3339 timestamps as the pack reads them."""

from __future__ import annotations

from datetime import datetime


def nanoseconds(text: str) -> int:
    """Nanoseconds since 1970-01-01T00:00:00Z. Raises ValueError."""
    head, zone = text[:19], text[19:].lstrip(".0123456789")
    fraction = text[20 : len(text) - len(zone)] if text[19:20] == "." else ""
    seconds = int(datetime.fromisoformat(head + zone.replace("Z", "+00:00")).timestamp())
    return seconds * 10**9 + int(fraction.ljust(9, "0") or 0)
