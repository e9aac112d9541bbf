"""The seed of each replicate, and its position in the trace (docs/explanation/method.md)."""

from __future__ import annotations

import random
from collections.abc import Iterator

from wirelab.lab.link import TRACE_S, LinkFacts


def draws(seed: int) -> Iterator[tuple[int, float]]:
    """Seed of each replicate, and its position as a fraction of the trace, without end.

    Each position is uniform. The first 2**k of them lie in different 2**k-ths of the trace, at
    random within: the van der Corput sequence with nested scrambling (Owen 1995). They are not at
    equal distances, which a periodic trace would answer with the same phase each time.
    """
    random_numbers, positions = random.Random(seed), list[float]()
    while True:
        own = random_numbers.getrandbits(48)
        cells = 1 << len(positions).bit_length()
        # Of the cell twice as large, the other half is taken by this earlier replicate.
        cell = int(positions[len(positions) - cells // 2] * cells) ^ 1 if positions else 0
        positions.append((cell + random_numbers.random()) / cells)
        yield own, positions[-1]


def offset_s(seed: int, position: float, link: LinkFacts) -> float:
    """Where a replicate starts in the trace of a link, s.

    In a short recording it starts in one of several passes, so that it meets other parts of what
    does not repeat with it.
    """
    passes = max(1, int(TRACE_S / link.trace_s))
    return round((seed % passes + position) * link.trace_s, 3)
