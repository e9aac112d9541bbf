"""The ranked answer as values: what was asked, what was found, what is a tie, and what cannot be said."""

from __future__ import annotations

import enum
from typing import Any

from msgspec import Struct

from wirelab.model.codec_result import HEADLINE, TOTAL, Beyond
from wirelab.model.device import DeviceRun
from wirelab.model.estimate import Estimate
from wirelab.model.reason import Reason, sentence
from wirelab.model.result import Counts, Shares, TrialResult
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
"""Levels that are the user's situation, not a choice: the question is answered within each of them."""


class Need(Struct, frozen=True):
    """A condition to meet: `metric relation limit`, the limit in the metric's stored unit."""

    text: str
    metric: str
    relation: str
    limit: float


class Held(enum.StrEnum):
    """Whether a need holds, fails, or is not shown either way by what was measured."""

    HOLDS = "holds"
    NOT_SHOWN = "not shown"
    FAILS = "fails"


class Met(Struct, frozen=True):
    """What became of one need (its `text`) for one row, and the figure that says so."""

    need: str
    held: Held
    why: str = ""


class VerdictCount(Struct, frozen=True):
    """Trials with one verdict: the reasons, which differ in their figures at most, and how many."""

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


class Row(Struct, frozen=True):
    """One combination of levels, over its valid replicates.

    `levels` are all its factors: `context` those that are given (the link), `choice` those that are chosen.
    `rank` counts from 1 within the context. Rows with one `group` number are a tie (`tied`): the first
    objective does not separate them from the best of that group, and the second one orders them.
    `unplaced`: too noisy for its place: not told from the best row although it stands in a later group, or
    tied although it is more than 10 % off.
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
    met: tuple[Met, ...] = ()
    held: Held = Held.HOLDS
    rank: int = 0
    group: int = 0
    tied: bool = False
    unplaced: bool = False
    notes: tuple[str, ...] = ()


class Ranking(Struct, frozen=True):
    """The rows of one context (`{}` where there is only one), best first, and the reason in one sentence."""

    context: dict[str, str]
    rows: tuple[Row, ...]
    reason: str


class Choice(Struct, frozen=True):
    """One choice over all contexts; `met` and `worst` (estimates by metric) are of its worst context."""

    choice: dict[str, str]
    label: str
    held: Held
    met: tuple[Met, ...]
    worst: dict[str, Estimate]
    rank: int = 0
    group: int = 0
    tied: bool = False


class Excluded(Struct, frozen=True):
    """A combination without a single valid trial, and why."""

    levels: dict[str, str]
    label: str
    tally: Tally


class CodecRow(Struct, frozen=True):
    """One codec on the payload: bytes per message, time by phase (ns per message), what it cannot carry.

    `phases` are keyed by phase name (`serialize`, `deserialize`, `populate`, `encode`, `access` ...); `total` is
    serialize + deserialize as it was measured.
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
    beyond: Beyond = Beyond()

    @property
    def total(self) -> Estimate | None:
        """serialize + deserialize, ns: as measured, else a sum whose interval adds up both, never too narrow."""
        if TOTAL in self.phases:
            return self.phases[TOTAL]
        if not all(name in self.phases for name in HEADLINE):
            return None
        one, other = (self.phases[name] for name in HEADLINE)
        ends = (one.value + other.value, one.low + other.low, one.high + other.high)
        replicates, n = min(one.replicates, other.replicates), min(one.n, other.n)
        return Estimate(*ends, "ns", replicates, n, "sum of both intervals")


class LinkCheck(Struct, frozen=True):
    """A link's own check before use: its text, whether it was on spec, and the emulator's figures."""

    link: str
    ok: bool
    figures: dict[str, Any]


class Answer(Struct, frozen=True):
    """The answer to the question: which choice, within each context and over all of them."""

    needs: tuple[Need, ...]
    objectives: tuple[str, ...]
    reason: str
    held: Held
    rankings: tuple[Ranking, ...]
    overall: tuple[Choice, ...]
    excluded: tuple[Excluded, ...]
    codecs: tuple[CodecRow, ...]
    links: tuple[LinkCheck, ...]
    warnings: tuple[str, ...]
    meta: dict[str, Any]
    complete: bool = True
    device: DeviceRun | None = None


class Record(Struct, frozen=True):
    """A trial as the journal holds it. `state` is planned, running or done; `result` is there once done."""

    trial: Trial
    state: str
    attempt: int
    result: TrialResult | None = None


class Results(Struct, frozen=True):
    """What the JSON report holds: the answer and every trial behind it (`docs/reference/results.schema.json`)."""

    answer: Answer
    trials: tuple[Record, ...]
    format: str = "wirelab-results"
    version: int = 1
