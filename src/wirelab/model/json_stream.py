"""One pair of publisher and subscriber in a trial on several nodes."""

from __future__ import annotations

from msgspec import Struct


class Offset(Struct, frozen=True):
    """The offset of another clock in ns: `ahead` when it reads `theirs`, plus `drift` per ns.

    It is exact to `error` ns.
    """

    theirs: int = 0
    ahead: float = 0.0
    drift: float = 0.0
    error: float = 0.0

    def there(self, own: int) -> int:
        """The reading of the other clock when the own one reads `own`."""
        return self.theirs + round((own + self.ahead - self.theirs) / (1 - self.drift))


SAME = Offset()
"""Two processes with one clock."""


class Stream(Struct, frozen=True):
    """Names of samples and counters.

    `number` identifies the subscriber. `clock` is relative to the subscriber.
    """

    publisher: str
    subscriber: str
    number: int = 0
    clock: Offset = SAME
