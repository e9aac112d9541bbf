"""The name of a figure as a value: `large.mqtt-1.5.mean`."""

from __future__ import annotations

from msgspec import Struct

ANY = "*"


class FigureKey(Struct, frozen=True):
    """The words of a name: those of a combination (`front`), then a metric.

    The word `*` stands for any word.
    """

    words: tuple[str, ...]

    @classmethod
    def parse(cls, name: str) -> FigureKey:
        """The key that has this name."""
        return cls(tuple(name.split(".")))

    @property
    def front(self) -> FigureKey:
        """The combination, without the metric."""
        return FigureKey(self.words[:-1])

    @property
    def metric(self) -> str:
        """The last word."""
        return self.words[-1]

    def is_of(self, protocol: str) -> bool:
        """Whether the combination's delivery is over this protocol."""
        return any(word.startswith(f"{protocol}-") for word in self.words)

    def star(self, known: FigureKey) -> str | None:
        """The word that every `*` has to be for this to be the `known` key.

        "" where the keys are equal, None where no word makes them equal.
        """
        if len(self.words) != len(known.words):
            return None
        pairs = list(zip(self.words, known.words, strict=True))
        found = {word for own, word in pairs if own == ANY}
        equal = all(own in (ANY, word) for own, word in pairs)
        return next(iter(found), "") if equal and len(found) <= 1 else None

    def __str__(self) -> str:
        return ".".join(self.words)
