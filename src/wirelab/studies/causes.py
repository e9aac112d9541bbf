"""Why a trial is overloaded or lost messages: what link, server and peers counted."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from wirelab.lab.outcome import Outcome
from wirelab.model import coap
from wirelab.model.host_role import PUBLISHER, SERVER, SUBSCRIBER, role_of
from wirelab.model.note import Note, NoteCode
from wirelab.model.result import Counts
from wirelab.model.trial import Trial

# A process that takes this share of a core has no time left.
BUSY_SHARE = 0.9
# A link at which packets wait for this share of the time that messages take holds them back.
WAIT_SHARE = 0.1
# A message ID of CoAP is not used again for this long (RFC 7252, section 4.8.2).
ID_LIFETIME_NS, IDS = 247_000_000_000, 65_536
# Receivers that compare message IDs alone; ours compares the bytes too.
COMPARES_IDS = ("californium", "libcoap")


class Observed(Struct, frozen=True):
    """What was counted in a trial. `waits` are mean times in ns by `host.direction`, for capacity;
    `queue_drops` are packets by the same; `lost` are datagrams that the link dropped at random.
    `busy` are shares of a core by role. `unsent` messages were never handed to the library.
    """

    waits: dict[str, float] = {}
    queue_drops: dict[str, int] = {}
    lost: int = 0
    busy: dict[str, float] = {}
    unsent: int = 0
    unacknowledged: int = 0
    at_server: int = -1
    server_dropped: int = -1
    server: str = ""
    receiver: str = ""
    sent: int = 0
    elapsed_ns: int = 0


def observed(trial: Trial, outcome: Outcome, counts: Counts, acknowledged: bool) -> Observed:
    """The counts of a trial. `acknowledged`: its publisher learns the outcome of each message."""
    ways = {
        f"{host}.{way}": counted
        for host, both in outcome.link.get("hosts", {}).items()
        for way, counted in both.items()
    }
    flows = [flow for flow in outcome.link.get("flows", []) if flow.get("protocol") == "udp"]
    sender = [own for name, own in outcome.counters.items() if role_of(name) == PUBLISHER]
    known = sum(own.get("acknowledged", 0) + own.get("failed", 0) for own in sender)
    sent = sum(own.get("sent", 0) for own in sender)
    return Observed(
        waits={name: float(way.get("sojourn_mean_ns", 0)) for name, way in ways.items()},
        queue_drops={name: n for name, way in ways.items() if (n := int(way["dropped"].get("queue", 0)))},
        lost=sum(int(flow["dropped"].get("loss", 0)) for flow in flows if flow.get("dropped")),
        busy=_busy(outcome),
        unsent=max(0, counts.planned - counts.sent),
        unacknowledged=max(0, sent - known) if acknowledged else 0,
        at_server=outcome.waiting.last,
        server_dropped=outcome.waiting.dropped,
        server=outcome.server.name or "the server",
        receiver=trial.server or trial.library,
        sent=sent,
        elapsed_ns=outcome.elapsed_ns,
    )


def _busy(outcome: Outcome) -> dict[str, float]:
    shares: dict[str, float] = {}
    for name, usage in outcome.usage.items():
        role = role_of(name)
        if outcome.elapsed_ns:
            shares[role] = max(shares.get(role, 0.0), usage.cpu_ns / outcome.elapsed_ns)
    return shares


def causes(
    seen: Observed, counts: Counts, overloaded: bool, median_ns: float, protocol: str, qos: str
) -> list[Note]:
    """The causes of overload, or of loss that the sender does not know of; [] if there is neither."""
    lost = counts.lost > counts.failed and not overloaded
    if not overloaded and not lost:
        return []
    who = f"{protocol} qos {qos}"
    found = [*_of_overload(seen, median_ns)] if overloaded else []
    found += [Note(NoteCode.LINK_QUEUE, {"packets": float(n)}, way) for way, n in seen.queue_drops.items()]
    if lost and seen.lost:
        found.append(Note(NoteCode.LINK_LOSS, {"packets": float(seen.lost)}, who))
    if seen.server_dropped > 0:
        found.append(Note(NoteCode.SERVER_LIMIT, {"messages": float(seen.server_dropped)}, seen.server))
    if protocol == coap.PROTOCOL and any(name in seen.receiver for name in COMPARES_IDS):
        in_lifetime = seen.sent * min(1.0, ID_LIFETIME_NS / max(seen.elapsed_ns, 1))
        if in_lifetime > IDS:
            figures = {"messages": in_lifetime, "lifetime": float(ID_LIFETIME_NS)}
            found.append(Note(NoteCode.MESSAGE_IDS, figures, seen.receiver))
    return found or [Note(NoteCode.CAUSE_UNKNOWN)]


def _of_overload(seen: Observed, median_ns: float) -> Iterator[Note]:
    for way, waited in seen.waits.items():
        if waited > max(WAIT_SHARE * median_ns, 1.0):
            yield Note(NoteCode.LINK_BUSY, {"waited": waited}, way)
    for role, code, who in (
        (PUBLISHER, NoteCode.SENDER_BUSY, ""),
        (SERVER, NoteCode.SERVER_BUSY, seen.server),
        (SUBSCRIBER, NoteCode.SLOW_CONSUMER, ""),
    ):
        if (share := seen.busy.get(role, 0.0)) >= BUSY_SHARE:
            yield Note(code, {"share": share}, who)
    if seen.unsent:
        yield Note(NoteCode.SENDER_QUEUE, {"messages": float(seen.unsent)})
    if seen.unacknowledged:
        yield Note(NoteCode.UNACKNOWLEDGED, {"messages": float(seen.unacknowledged)})
    if seen.at_server > 0:
        yield Note(NoteCode.SERVER_QUEUE, {"messages": float(seen.at_server)}, seen.server)
