"""Ready-made messages of a size: a pure function of size, number and seed; no format, no codec."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from random import Random

MOST, MOST_BYTES = 1000, 8 << 20


def messages(size: int, number: int, seed: int = 1) -> list[bytes]:
    """`number` messages of `size` bytes, told apart by their number at the front; 10 bytes are `message001` as in proos2020.

    Behind it stand bytes drawn from the seed, so that nothing on the way can shorten them.
    """
    random = Random(seed)
    return [_message(size, i + 1, random) for i in range(number)]


def growing(sizes: Iterable[int], seed: int = 1) -> list[bytes]:
    """One message of each size, told apart in the same way."""
    random = Random(seed)
    return [_message(size, i + 1, random) for i, size in enumerate(sizes)]


def _message(size: int, number: int, random: Random) -> bytes:
    digits = b"%03d" % number
    head = b"message"[: max(0, size - len(digits))] + digits
    return head[-size:] if len(head) >= size else head + random.randbytes(size - len(head))


def how_many(size: int, total: int | None) -> int:
    """Messages worth making for a trial of `total`: all, up to a thousand or 8 MiB."""
    most = max(1, min(MOST, MOST_BYTES // max(1, size)))
    return most if total is None else min(total, most)


def write(path: Path, made: list[bytes]) -> None:
    """As docs/contracts/peer.md has it: each a u32 little-endian length and that many bytes."""
    path.write_bytes(b"".join(struct.pack("<I", len(one)) + one for one in made))


def read(path: Path) -> list[bytes]:
    """The messages of a file. Raises OSError, struct.error."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found
