"""The kinds of message in a corpus."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct


class Kinds(Struct, frozen=True):
    """Kinds in the order of their first messages.

    `by` is the path of the discriminator, or `shape`. `of` has for each message of the corpus the
    index of its kind in `names`.
    """

    by: str
    names: tuple[str, ...]
    of: tuple[int, ...]

    def counts(self) -> dict[str, int]:
        """The messages of each kind."""
        found = Counter(self.of)
        return {name: found[index] for index, name in enumerate(self.names)}
