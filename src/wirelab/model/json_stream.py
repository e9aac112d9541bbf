"""One publisher and one subscriber that hears it, where the roles of a trial stand on several nodes."""

from __future__ import annotations

from msgspec import Struct


class Offset(Struct, frozen=True):
    """How far another clock is ahead of the own one: `ahead` ns when it reads `theirs`, gaining `drift` a ns; within `error` ns."""

    theirs: int = 0
    ahead: float = 0.0
    drift: float = 0.0
    error: float = 0.0

    def there(self, own: int) -> int:
        """What the other clock says when the own one says `own`."""
        return self.theirs + round((own + self.ahead - self.theirs) / (1 - self.drift))


SAME = Offset()
"""Two processes under one clock."""


class Stream(Struct, frozen=True):
    """Names of samples and counters; `number` tells several subscribers apart. The own clock of `clock` is the subscriber's."""

    publisher: str
    subscriber: str
    number: int = 0
    clock: Offset = SAME
