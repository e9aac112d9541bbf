"""Commands and events of the peer contract as types: docs/contracts/peer.md and its JSON Schemas.

An absent field has its default, an unknown one is ignored, and one of the wrong type is refused.
"""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from wirelab.model.script import Script
from wirelab.workloads.schedule import Schedule

CONTRACT = 1

# No outcome holds integers beyond 64 bits.
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Role(enum.StrEnum):
    """The role of a peer in a trial."""

    PUBLISHER = "publisher"
    SUBSCRIBER = "subscriber"
    REQUESTER = "requester"
    RESPONDER = "responder"


class Command(Struct, frozen=True, tag_field="cmd"):
    """A line of a peer's standard input."""


class Describe(Command, frozen=True, tag="describe"):
    """Report the capabilities."""


class Address(Struct, frozen=True):
    """The address of a server, or of the publisher."""

    address: str
    port: int


class PackPayload(Struct, frozen=True):
    """A codec pack encodes the corpus."""

    pack: str
    codec: str
    corpus: str


class MessagesPayload(Struct, frozen=True):
    """A file of encoded messages."""

    messages: str


class Prepare(Command, frozen=True, tag="prepare"):
    """Connect, and get ready to send or to receive."""

    role: Role
    qos: str
    topic: str
    client: str
    payload: PackPayload | MessagesPayload
    samples: str
    capacity: int
    server: Address | None = None
    options: dict[str, str] = {}
    identity: str = "content"
    script: Script = Script()
    subscribers: int = 1


class Start(Command, frozen=True, tag="start"):
    """Start at `at_ns`; a subscriber has no schedule."""

    at_ns: int
    schedule: Schedule | None = None


class Send(Command, frozen=True, tag="send"):
    """In a schedule on command: the next message is planned at `at_ns`."""

    at_ns: int


class Stop(Command, frozen=True, tag="stop"):
    """Flush the samples, disconnect, exit."""


class Event(Struct, frozen=True, tag_field="event"):
    """A line of a peer's standard output."""


class Qos(Struct, frozen=True):
    """A qos level, its guarantee, and whether the publisher learns the outcome of each message."""

    name: str = ""
    delivery: str = ""
    acknowledged: bool = False


class Described(Event, frozen=True, tag="described"):
    """The capabilities of a peer."""

    contract: Count = 0
    name: str = "peer"
    protocol: str = ""
    library: str = ""
    version: str = ""
    language: str = ""
    roles: tuple[str, ...] = ()
    qos: tuple[Qos, ...] = ()
    ordered: bool = False
    max_message: Count = 0
    servers: tuple[str, ...] = ()
    options: dict[str, str] = {}


class Prepared(Event, frozen=True, tag="prepared"):
    """Connected and ready. `distinct` is None if the peer does not report it."""

    connect_ns: Count = 0
    messages: Count = 0
    bytes_min: Count = 0
    bytes_max: Count = 0
    distinct: Count | None = None


class Started(Event, frozen=True, tag="started"):
    """The answer to `start`."""


class Counts(Event, frozen=True):
    """The counts of a peer so far; None if it does not report them."""

    sent: Count | None = None
    acknowledged: Count | None = None
    failed: Count | None = None


class Progress(Counts, frozen=True, tag="progress"):
    """The progress of a peer."""

    received: Count | None = None
    reconnects: Count | None = None


class Settled(Counts, frozen=True, tag="settled"):
    """The publisher has sent everything, and the outcomes of all messages are final."""


class Stopped(Counts, frozen=True, tag="stopped"):
    """The answer to `stop`."""

    received: Count | None = None
    reconnects: Count | None = None
    cpu_ns: Count | None = None
    max_rss_bytes: Count | None = None


class Fault(Event, frozen=True, tag="error"):
    """An error. A fatal one ends the peer."""

    what: str = "?"
    why: str = "?"
    fatal: bool = False


EVENTS = (Described, Prepared, Started, Progress, Settled, Stopped, Fault)
COMMANDS = (Describe, Prepare, Start, Send, Stop)


class _Kind(Struct, frozen=True):
    event: str


_EVENT = msgspec.json.Decoder(Described | Prepared | Started | Progress | Settled | Stopped | Fault)
_KIND = msgspec.json.Decoder(_Kind)
_KINDS = {str(kind.__struct_config__.tag) for kind in EVENTS}


class Unexpected(Event, frozen=True, tag="unexpected"):
    """An event that the contract does not have."""

    line: str


def parse_event(line: bytes) -> Event:
    """The event of a line; a fatal Fault if it is not an event."""
    shown = line[:200].decode("utf-8", "replace").strip()
    try:
        kind = _KIND.decode(line).event
    except (msgspec.MsgspecError, RecursionError):
        return Fault("not an event", repr(shown[:80]), fatal=True)
    if kind not in _KINDS:
        return Unexpected(shown)
    try:
        event: Event = _EVENT.decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        return Fault("an answer of the wrong shape", f"{kind}: {error}", fatal=True)
    return event
    return event


def encode(command: Command) -> bytes:
    """The line of a command."""
    return msgspec.json.encode(command) + b"\n"
