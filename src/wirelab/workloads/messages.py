"""Generated messages of given sizes: a pure function of size, number and seed."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

MOST, MOST_BYTES = 1000, 8 << 20


def messages(size: int, number: int, seed: int = 1) -> list[bytes]:
    """`number` messages of `size` bytes that begin with their number.

    The rest is random bytes from the seed, which cannot be compressed. Messages of 10 bytes are
    `message001` and so on, as in proos2020.
    """
    random = Random(seed)
    return [_message(size, i + 1, random) for i in range(number)]


def growing(sizes: Iterable[int], seed: int = 1) -> list[bytes]:
    """One message of each size. Each begins with its number."""
    random = Random(seed)
    return [_message(size, i + 1, random) for i, size in enumerate(sizes)]


def in_batches(made: Sequence[bytes], size: int) -> list[bytes]:
    """Full batches of `size` messages, each behind its length as a base-128 varint."""
    framed = [_varint(len(one)) + one for one in made]
    return [b"".join(framed[at : at + size]) for at in range(0, len(framed) - size + 1, size)]


def _varint(value: int) -> bytes:
    digits = bytearray()
    while value >= 128:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def _message(size: int, number: int, random: Random) -> bytes:
    digits = b"%03d" % number
    head = b"message"[: max(0, size - len(digits))] + digits
    return head[-size:] if len(head) >= size else head + random.randbytes(size - len(head))


def how_many(size: int, total: int | None) -> int:
    """The number of distinct messages for a trial of `total`: all, up to a thousand or 8 MiB."""
    most = max(1, min(MOST, MOST_BYTES // max(1, size)))
    return most if total is None else min(total, most)


def write(path: Path, made: list[bytes]) -> None:
    """Write messages in the format of docs/contracts/peer.md: u32 little-endian length, then the
    bytes.
    """
    path.write_bytes(b"".join(struct.pack("<I", len(one)) + one for one in made))


def read(path: Path) -> list[bytes]:
    """The messages of a file. Raises OSError, struct.error."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found
