"""What a cell leaves behind for the control plane: everything seen, nothing judged."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from wirelab.model.json_stream import Stream
from wirelab.model.result import PeerInfo, ServerInfo, Usage, Waiting
from wirelab.model.trial import VALID, Verdict


class Outcome(Struct):
    """One trial as the cell saw it. `link` is the emulator's accounting (docs/contracts/lab.md).

    `overloaded`: messages were still being sent, or still arriving, long after the last was due. `streams`
    are what to join where the roles stood on several nodes; none where there is one publisher. `stolen` is the share of the CPU
    time asked for that the machine's hypervisor withheld.
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
    settled: bool = False
    overloaded: bool = False
    stolen: float = 0.0
    streams: tuple[Stream, ...] = ()
    errors: list[str] = []
