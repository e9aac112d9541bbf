"""Epochs: epoch e has e times as many messages as the first, and larger ones.

N_e = each * e for e = 1 .. last; sizes grow linearly from those of the first epoch to those of the
last.
"""

from __future__ import annotations

from collections.abc import Iterator

from wirelab.model.arrivals import Epochs
from wirelab.model.errors import BadInput

MOST_BYTES = 256 << 20


def parse(text: str, arguments: str) -> Epochs:
    """`2000:15` of `epochs,2000:15`: messages of the first epoch, and epochs. Raises BadInput."""
    first, _, number = arguments.replace(" ", "").partition(":")
    if not (first.isdigit() and number.isdigit() and int(first) and int(number)):
        why = "needs messages and epochs"
        raise BadInput(f"workload '{text}'", why, "write it like epochs,2000:15")
    return Epochs(int(first), int(number))


def numbers(each: int, last: int) -> list[int]:
    """N_e of each epoch."""
    return [each * epoch for epoch in range(1, last + 1)]


def total(each: int, last: int) -> int:
    """Messages of all epochs."""
    return each * last * (last + 1) // 2


def size(epoch: int, last: int, smallest: float, largest: float) -> float:
    """The size of an epoch's messages."""
    return largest if last == 1 else smallest + (largest - smallest) * (epoch - 1) / (last - 1)


def sizes(each: int, last: int, smallest: int, largest: int) -> Iterator[int]:
    """The size of every message, in the order of sending.

    Raises BadInput if they need too much memory.
    """
    if total(each, last) * max(smallest, largest) > MOST_BYTES:
        what = f"{total(each, last):,} messages of up to {max(smallest, largest):,} B"
        raise BadInput(what, "too large to prepare", "give fewer messages in the first epoch")
    for epoch, number in enumerate(numbers(each, last), 1):
        for _ in range(number):
            yield round(size(epoch, last, smallest, largest))
