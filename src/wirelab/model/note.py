"""Notes on trials: what a reader should know of a figure. A code with figures, and its text."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from msgspec import Struct

from wirelab.model.units import show


class NoteCode(enum.StrEnum):
    """What a note is about."""

    OVERLOADED = "overloaded"
    STALLED = "stalled"
    RATE_MISSED = "rate_missed"
    NO_STEADY_STATE = "no_steady_state"
    PROMISE_BROKEN = "promise_broken"
    DUPLICATES = "duplicates"
    NOT_SETTLED = "not_settled"
    AMBIGUOUS = "ambiguous"
    CLOCK_ERROR = "clock_error"
    NO_ONE_WAY = "no_one_way"
    LINK_BUSY = "link_busy"
    LINK_QUEUE = "link_queue"
    LINK_LOSS = "link_loss"
    SENDER_QUEUE = "sender_queue"
    UNACKNOWLEDGED = "unacknowledged"
    SENDER_BUSY = "sender_busy"
    SERVER_QUEUE = "server_queue"
    SERVER_LIMIT = "server_limit"
    SERVER_BUSY = "server_busy"
    SLOW_CONSUMER = "slow_consumer"
    MESSAGE_IDS = "message_ids"
    CAUSE_UNKNOWN = "cause_unknown"
    PEER_ERROR = "peer_error"
    RETRIED = "retried"
    MESSAGE = "message"


TEXTS = {
    NoteCode.OVERLOADED: "overloaded: {what} carries {carried}{asked} here; {late} of {planned} messages had "
    "not arrived {wait} after the last was due",
    NoteCode.STALLED: "stalled: nothing arrived in the last {wait}; {late} of {planned} messages were still to come",
    NoteCode.RATE_MISSED: "rate missed: {sent} instead of {asked}; the sender could not hand messages over in "
    "time",
    NoteCode.NO_STEADY_STATE: "no steady state: latency {why} by {change} from the first third to the last",
    NoteCode.PROMISE_BROKEN: "promise broken: {messages} lost although {what} promises {why}",
    NoteCode.DUPLICATES: "promise broken: {messages} duplicated although {what} promises {why}",
    NoteCode.LINK_BUSY: "cause: the link ({what}): a packet waited {waited} for capacity on average",
    NoteCode.LINK_QUEUE: "cause: the link's queue ({what}) was full and dropped {packets} packets",
    NoteCode.LINK_LOSS: "cause: the link lost {packets} packets, which {what} does not send again",
    NoteCode.SENDER_QUEUE: "cause: the sender's queue or socket buffer was full: {messages} not handed over",
    NoteCode.UNACKNOWLEDGED: "cause: {messages} waited at the sender for acknowledgements",
    NoteCode.SENDER_BUSY: "cause: the sender took {share} of a core",
    NoteCode.SERVER_QUEUE: "cause: {messages} waited at {what}",
    NoteCode.SERVER_LIMIT: "cause: {what} dropped {messages} at a limit of its own",
    NoteCode.SERVER_BUSY: "cause: {what} took {share} of a core",
    NoteCode.SLOW_CONSUMER: "cause: a slow consumer: the subscriber took {share} of a core",
    NoteCode.MESSAGE_IDS: "cause: message IDs ran out: {messages} in {lifetime} against 65,536 IDs, so {what} "
    "takes new messages for duplicates",
    NoteCode.CAUSE_UNKNOWN: "cause unknown: no counter of peers, server or link explains it",
    NoteCode.NOT_SETTLED: "the publisher did not settle: the outcome of some messages was unknown at the end",
    NoteCode.AMBIGUOUS: "{messages} could not be distinguished by content",
    NoteCode.CLOCK_ERROR: "the nodes' clocks are known to within {error}",
    NoteCode.NO_ONE_WAY: "no one-way times: the nodes' clocks are known to within {error}, which is not small "
    "against them",
}
"""By code: a text with the figures. A note of another code is its `what` alone."""

UNITS = {
    "wait": "ns",
    "error": "ns",
    "sent": "1/s",
    "carried": "1/s",
    "asked": "1/s",
    "change": "fraction",
    "waited": "ns",
    "share": "fraction",
    "lifetime": "ns",
}
"""The unit of each figure that is not a count."""

MESSAGES = "messages"
"""A count that is shown with its noun."""

Spans = dict[str, tuple[float, float]]


class Note(Struct, frozen=True):
    """A code, its figures by name (units in UNITS), and the words that its text needs.

    `what` alone is the text of another program, or that from a run that stored text only.
    """

    code: NoteCode
    figures: dict[str, float] = {}
    what: str = ""
    why: str = ""

    @classmethod
    def message(cls, text: str) -> Note:
        """A text of unknown origin as a note."""
        return cls(NoteCode.MESSAGE, what=text)

    def __str__(self) -> str:
        return _text(self, {name: (figure, figure) for name, figure in self.figures.items()})


class RowNote(Struct, frozen=True):
    """The notes of one kind on `trials` trials of a row: each figure from its least to its largest."""

    code: NoteCode
    text: str
    trials: int
    spans: Spans = {}
    what: str = ""
    why: str = ""


def row_notes(trials: Sequence[Sequence[Note]]) -> tuple[RowNote, ...]:
    """The notes of several trials, each kind once with the number of trials that have it."""
    every = [_single(note) for notes in trials for note in notes]
    return merged(every, len(trials))


def merged(notes: Iterable[RowNote], of: int = 0) -> tuple[RowNote, ...]:
    """Notes with those of one kind as one. `of`: their text says in how many trials of that number,
    if not in all.
    """
    kinds: dict[tuple[object, ...], list[RowNote]] = {}
    for note in notes:
        kinds.setdefault((note.code, tuple(note.spans), note.what, note.why), []).append(note)
    found = []
    for alike in kinds.values():
        first, trials = alike[0], sum(note.trials for note in alike)
        spans = {name: _span([note.spans[name] for note in alike]) for name in first.spans}
        text = _text(first, spans) + (f" ({trials} of {of} trials)" if trials < of else "")
        found.append(RowNote(first.code, text, trials, spans, first.what, first.why))
    return tuple(found)


def _single(note: Note) -> RowNote:
    spans = {name: (figure, figure) for name, figure in note.figures.items()}
    return RowNote(note.code, "", 1, spans, note.what, note.why)


def _span(spans: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return min(low for low, _ in spans), max(high for _, high in spans)


def _text(note: Note | RowNote, spans: Spans) -> str:
    shown = {name: _shown(name, span) for name, span in spans.items()}
    if note.code is NoteCode.OVERLOADED:
        shown["asked"] = f" of {shown['asked']}" if "asked" in shown else ""
    return TEXTS.get(note.code, "{what}").format(what=note.what, why=note.why, **shown)


def _shown(name: str, span: tuple[float, float]) -> str:
    ends = list(dict.fromkeys(show(end, UNITS[name]) if name in UNITS else f"{end:,.0f}" for end in span))
    count = " to ".join(ends)
    return f"{count} message{'' if ends == ['1'] else 's'}" if name == MESSAGES else count
