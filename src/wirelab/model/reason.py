"""The reason why a trial is not valid: a code with figures, and its text."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from msgspec import Struct

from wirelab.model.errors import WirelabError
from wirelab.model.units import show

# Steal time of a trial is reported from this share on.
STEAL_REPORTED = 0.02


class Code(enum.StrEnum):
    """Why a trial is invalid, was skipped, or failed."""

    UNDER_SENT = "under_sent"
    LOAD_GENERATOR_SATURATED = "load_generator_saturated"
    SENDER_STALLED = "sender_stalled"
    CPU_STEAL = "cpu_steal"
    EMULATOR_DROPPED = "emulator_dropped"
    EMULATOR_BEHIND_SCHEDULE = "emulator_behind_schedule"
    WRONG_ANSWER = "wrong_answer"
    TIMED_OUT = "timed_out"
    NO_OUTCOME = "no_outcome"
    LOST_TWICE = "lost_twice"
    ERROR = "error"
    MESSAGE = "message"


NOISE = frozenset(
    {
        Code.LOAD_GENERATOR_SATURATED,
        Code.SENDER_STALLED,
        Code.CPU_STEAL,
        Code.EMULATOR_DROPPED,
        Code.EMULATOR_BEHIND_SCHEDULE,
    }
)
"""The reasons that other work on the machine causes."""

TEXTS = {
    Code.UNDER_SENT: ("under-sent", "only {sent} of {planned} planned messages were sent"),
    Code.LOAD_GENERATOR_SATURATED: (
        "load generator saturated (coordinated-omission risk)",
        "peers waited {wait} per message for a CPU",
    ),
    Code.SENDER_STALLED: ("sender stalled", "{messages} messages were started up to {late} late"),
    Code.CPU_STEAL: ("steal time", "over an ideal link, latency is CPU time"),
    Code.EMULATOR_DROPPED: ("emulator dropped packets", "{packets} packets, beyond those of the link"),
    Code.EMULATOR_BEHIND_SCHEDULE: (
        "emulator behind schedule",
        "packets left it up to {late} late (99th percentile)",
    ),
    Code.WRONG_ANSWER: ("an answer of the wrong shape", "{why}; see cell.log"),
    Code.TIMED_OUT: ("timed out", "took far longer than planned and was ended"),
    Code.NO_OUTCOME: ("ended without an outcome", ""),
    Code.LOST_TWICE: ("lost twice", "{why} died while it ran"),
}
"""By code: a title, and a text with the figures."""

UNITS = {"wait": "ns", "late": "ns", "steal": "fraction"}
"""The unit of each figure that is not a count."""


class Reason(Struct, frozen=True):
    """A code, its figures by name (units in UNITS), and the texts of an error: what, why, next
    step.

    `why` alone is the message of another program, or the reason from a run that stored text only.
    """

    code: Code
    figures: dict[str, float] = {}
    what: str = ""
    why: str = ""
    next_step: str = ""

    @classmethod
    def of(cls, error: WirelabError) -> Reason:
        """An error as a reason."""
        return cls(Code.ERROR, {}, error.what, error.why, error.next_step)

    @classmethod
    def message(cls, text: str) -> Reason:
        """A text of unknown origin as a reason."""
        return cls(Code.MESSAGE, why=text)

    @property
    def kind(self) -> tuple[object, ...]:
        """A key that is equal for reasons that differ only in figures."""
        return self.code, tuple(self.figures), self.what, self.why, self.next_step

    @property
    def title(self) -> str:
        """The reason without figures: `emulator behind schedule`."""
        if self.code in TEXTS:
            return TEXTS[self.code][0]
        return self.what or self.why


def sentence(reasons: Sequence[Reason]) -> str:
    """The text of reasons of one kind.

    Figures that differ are a range: `14.2 ms to 66.1 ms late`.
    """
    first = reasons[0]
    if first.code not in TEXTS:
        return WirelabError(
            first.what or first.why, first.why if first.what else "", first.next_step
        ).sentence
    title, detail = TEXTS[first.code]
    spans = {name: _span(name, [reason.figures[name] for reason in reasons]) for name in first.figures}
    text = ": ".join(filter(None, (title, detail.format(why=first.why, **spans))))
    return f"{text}; {_steal(spans['steal'])}" if "steal" in spans else text


def steal_note(share: float) -> str:
    """A note on steal time; "" if there is little."""
    return _steal(_shown("steal", share)) if share > STEAL_REPORTED else ""


def _steal(share: str) -> str:
    return f"the hypervisor took {share} of the CPU time"


def _span(name: str, figures: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(_shown(name, pick(figures)) for pick in (min, max)))


def _shown(name: str, figure: float) -> str:
    if name == "steal":
        return f"{100 * figure:.0f} %"
    return show(figure, UNITS[name]) if name in UNITS else f"{figure:,.0f}"
