"""Servers as plain child processes inside a lab. A new one is a module here and a line in KINDS."""

from __future__ import annotations

from wirelab.lab.servers.built_in import BuiltIn
from wirelab.lab.servers.ejabberd import Ejabberd
from wirelab.lab.servers.embedded import EMBEDDED, Embedded
from wirelab.lab.servers.external import External, Outside, is_external
from wirelab.lab.servers.kafka import Kafka
from wirelab.lab.servers.libcoap import Libcoap
from wirelab.lab.servers.mosquitto import Mosquitto
from wirelab.lab.servers.nats import Nats
from wirelab.lab.servers.prosody import Prosody
from wirelab.lab.servers.queue_depth import seen
from wirelab.lab.servers.rabbitmq import RabbitMq
from wirelab.lab.servers.server import Kind, Server, Site

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        BuiltIn(),
        Mosquitto(),
        RabbitMq(),
        Prosody(),
        Ejabberd(),
        Nats(),
        Kafka(),
        Libcoap(),
        *EMBEDDED,
    )
}


def start(name: str, site: Site) -> Server | None:
    """Start the server `name` on the host `server`; None where the protocol has none.

    Raises BadInput when it is not installed, MeasurementFailed when it does not become ready.
    """
    return None if name == "none" else kind(name).start(site)


def check(name: str, protocol: str) -> None:
    """Raises BadInput, with the line that installs it, when a server is not there."""
    if name != "none":
        kind(name).find(protocol)


def kind(name: str) -> Kind:
    """The kind of server called `name`, or the one at the address it gives. Raises BadInput."""
    return External(name) if is_external(name) else KINDS[name]


def asks(name: str, protocol: str) -> dict[str, str]:
    """Options of peers that speak to a server, where their own defaults are another server's."""
    known = KINDS.get(name)
    return dict(known.asks.get(protocol, {})) if isinstance(known, Embedded) else {}


def weight(name: str) -> int:
    """How many of the places side by side a trial on this server takes."""
    return KINDS[name].weight if name in KINDS else 1


__all__ = [
    "KINDS",
    "Kind",
    "Outside",
    "Server",
    "Site",
    "asks",
    "check",
    "is_external",
    "kind",
    "seen",
    "start",
    "weight",
]
