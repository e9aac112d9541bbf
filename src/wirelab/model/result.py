"""What one trial yields. Times are ns of CLOCK_MONOTONIC, sizes bytes."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from wirelab.model.reason import steal_note
from wirelab.model.trial import VALID, Verdict


class Counts(Struct, frozen=True):
    """Where every message went. sent = delivered + lost; the rest are kinds of delivered or extra arrivals."""

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
    """What a process took: CPU time, waiting for a CPU, how often it got one, peak resident set, over the measured part of a trial."""

    cpu_ns: int = 0
    run_delay_ns: int = 0
    max_rss_bytes: int = 0
    slices: int = 0


class Wire(Struct, frozen=True):
    """What one host's access link carried in one direction over the measured part of a trial.

    `data_l2_bytes` are of frames that carry data for the first time: no bare acknowledgements, no retransmissions.
    """

    packets: int = 0
    l2_bytes: int = 0
    l3_bytes: int = 0
    data_l2_bytes: int = 0
    dropped: int = 0
    retransmissions: int = 0


class Lateness(Struct, frozen=True):
    """How late the emulator itself released packets: |actual - due| in ns."""

    packets: int = 0
    p50_ns: float = 0.0
    p99_ns: float = 0.0
    max_ns: float = 0.0
    own_drops: int = 0


class Shares(Struct, frozen=True):
    """Mean ns per delivered message spent in each part of planned send -> decoded. Zero where not separable.

    Where exchanges overlap the server cannot be told from the wire: then `separable` is false and `wire` holds both.
    """

    queue: float = 0.0
    encode: float = 0.0
    wire: float = 0.0
    server: float = 0.0
    decode: float = 0.0
    separable: bool = True


class ServerInfo(Struct, frozen=True):
    """Which server answered, and the limits it was given."""

    name: str = ""
    version: str = ""
    limits: dict[str, str] = {}


class Waiting(Struct, frozen=True):
    """Messages that waited at the server over the measured part of a trial: the most that was seen, and the last. -1 where it does not tell."""

    peak: int = -1
    last: int = -1


class PeerInfo(Struct, frozen=True):
    """Which client library, at which version, in which language."""

    name: str = ""
    library: str = ""
    version: str = ""
    language: str = ""


class TrialResult(Struct, frozen=True):
    """One trial's outcome; samples lie beside it as Parquet.

    `carried` is the number of messages sent while `usage` and `wire` counted: those of `counts` and the warm-up;
    `crossings` is how often each crosses the device's link: twice in a loop. `clock_error_ns` is how far off one-way times may be
    where the roles stood under several clocks; `one_way` is false where that is not small against them. `stolen` is the share
    of the CPU time that the machine asked for meanwhile, and that its hypervisor withheld.
    """

    trial_id: str
    verdict: Verdict = VALID
    notes: tuple[str, ...] = ()
    counts: Counts = Counts()
    carried: int = 0
    crossings: int = 1
    payload_bytes: float = 0.0
    header_bytes: int = 0
    identity: str = "content"
    elapsed_ns: int = 0
    connect_ns: int = 0
    shares: Shares = Shares()
    usage: dict[str, Usage] = {}
    wire: dict[str, Wire] = {}
    lateness: Lateness = Lateness()
    server: ServerInfo = ServerInfo()
    waiting: Waiting = Waiting()
    peer: PeerInfo = PeerInfo()
    environment: dict[str, str] = {}
    clock_error_ns: int = 0
    one_way: bool = True
    stolen: float = 0.0


def worst_steal_note(results: Iterable[TrialResult | None]) -> str:
    """The note of the trial with most steal time; "" where it is little."""
    note = steal_note(max((result.stolen for result in results if result is not None), default=0.0))
    return f"in the worst trial {note}" if note else ""
