"""A peer and a server that are tested together against the contract."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirelab.lab.protocols import protocol

ROOT = Path(__file__).resolve().parents[2]


def binary(name: str) -> str:
    """A built program: in $WIRELAB_BIN, else in target/release."""
    return str(Path(os.environ.get("WIRELAB_BIN", ROOT / "target" / "release"), name))


def peer(name: str, library: str = "") -> tuple[str, ...]:
    """The command of the peer of a protocol's client library, or of its default one, as its
    manifest says.
    """
    known = protocol(name)
    program, *words = known.libraries[library] if library else known.default_peer
    return (binary(Path(program).name), *words)


def relay(name: str, *words: str) -> tuple[str, ...]:
    """A server of ours."""
    return (binary(f"wirelab-server-{name}"), "--listen", "127.0.0.1:{port}", *words)


@dataclass(frozen=True)
class Pair:
    """A peer and a server.

    `{port}`, `{config}` and `{tls}`, a folder with certificates, are filled into `server` and
    `config`. `qos` maps each level the pair is held to, to what it promises. `flood` is how many
    messages an unpaced trial has. `managed` is a server that the lab starts (its name, protocol and
    transport), in place of `server`. `hears_death` says whether a subscriber can know that its
    server is gone. `acknowledged` names best-effort levels whose publisher learns the fate of each
    message all the same; `lossless` those that lose nothing where the network loses nothing.
    `brokerless`: the subscriber finds the publisher by itself. `unordered` names levels that do not
    promise the order of messages under way together.
    """

    name: str
    peer: tuple[str, ...]
    server: tuple[str, ...] | None
    qos: dict[str, str]
    config: str | None = None
    managed: tuple[str, str, str] | None = None
    flood: int = 20_000
    largest: int = 2_000_000
    hears_death: bool = True
    acknowledged: tuple[str, ...] = ()
    lossless: tuple[str, ...] = ()
    brokerless: bool = False
    unordered: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)

    @property
    def has_server(self) -> bool:
        """Whether there is a server between the peers."""
        return self.server is not None or self.managed is not None

    @property
    def connection(self) -> tuple[str, ...]:
        """The peer and how it reaches a server: pairs that are alike in this have the same code on
        the peer's side.
        """
        transport = self.managed[2] if self.managed is not None else self.options.get("transport", "tcp")
        return (*self.peer, transport)

    @property
    def server_kind(self) -> str | None:
        """The program of the server; None without one."""
        if self.managed is not None:
            return self.managed[0]
        return Path(self.server[0]).name if self.server is not None else None

    def loses_nothing(self, qos: str) -> bool:
        """Whether a network that loses nothing must bring every message."""
        return self.qos[qos] != "best-effort" or qos in self.lossless


def served(
    name: str, peer: tuple[str, ...], by: tuple[str, str, str], qos: dict[str, str], **more: Any
) -> Pair:
    """With a server that the lab starts: its name, protocol and transport."""
    return Pair(name, peer, None, qos, managed=by, **more)


def promised(name: str, *levels: str) -> dict[str, str]:
    """The guarantees of a protocol's qos by its manifest: all of them, or those named."""
    known = protocol(name).qos
    return {level: known[level] for level in levels or known}
