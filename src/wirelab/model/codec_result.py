"""The costs of a payload's codecs: sizes, times by phase, and losses of the round trip."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from wirelab.model.estimate import Estimate
from wirelab.model.origin import Origin

HEADLINE = ("serialize", "deserialize")
"""The phases that every codec has and by which codecs are ranked. Their sum is TOTAL."""
TOTAL = "total"


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
    """Thread CPU time of one operation in a phase: the mean over replicates, with the samples
    behind it.

    `replicates` holds one tuple per process, of one value in ns per sample. `wall_ratio` is the
    median of wall time over CPU time in all samples: near 1 unless other work used the core.
    """

    phase: str
    time: Estimate
    replicates: tuple[tuple[float, ...], ...]
    wall_ratio: float


class RoundTripLoss(Struct, frozen=True):
    """A difference after the round trip: its first example, and the number of messages that have
    it.
    """

    path: str
    kind: str
    count: int
    message: int
    sent: str
    received: str


class Compressed(Struct, frozen=True):
    """A codec's messages after compression.

    Sizes are bytes per message, with the minimum and maximum of a batch; times are ns of CPU time
    per message. `method`: `none`, `gzip`, `zstd`, `zstd-dict` (a dictionary of `dictionary_bytes`
    on both sides, trained on the `trained_on` messages before those measured), `zstd-prev` (the
    previous message as zstd's prefix) or `merge-patch` (RFC 7396 against the previous message, in
    the same format). `batch` messages are compressed together, each after its length as a varint.
    `skipped` is the reason for a missing figure.
    """

    method: str
    batch: int = 1
    level: int = 0
    size: Estimate | None = None
    compress: Estimate | None = None
    decompress: Estimate | None = None
    dictionary_bytes: int = 0
    trained_on: int = 0
    skipped: str = ""


class Allocated(Struct, frozen=True):
    """Heap allocations of one operation of a phase, as means over the corpus.

    `peak_bytes` is the maximum live at once. A JVM counts bytes only.
    """

    phase: str
    allocations: float | None
    bytes: float
    peak_bytes: int | None


class Resident(Struct, frozen=True):
    """Peak resident set of processes that do one phase with one message, smallest to largest
    message.

    Phase "" is the process before its first operation: program, pack and message are loaded.
    """

    phase: str
    peak: Estimate


class SingleCall(Struct, frozen=True):
    """Wall time of single calls (`encode`, `decode`); reading the clock takes `clock_ns` of it.

    `steady`: every process had reached a steady state; a JVM may not within its warm-up.
    """

    call: str
    p50: Estimate
    p99: Estimate
    clock_ns: float
    steady: bool = True


class KindCost(Struct, frozen=True):
    """A codec on the messages of one kind: bytes (mean, smallest, largest) and times per message.

    Kinds with few messages may have no times.
    """

    kind: str
    size: Estimate
    serialize: Estimate | None = None
    deserialize: Estimate | None = None


class ExtraMetrics(Struct, frozen=True):
    """Optional measurements of a codec: compression, memory, single calls.

    `kinds` are only there if the corpus has several kinds of message.
    """

    compressed: tuple[Compressed, ...] = ()
    allocated: tuple[Allocated, ...] = ()
    resident: tuple[Resident, ...] = ()
    single: tuple[SingleCall, ...] = ()
    kinds: tuple[KindCost, ...] | UnsetType = UNSET

    @property
    def by_kind(self) -> tuple[KindCost, ...]:
        """The costs by kind; empty if there is one kind."""
        return self.kinds if isinstance(self.kinds, tuple) else ()


class CodecPlace(Struct, frozen=True):
    """The place of a codec in a table: ranks, groups and ties are as those of rows.

    `ratio`: its figure over that of the first codec.
    """

    rank: int
    group: int
    tied: bool
    inconclusive: bool
    ratio: Estimate


class RankedCodec(Struct, frozen=True):
    """A codec of a comparison and its place; None without a figure."""

    name: str
    language: str
    place: CodecPlace | None


class CodecResult(Struct, frozen=True):
    """One codec on one corpus. `failed` and `skipped` are the reasons for missing sizes or times.

    `losses` are known from the schema alone, `round_trip` are those found in these messages.
    `total` is serialize + deserialize, `totals` its mean in each process.
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
    totals: tuple[float, ...] = ()
    failed: str = ""
    skipped: str = ""
    notes: tuple[str, ...] = ()
    extra_metrics: ExtraMetrics = ExtraMetrics()

    def timing(self, phase: str) -> CodecTiming | None:
        """The timing of a phase, None where the codec has no such phase."""
        return next((timing for timing in self.timings if timing.phase == phase), None)


class CodecComparison(Struct, frozen=True):
    """All codecs of one payload, measured together. `same_content`: all read the same fields.

    `ranking` is by `ranked_by`: `total`, `size` or `over LINK`.
    """

    schema: str
    toolchain: str
    messages: int
    repeats: int
    seed: int
    same_content: bool
    codecs: tuple[CodecResult, ...]
    ranked_by: str = TOTAL
    ranking: tuple[RankedCodec, ...] = ()
    origin: Origin | None = None
