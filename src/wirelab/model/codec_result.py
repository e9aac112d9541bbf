"""What the codecs of a payload cost: sizes, times by phase, and what does not come back."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.estimate import Estimate


class CodecSizes(Struct, frozen=True):
    """Encoded bytes of every message of the corpus, in its order."""

    per_message: tuple[int, ...] = ()

    @property
    def mean(self) -> float:
        """Mean bytes of a message; 0 for no messages."""
        return sum(self.per_message) / len(self.per_message) if self.per_message else 0.0

    @property
    def smallest(self) -> int:
        """Bytes of the smallest message."""
        return min(self.per_message, default=0)

    @property
    def largest(self) -> int:
        """Bytes of the largest message."""
        return max(self.per_message, default=0)


class CodecTiming(Struct, frozen=True):
    """Thread CPU time of one operation in a phase: the mean over replicates, with the samples behind it.

    `replicates` holds one tuple per process, of one value in ns per sample. `wall_ratio` is wall time over CPU
    time in all samples, median: near 1 unless something else wanted the core.
    """

    phase: str
    time: Estimate
    replicates: tuple[tuple[float, ...], ...]
    wall_ratio: float


class RoundTripLoss(Struct, frozen=True):
    """A difference between what was sent and what came back: the first example, and in how many messages."""

    path: str
    kind: str
    count: int
    message: int
    sent: str
    received: str


class CodecResult(Struct, frozen=True):
    """One codec on one corpus. `failed` says why it has no sizes or times, `skipped` why it was not tried.

    `losses` are known from the schema alone, `round_trip` are those found in these messages. `total` is
    serialize + deserialize.
    """

    name: str
    format: str
    library: str
    version: str
    language: str = "rust"
    options: dict[str, str] = {}
    self_delimiting: bool = False
    losses: tuple[str, ...] = ()
    round_trip: tuple[RoundTripLoss, ...] = ()
    sizes: CodecSizes = CodecSizes()
    timings: tuple[CodecTiming, ...] = ()
    total: Estimate | None = None
    failed: str = ""
    skipped: str = ""
    notes: tuple[str, ...] = ()

    def timing(self, phase: str) -> CodecTiming | None:
        """The timing of a phase, None where the codec has no such phase."""
        return next((timing for timing in self.timings if timing.phase == phase), None)


class CodecComparison(Struct, frozen=True):
    """All codecs of one payload, measured together. `same_content` says that all read the same fields."""

    schema: str
    toolchain: str
    messages: int
    repeats: int
    seed: int
    same_content: bool
    codecs: tuple[CodecResult, ...]
