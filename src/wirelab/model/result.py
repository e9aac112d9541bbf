"""The result of a trial. Times are ns of CLOCK_MONOTONIC, sizes bytes."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from msgspec import Struct

from wirelab.model.note import Note
from wirelab.model.reason import steal_note
from wirelab.model.trial import VALID, Verdict


class Delivery(enum.StrEnum):
    """What a protocol promises of a message at a qos."""

    UNKNOWN = ""
    BEST_EFFORT = "best-effort"
    AT_MOST_ONCE = "at-most-once"
    AT_LEAST_ONCE = "at-least-once"
    EXACTLY_ONCE = "exactly-once"

    @classmethod
    def of(cls, text: str) -> Delivery:
        """What a peer says; a peer of another package may promise what has no name here."""
        return cls(text) if text in set(cls) else cls.UNKNOWN

    @property
    def keeps(self) -> bool:
        """Whether it promises that no message is lost."""
        return self in (Delivery.AT_LEAST_ONCE, Delivery.EXACTLY_ONCE)


class Counts(Struct, frozen=True):
    """Counts of messages. sent = delivered + lost; the others count kinds of arrivals."""

    planned: int = 0
    sent: int = 0
    delivered: int = 0
    lost: int = 0
    failed: int = 0
    duplicated: int = 0
    reordered: int = 0
    corrupt: int = 0
    unknown: int = 0


class Usage(Struct, frozen=True):
    """The usage of a process in the measured part of a trial.

    CPU time, time waiting for a CPU, number of times it got one, peak resident set.
    """

    cpu_ns: int = 0
    run_delay_ns: int = 0
    max_rss_bytes: int = 0
    slices: int = 0


class Wire(Struct, frozen=True):
    """The traffic of one direction of a host's access link in the measured part of a trial.

    `data_l2_bytes` are of frames that carry data for the first time: no bare acknowledgements, no
    retransmissions.
    """

    packets: int = 0
    l2_bytes: int = 0
    l3_bytes: int = 0
    data_l2_bytes: int = 0
    dropped: int = 0
    retransmissions: int = 0


class Flow(Struct, frozen=True):
    """The packets of one flow through one direction of a host's link, in the measured part of a
    trial.

    `source` and `destination` are hosts, with the port unless the kernel picked it. `dropped` are
    packets by cause (docs/contracts/lab.md). Sojourn is the time from a packet's arrival to its
    last bit sent.
    """

    host: str
    direction: str
    protocol: str
    source: str
    destination: str
    packets: int = 0
    l2_bytes: int = 0
    l3_bytes: int = 0
    payload_bytes: int = 0
    retransmissions: int = 0
    dropped: dict[str, int] = {}
    queue_max_bytes: int = 0
    sojourn_mean_ns: float = 0.0
    sojourn_max_ns: int = 0


class Idle(Struct, frozen=True):
    """The traffic of the publishers' links while connections were open and nothing was sent.

    `ns` is the time to which `exchanges`, `bytes` and `packets` belong, both directions. With two
    exchanges or more it is a whole number of their periods. 0: not observed.
    """

    ns: int = 0
    exchanges: int = 0
    bytes: int = 0
    packets: int = 0


class Lateness(Struct, frozen=True):
    """The lateness of the emulator itself: |actual - due| in ns."""

    packets: int = 0
    p50_ns: float = 0.0
    p99_ns: float = 0.0
    max_ns: float = 0.0
    own_drops: int = 0


class Shares(Struct, frozen=True):
    """Mean ns per delivered message in each part of the latency. Zero if not separable.

    `batch` is the wait until the batch of a message was full. If exchanges overlap, server and wire
    are not separable: `separable` is then false, and `wire` is the sum.
    """

    queue: float = 0.0
    encode: float = 0.0
    wire: float = 0.0
    server: float = 0.0
    decode: float = 0.0
    separable: bool = True
    batch: float = 0.0


class MessagePath(Struct, frozen=True):
    """Mean ns of `messages` between handing a message to the library and its arrival at the
    subscriber's, from the packet log (lab/critical_path.py).

    The times of a message add up: `serialization` of its bytes, waiting for `capacity`,
    `propagation`, waiting for `retransmission` timers, `broker`, `hosts` (client libraries and
    kernels, late acknowledgements included), and what is `unexplained`. `answers` and
    `acknowledgements` are the packets with and without data that it had to wait for, `timeouts` the
    timers that ran out, each per message.
    """

    messages: int = 0
    serialization: float = 0.0
    capacity: float = 0.0
    propagation: float = 0.0
    retransmission: float = 0.0
    broker: float = 0.0
    hosts: float = 0.0
    unexplained: float = 0.0
    answers: float = 0.0
    acknowledgements: float = 0.0
    timeouts: float = 0.0


class ServerInfo(Struct, frozen=True):
    """The server and its configured limits."""

    name: str = ""
    version: str = ""
    limits: dict[str, str] = {}


class Waiting(Struct, frozen=True):
    """Messages at the server in the measured part of a trial; -1 if unknown.

    Queue depth: maximum and last. `dropped`: those that it dropped at a limit of its own.
    """

    peak: int = -1
    last: int = -1
    dropped: int = -1


class PeerInfo(Struct, frozen=True):
    """The client library, its version and its language, and the options that it ran with."""

    name: str = ""
    library: str = ""
    version: str = ""
    language: str = ""
    options: dict[str, str] = {}


class TrialResult(Struct, frozen=True):
    """The outcome of a trial. Its samples are a Parquet file.

    `carried` is the number of messages sent while `usage` and `wire` counted: those of `counts` and
    the warm-up. `connecting` is the traffic before the first message. `crossings` is how often each
    message crosses the device's link: twice in a round trip. `clock_error_ns` is the largest error
    of one-way times if the roles had several clocks;
    `one_way` is false if that error is not small against these times. `stolen` is the share of the
    requested CPU time that was steal time. `overloaded`: messages were still sent, or still
    arrived, long after the last was due, so what had not arrived is a backlog, not a loss. `flows`
    are those of a trial that is captured.
    """

    trial_id: str
    verdict: Verdict = VALID
    notes: tuple[Note, ...] = ()
    counts: Counts = Counts()
    carried: int = 0
    crossings: int = 1
    payload_bytes: float = 0.0
    header_bytes: float = 0
    identity: str = "content"
    delivery: Delivery = Delivery.UNKNOWN
    elapsed_ns: int = 0
    connect_ns: int = 0
    shares: Shares = Shares()
    path: MessagePath = MessagePath()
    usage: dict[str, Usage] = {}
    wire: dict[str, Wire] = {}
    connecting: dict[str, Wire] = {}
    idle: Idle = Idle()
    lateness: Lateness = Lateness()
    server: ServerInfo = ServerInfo()
    waiting: Waiting = Waiting()
    peer: PeerInfo = PeerInfo()
    environment: dict[str, str] = {}
    clock_error_ns: int = 0
    one_way: bool = True
    stolen: float = 0.0
    overloaded: bool = False
    flows: tuple[Flow, ...] = ()


def worst_steal_note(results: Iterable[TrialResult | None]) -> str:
    """The note on the trial with the most steal time; "" if it is little."""
    note = steal_note(max((result.stolen for result in results if result is not None), default=0.0))
    return f"in the worst trial {note}" if note else ""
