"""Strings with another meaning: RFC 3339 timestamps, base64 and keys of maps."""

from __future__ import annotations

import base64
import binascii
import math
import re
from datetime import UTC, datetime

from wirelab.model.schema import MapKeys

_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
)
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,19}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timestamp_ns(text: str) -> int | None:
    """ns since the epoch; None for other text than an RFC 3339 timestamp with `T` in 64 bits of ns.

    A leap second, more than nine digits of a second and the unknown offset `-00:00` are none
    either.
    """
    match = _TIMESTAMP.fullmatch(text)
    if match is None or (match[3], match[4], match[5]) == ("-", "00", "00"):
        return None
    try:
        since = datetime.fromisoformat(match[1]).replace(tzinfo=UTC) - _EPOCH
    except ValueError:
        return None
    offset = (int(match[4]) * 60 + int(match[5])) * 60 if match[3] else 0
    seconds = since.days * 86400 + since.seconds + (offset if match[3] == "-" else -offset)
    ns = seconds * 10**9 + int((match[2] or "").ljust(9, "0"))
    return ns if -(2**63) <= ns < 2**63 else None


NONFINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""The floats that no JSON number is, by their text in Protobuf's JSON mapping."""


def nonfinite_text(value: float) -> str:
    """The text of NaN or an infinity."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def is_timestamp(text: str) -> bool:
    """Whether a text is a timestamp that 64 bits of ns hold."""
    return timestamp_ns(text) is not None


def comes_back(text: str) -> bool:
    """Whether a timestamp is restored to the same text by a format that encodes only its ns.

    Such a format writes UTC with `Z` and the fewest of 0, 3, 6 or 9 digits, as Protobuf's JSON
    mapping does.
    """
    fraction = text.removesuffix("Z").partition(".")[2]
    return text.endswith("Z") and len(fraction) % 3 == 0 and not fraction.endswith("000")


def is_base64(text: str) -> bool:
    """Whether a text is padded standard base64 (RFC 4648) that its bytes restore."""
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except (binascii.Error, ValueError):
        return False


def is_map_key(text: str, keys: MapKeys) -> bool:
    """Whether a text is the shortest one of a key of Protobuf's type `keys`."""
    if not keys:
        return True
    if keys == "bool":
        return text in ("true", "false")
    if not _INTEGER.fullmatch(text):
        return False
    bits = int(keys[-2:])
    unsigned = keys[0] in "uf"
    low, high = (0, 2**bits) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return bool(low <= int(text) < high)
