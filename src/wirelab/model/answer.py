"""The ranked answer as values: thresholds, rows with ranks and ties, and excluded combinations."""

from __future__ import annotations

import enum
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from wirelab.model.codec_result import HEADLINE, TOTAL, CodecPlace, ExtraMetrics
from wirelab.model.device import DeviceRun
from wirelab.model.estimate import Estimate
from wirelab.model.note import RowNote
from wirelab.model.reason import Reason, sentence
from wirelab.model.result import Counts, Delivery, MessagePath, Shares, TrialResult
from wirelab.model.trial import State, Trial

GIVEN = frozenset(
    {
        "part",
        "payload",
        "link",
        "loss",
        "rate",
        "utilization",
        "workload",
        "subscribers",
        "topology",
        "count",
        "duration",
        "clients",
        "size",
        "service",
    }
)
"""Factors of the user's situation, not of the choice: there is one ranking per level."""


class Threshold(Struct, frozen=True):
    """A condition: `metric relation limit`, the limit in the metric's stored unit."""

    text: str
    metric: str
    relation: str
    limit: float


class Status(enum.StrEnum):
    """Whether a threshold passes, fails, or is inconclusive: the interval lies on both sides."""

    PASS = "pass"
    INCONCLUSIVE = "inconclusive"
    FAIL = "fail"


class ThresholdResult(Struct, frozen=True):
    """The status of one threshold (its `text`) for one row, and the figures behind it."""

    threshold: str
    status: Status
    evidence: str = ""


class VerdictCount(Struct, frozen=True):
    """Trials with one verdict: their number, and reasons that differ at most in figures."""

    state: State
    reasons: tuple[Reason, ...]
    trials: int = 1

    def __str__(self) -> str:
        times = f" ({self.trials} times)" if self.trials > 1 else ""
        return f"{self.state}: {sentence(self.reasons)}{times}"


class Tally(Struct, frozen=True):
    """How the trials behind a row ended, with the reasons of those that are not valid."""

    valid: int = 0
    invalid: int = 0
    skipped: int = 0
    failed: int = 0
    missing: int = 0
    reasons: tuple[VerdictCount, ...] = ()


class Cause(enum.StrEnum):
    """Who causes round trips before a message is delivered."""

    QOS_2 = "qos_2"
    BLOCKS = "blocks"
    NSTART = "nstart"
    ANSWERS = "answers"
    FIRST_WINDOW = "first_window"
    NAGLE = "nagle"
    ACKNOWLEDGEMENTS = "acknowledgements"


class Why(Struct, frozen=True):
    """The reason for a row's latency in one line, and its figures per message: round trips before
    delivery and their `cause`, timers that ran out, and the share of the latency that the packets
    do not explain.
    """

    text: str
    round_trips: float = 0.0
    cause: Cause | None = None
    timeouts: float = 0.0
    unexplained: float = 0.0


class KindFigures(Struct, frozen=True):
    """The messages of one kind in the trials of a row: planned, delivered, bytes and latency."""

    kind: str
    planned: int
    delivered: int
    bytes: Estimate | None = None
    latency_p50: Estimate | None = None
    latency_p99: Estimate | None = None


class Row(Struct, frozen=True):
    """One combination of levels, over its valid replicates.

    `levels` are all its factors: `context` those that are given (the link), `choice` those that are
    chosen. `rank` counts from 1 within the context. Rows with one `group` number are a tie
    (`tied`): the first objective does not separate them from the best of that group, and the second
    orders them. `status` is that of its `thresholds` together. `inconclusive`: too noisy for its
    rank. The row is not separated from the best although it is in a later group, or it ties
    although it is more than 10 % off. `overloaded`: how many of its valid trials did not carry the
    offered rate.
    """

    levels: dict[str, str]
    context: dict[str, str]
    choice: dict[str, str]
    label: str
    estimates: dict[str, Estimate]
    shares: Shares
    counts: Counts
    tally: Tally
    trials: tuple[str, ...]
    thresholds: tuple[ThresholdResult, ...] = ()
    status: Status = Status.PASS
    rank: int = 0
    group: int = 0
    tied: bool = False
    inconclusive: bool = False
    notes: tuple[RowNote, ...] = ()
    kinds: tuple[KindFigures, ...] | UnsetType = UNSET

    @property
    def by_kind(self) -> tuple[KindFigures, ...]:
        """The figures by kind of message; empty if there is one kind."""
        return self.kinds if isinstance(self.kinds, tuple) else ()

    overloaded: int = 0
    delivery: Delivery = Delivery.UNKNOWN
    path: MessagePath = MessagePath()
    why: Why | None = None


class Ranking(Struct, frozen=True):
    """The rows of one context (`{}` if it is the only one), best first, and its result in one
    sentence. `floors` are rows of transports alone, best first: they are not ranked.
    """

    context: dict[str, str]
    rows: tuple[Row, ...]
    headline: str
    floors: tuple[Row, ...] = ()


class Choice(Struct, frozen=True):
    """One choice over all contexts; `thresholds` and `worst` (estimates) are of its worst context."""

    choice: dict[str, str]
    label: str
    status: Status
    thresholds: tuple[ThresholdResult, ...]
    worst: dict[str, Estimate]
    rank: int = 0
    group: int = 0
    tied: bool = False
    inconclusive: bool = False
    delivery: Delivery = Delivery.UNKNOWN


class Excluded(Struct, frozen=True):
    """A combination without a valid trial, with the reason."""

    levels: dict[str, str]
    label: str
    tally: Tally


class CodecRow(Struct, frozen=True):
    """One codec on the payload: bytes per message, time by phase (ns per message), losses.

    `phases` are keyed by phase name (`serialize`, `deserialize`, `populate`, `encode`, `access`
    ...); `total` is serialize + deserialize as it was measured, `totals` its mean in each process.
    `place` is its place among the codecs of the table.
    """

    codec: str
    format: str
    library: str
    version: str
    language: str
    bytes: Estimate
    phases: dict[str, Estimate]
    losses: tuple[str, ...] = ()
    round_trip: bool = True
    options: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    extra_metrics: ExtraMetrics = ExtraMetrics()
    totals: tuple[float, ...] = ()
    place: CodecPlace | None = None

    @property
    def total(self) -> Estimate | None:
        """serialize + deserialize, ns: as measured, else a sum with the sum of both intervals."""
        if TOTAL in self.phases:
            return self.phases[TOTAL]
        if not all(name in self.phases for name in HEADLINE):
            return None
        first, second = (self.phases[name] for name in HEADLINE)
        ends = (first.value + second.value, first.low + second.low, first.high + second.high)
        replicates, n = min(first.replicates, second.replicates), min(first.n, second.n)
        return Estimate(*ends, "ns", replicates, n, "sum of both intervals")


class LinkCheck(Struct, frozen=True):
    """The check of a link before use: its text, whether it passed, and the emulator's figures."""

    link: str
    ok: bool
    figures: dict[str, Any]


class Answer(Struct, frozen=True):
    """The answer: which choice is best, within each context and over all of them, in one
    `headline`.
    """

    thresholds: tuple[Threshold, ...]
    objectives: tuple[str, ...]
    headline: str
    status: Status
    rankings: tuple[Ranking, ...]
    overall: tuple[Choice, ...]
    excluded: tuple[Excluded, ...]
    codecs: tuple[CodecRow, ...]
    links: tuple[LinkCheck, ...]
    warnings: tuple[str, ...]
    meta: dict[str, Any]
    complete: bool = True
    device: DeviceRun | None = None

    @property
    def asked_metrics(self) -> tuple[str, ...]:
        """The metrics of objectives and of thresholds, each once. Some thresholds have no metric."""
        named = (*self.objectives, *(one.metric for one in self.thresholds if one.metric))
        return tuple(dict.fromkeys(named))


class Record(Struct, frozen=True):
    """A trial in the journal. `state` is planned, running or done; a done trial has a `result`."""

    trial: Trial
    state: str
    attempt: int
    result: TrialResult | None = None


class Results(Struct, frozen=True):
    """The JSON report: the answer and every trial behind it (`docs/reference/results.schema.json`)."""

    answer: Answer
    trials: tuple[Record, ...]
    format: str = "wirelab-results"
    version: int = 1
