"""A trial: one measurement of a combination of factor levels, with everything it depends on."""

from __future__ import annotations

import enum

from msgspec import Struct

from wirelab.model import topic
from wirelab.model.arrivals import Arrivals, ConstantRate
from wirelab.model.reason import Reason, sentence


class PayloadSpec(Struct, frozen=True):
    """The messages: a corpus file, its schema file, and the codec.

    `codec` is `format/library`, for instance `protobuf/prost`. `pack` is the compiled codec pack;
    "" if the corpus holds encoded messages (docs/contracts/peer.md).
    """

    corpus: str
    schema: str
    codec: str
    pack: str


class Link(Struct, frozen=True):
    """A link as the user named it (`lte-drive,loss=5%`). `segment` is one medium for all hosts.

    `exchange_s` is the longest usual time of an exchange over it, from which limits derive.
    """

    text: str = "ideal"
    trace_offset_s: float = 0.0
    segment: str = ""
    exchange_s: float = 0.0

    @property
    def is_ideal(self) -> bool:
        """Whether the link is ideal."""
        return self.text == "ideal" and not self.segment


class Cross(Struct, frozen=True):
    """A second flow from `from_ns` for `for_ns`: messages of a size, at a rate or (None) as a
    flood.
    """

    size_bytes: int
    from_ns: int
    for_ns: int
    rate_hz: float | None = None


class Workload(Struct, frozen=True):
    """The load of a trial.

    `rate_hz` None is a flood. It ends after `count` messages or `duration_ns`. `topology` is
    `one-way` (publisher behind the link; server and subscriber beyond it) or `round-trip`
    (publisher and subscriber on one host behind the link, server beyond it, as in proos2020). In a
    closed loop the rate is only an expectation. Each of the `subscribers` gets every message.
    Several `publishers` share rate and count. Each is on its own host behind the link and has its
    own topic.

    `placement` assigns roles to nodes of a cluster (workloads/placement.py). Rate and count are
    then those of all publishers together, and there is no emulated link.

    With an `application` (workloads/services.py) messages are requests, and all times are those
    of the answers. `utilization` is then the rate as a share of the capacity for one request at a
    time, which the warm-up measures. Several shares take turns (workloads/utilization_levels.py).

    With a `batch` of several, a publisher collects that many messages and sends them as one, when
    the last of them is due. Rate, count and warm-up are those of messages; the last two are whole
    batches of every publisher.

    `cross` is a second flow of the same protocol and qos. After the messages, connections stay open
    for `idle_ns`, and their traffic is counted apart.
    """

    rate_hz: float | None = 5.0
    count: int | None = 30
    duration_ns: int | None = None
    warmup: int = 3
    topology: str = "one-way"
    drain_ns: int = 100_000_000_000
    arrivals: Arrivals = ConstantRate()
    subscribers: int = 1
    publishers: int = 1
    placement: tuple[str, ...] = ()
    cross: Cross | None = None
    application: str = ""
    utilization: tuple[float, ...] = ()
    idle_ns: int = 0
    batch: int = 1


class Trial(Struct, frozen=True):
    """One combination of factor levels, one replicate of it, and its seed.

    `levels` are the factors in display order. Replicate r of every combination has the same seed,
    so that combinations meet the same link (common random numbers). `capture`: its packets are
    kept.
    """

    id: str
    levels: dict[str, str]
    replicate: int
    seed: int
    payload: PayloadSpec
    protocol: str
    qos: str
    link: Link
    workload: Workload
    server: str = "built-in"
    library: str = ""
    transport: str = ""
    peer: str = ""
    options: dict[str, str] = {}
    topic: str = topic.DEFAULT
    capture: bool = False


class State(enum.StrEnum):
    """The outcome of a trial."""

    VALID = "valid"
    INVALID = "invalid"
    SKIPPED = "skipped"
    FAILED = "failed"


class Verdict(Struct, frozen=True):
    """`valid`, or `invalid|skipped|failed: reason`."""

    state: State
    reason: Reason | None = None

    def __str__(self) -> str:
        return f"{self.state}: {sentence([self.reason])}" if self.reason else str(self.state)


VALID = Verdict(State.VALID)
