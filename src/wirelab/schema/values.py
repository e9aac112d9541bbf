"""Strings that mean something else, exactly: a string counts only if it comes back as it was.

A timestamp is RFC 3339 in UTC with `Z` and no fraction, or one of 3, 6 or 9 digits, whichever is the shortest
that says it (as Protobuf's JSON mapping writes it), from 1678 to 2261. Base64 is the standard alphabet of
RFC 4648 with padding.
"""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime

_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{3}|\d{6}|\d{9}))?Z", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS = range(1678, 2262)


def timestamp_ns(text: str) -> int | None:
    """ns since the epoch, or None where the text is no timestamp that would come back as it was."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    except ValueError:
        return None
    fraction = match[2] or ""
    if fraction.endswith("000") or moment.year not in _YEARS:
        return None
    seconds = (moment - _EPOCH).days * 86400 + (moment - _EPOCH).seconds
    return seconds * 10**9 + int(fraction.ljust(9, "0") or "0")


def is_timestamp(text: str) -> bool:
    """Whether a text can be carried as ns since the epoch and come back as it was."""
    return timestamp_ns(text) is not None


def is_base64(text: str) -> bool:
    """Whether a text is base64 that comes back as it was from its bytes."""
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except (binascii.Error, ValueError):
        return False
