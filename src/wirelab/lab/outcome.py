"""The outcome of a cell for the control plane: all observations, no verdict."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from wirelab.model.json_stream import Stream
from wirelab.model.result import Idle, PeerInfo, ServerInfo, Usage, Waiting
from wirelab.model.trial import VALID, Verdict


class Outcome(Struct):
    """The observations of one trial. `link` is the emulator's accounting (docs/contracts/lab.md).

    `connecting` is the same for the time before the first message: connections and subscriptions.

    `overloaded`: messages were still sent, or still arrived, long after the last was due. `streams`
    are to be joined if the roles were on several nodes. `stolen` is the share of the requested CPU
    time that was steal time.
    """

    verdict: Verdict = VALID
    identity: str = "content"
    start_ns: int = 0
    elapsed_ns: int = 0
    peer: PeerInfo = PeerInfo()
    delivery: str = ""
    server: ServerInfo = ServerInfo()
    waiting: Waiting = Waiting()
    connect_ns: int = 0
    messages: int = 0
    counters: dict[str, dict[str, int]] = {}
    usage: dict[str, Usage] = {}
    link: dict[str, Any] = {}
    connecting: dict[str, Any] = {}
    idle: Idle = Idle()
    settled: bool = False
    overloaded: bool = False
    stolen: float = 0.0
    streams: tuple[Stream, ...] = ()
    errors: list[str] = []
