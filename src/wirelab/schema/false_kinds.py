"""Messages whose discriminator contradicts their shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wirelab.schema.shapes import Shape, Trait

RARE = 0.1
"""A shape in a larger share of a kind's messages is a variant of that kind."""


def false_kinds(names: Sequence[str], shapes: Sequence[Shape]) -> tuple[list[str], dict[int, str]]:
    """The kinds of messages by what they are, and what the messages in error say, by their index.

    A message is in error if its shape is the most frequent one of another kind, is rare in its own,
    and has a trait that no other shape of its own kind has.
    """
    counts: dict[str, Counter[Shape]] = {}
    for name, one in zip(names, shapes, strict=True):
        counts.setdefault(name, Counter())[one] += 1
    usual: dict[Shape, list[str]] = {}
    for name, own in counts.items():
        if (top := own.most_common(1)[0])[1] > 1:
            usual.setdefault(top[0], []).append(name)
    corrected, lies = list(names), dict[int, str]()
    for index, (name, one) in enumerate(zip(names, shapes, strict=True)):
        owners = usual.get(one, [])
        if len(owners) != 1 or owners[0] == name or not _is_strange(one, counts[name]):
            continue
        corrected[index], lies[index] = owners[0], name
    return corrected, lies


def _is_strange(one: Shape, own: Counter[Shape]) -> bool:
    others: set[Trait] = set().union(*(other for other in own if other != one))
    rare = own[one] <= max(1, RARE * own.total()) and own.total() > own[one]
    return rare and bool(one - others)
