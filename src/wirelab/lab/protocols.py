"""The protocols that the lab knows, derived from the manifests of peers and servers."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from msgspec import Struct

from wirelab.lab import manifests
from wirelab.lab.manifests import NO_SERVER, ProtocolFacts
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest

# Time for a host to deliver a received datagram with all cores busy.
FLEETING_S = 0.5
DEFAULT_LINGER_S = 2.0


class Command(Struct, frozen=True):
    """The command that runs a peer, its slots, and the languages of packs that it loads."""

    argv: tuple[str, ...]
    slots: int
    loads: tuple[str, ...]


class Protocol(Struct, frozen=True):
    """A protocol and the levels of its factors; the first level of each is the default.

    `libraries` are client libraries with the command of their peer, `slots` the number of slots
    that a trial with them takes, `loads` the languages of the codecs that they load. `servers` are
    the kinds of server that serve it. `qos` maps each level to its delivery guarantee. `transports`
    can carry the protocol; `encrypted` are those that need certificates. `external`: a server
    outside the lab can be reached. `linger_s` is the drain timeout by qos, after which a silent
    exchange cannot resume by itself; TCP retransmissions are observed in send queues instead.
    `fleeting` are the qos without retransmission: a message of one datagram is lost once the link
    is silent. `one_by_one` are the qos that send a message only after the last is acknowledged.
    `responder_listens`: requests are part of the protocol, and the responder is the server.
    `floor`: a transport that carries the bytes alone, the least that any protocol over it can take.
    """

    name: str
    title: str
    page: str
    libraries: Mapping[str, tuple[str, ...]]
    slots: Mapping[str, int]
    servers: tuple[str, ...]
    qos: Mapping[str, str]
    port: int
    transports: tuple[str, ...] = ("",)
    encrypted: tuple[str, ...] = ()
    external: bool = False
    linger_s: Mapping[str, float] = {}
    fleeting: tuple[str, ...] = ()
    one_by_one: tuple[str, ...] = ()
    responder_listens: bool = False
    listed: bool = True
    floor: bool = False
    loads: Mapping[str, tuple[str, ...]] = {}

    def offers(self, factor: str) -> tuple[str, ...]:
        """The levels of `server`, `client_library` or `transport`, the default first."""
        return {
            "server": self.servers,
            "client_library": tuple(self.libraries),
            "transport": self.transports,
        }[factor]

    @property
    def default_peer(self) -> tuple[str, ...]:
        """The command that runs the default library's peer."""
        return next(iter(self.libraries.values()))

    def peer_slots(self, library: str) -> int:
        """The slots of a trial with the peer of a library, or of the default one."""
        return self.slots.get(library, next(iter(self.slots.values())))

    def linger(self, qos: str, one_datagram: bool = False) -> float:
        """Seconds to wait for a missing message on a silent link.

        `one_datagram`: it has one part.
        """
        if one_datagram and qos in self.fleeting:
            return FLEETING_S
        return self.linger_s.get(qos, DEFAULT_LINGER_S)


@functools.cache
def protocols() -> Mapping[str, Protocol]:
    """All protocols by name, in alphabetical order.

    Raises BadInput for manifests that contradict each other.
    """
    facts: dict[str, ProtocolFacts] = {}
    for peer in manifests.peers():
        for name, defined in peer.protocol.items():
            if name in facts:
                raise _conflict(
                    peer, f"protocol '{name}' is defined by another peer", "remove one of the two"
                )
            facts[name] = defined
    libraries = _libraries(facts)
    return {name: _protocol(name, facts[name], libraries[name]) for name in sorted(facts)}


def protocol(name: str) -> Protocol:
    """The protocol called `name`. Raises BadInput with the nearest name."""
    known = protocols()
    if name not in known:
        raise BadInput(f"protocol '{name}'", "unknown", nearest(name, known))
    return known[name]


def floors() -> frozenset[str]:
    """The names of protocols that are a transport alone."""
    return frozenset(name for name, known in protocols().items() if known.floor)


def protocols_on(server: str) -> list[str]:
    """The protocols that a kind of server serves."""
    return [name for name, known in protocols().items() if server in known.servers]


def encrypted_transports() -> frozenset[str]:
    """Transports of any protocol that take certificates."""
    return frozenset(transport for known in protocols().values() for transport in known.encrypted)


def _libraries(facts: Mapping[str, ProtocolFacts]) -> dict[str, dict[str, Command]]:
    """The command and slots of each library, by protocol.

    The peer that defines a protocol has its default library.
    """
    found: dict[str, dict[str, Command]] = {name: {} for name in facts}
    for defining in (True, False):
        for peer in manifests.peers():
            for one in peer.speaks:
                if one.protocol not in facts:
                    raise _conflict(
                        peer, f"no peer defines protocol '{one.protocol}'", f"add [protocol.{one.protocol}]"
                    )
                if (one.protocol in peer.protocol) != defining:
                    continue
                if one.library in found[one.protocol]:
                    why = f"library '{one.library}' of {one.protocol} has a peer already"
                    raise _conflict(peer, why, "rename the library")
                argv = (peer.program_path(peer.program), *one.arguments)
                found[one.protocol][one.library] = Command(argv, peer.slots, peer.loads)
    for name, known in found.items():
        if not known:
            raise BadInput(f"protocol '{name}'", "no peer speaks it", "add [[speaks]] to its manifest")
    return found


def _protocol(name: str, facts: ProtocolFacts, libraries: dict[str, Command]) -> Protocol:
    servers = [kind for kind, manifest in manifests.servers().items() if manifest.served(name)]
    if facts.server not in (NO_SERVER, *servers):
        raise BadInput(
            f"protocol '{name}'", f"its server '{facts.server}' does not serve it", "correct peer.toml"
        )
    ordered = (facts.server, *(kind for kind in servers if kind != facts.server))
    return Protocol(
        name,
        facts.title,
        facts.page,
        {library: command.argv for library, command in libraries.items()},
        {library: command.slots for library, command in libraries.items()},
        ordered,
        facts.qos,
        facts.port,
        facts.transports,
        facts.encrypted,
        facts.external,
        facts.linger_s,
        facts.fleeting,
        facts.one_by_one,
        facts.responder_listens,
        facts.listed,
        facts.floor,
        {library: command.loads for library, command in libraries.items()},
    )


def _conflict(peer: manifests.PeerManifest, why: str, next_step: str) -> BadInput:
    return BadInput(f"manifest {peer.folder}/{manifests.PEER}", why, next_step)
