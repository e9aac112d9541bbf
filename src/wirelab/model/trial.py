"""A trial: one measurement of one combination of factor levels, as a value that names everything it depends on."""

from __future__ import annotations

import enum

from msgspec import Struct

from wirelab.model.arrivals import Arrivals, ConstantRate
from wirelab.model.reason import Reason, sentence


class PayloadSpec(Struct, frozen=True):
    """Which messages: a corpus file, its schema file, and the codec that writes and reads them.

    `codec` is `format/library`, for instance `protobuf/prost`. `pack` is the compiled codec pack; "" where the corpus
    holds ready-made messages (docs/contracts/peer.md).
    """

    corpus: str
    schema: str
    codec: str
    pack: str


class Link(Struct, frozen=True):
    """A link as the user named it (`lte-drive,loss=5%`); the emulator owns its meaning. `segment` is one cable for all hosts."""

    text: str = "ideal"
    trace_offset_s: float = 0.0
    segment: str = ""

    @property
    def is_ideal(self) -> bool:
        """Whether it adds nothing."""
        return self.text == "ideal" and not self.segment


class Cross(Struct, frozen=True):
    """A second flow, from `from_ns` for `for_ns`: messages of a size, at a rate or (None) as fast as they go."""

    size_bytes: int
    from_ns: int
    for_ns: int
    rate_hz: float | None = None


class Workload(Struct, frozen=True):
    """Who sends what, when: `rate_hz` None is a flood; a trial ends after `count` messages or `duration_ns`.

    `topology` is `one-way` (publisher behind the link; server and subscriber beyond it) or `round-trip` (publisher and
    subscriber on one host behind the link, server beyond it, as in proos2020). In a closed loop the
    rate is only what is expected. Each of the `subscribers` gets every message.
    `placement` are the nodes of a cluster on which the roles stand (workloads/placement.py); rate and count are then those of all
    publishers together, and there is no emulated link. With an `application` (workloads/applications.py) messages are requests that it answers, and all times are those of answers;
    `utilization` is then the rate as a share of what is answered one at a time, which the trial finds out first; several shares take turns (workloads/utilization_levels.py). Several `publishers` share rate and count, each on a
    host of its own behind the link; the subscriber's host hears each under a topic of its own. `cross` is a flow beside the measured one, of the same protocol and qos.
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


class Trial(Struct, frozen=True):
    """One combination of factor levels, one replicate of it, and its seed.

    `levels` are the factors as shown to people, in the order in which they are shown. Replicate r of every
    combination has the same seed, so that combinations meet the same link (common random numbers).
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


class State(enum.StrEnum):
    """What became of a trial."""

    VALID = "valid"
    INVALID = "invalid"
    SKIPPED = "skipped"
    FAILED = "failed"


class Verdict(Struct, frozen=True):
    """`valid`, or `invalid|skipped|failed: reason`. Never silently short."""

    state: State
    reason: Reason | None = None

    def __str__(self) -> str:
        return f"{self.state}: {sentence([self.reason])}" if self.reason else str(self.state)


VALID = Verdict(State.VALID)
