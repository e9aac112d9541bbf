"""Measure which qos settings of kang2020 have an effect on the wire, by protocol and library.

`python bench/qos.py` writes the results into docs/reference/protocols/qos.md. Each effect is a
separate trial in a lab. Missing software is named.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from wirelab.lab import servers
from wirelab.lab.outcome import Outcome
from wirelab.lab.protocols import Protocol, protocols
from wirelab.lab.spec import lab_spec
from wirelab.model.errors import BadInput
from wirelab.model.trial import Link, PayloadSpec, State, Trial, Workload
from wirelab.store.sample_file import read_samples
from wirelab.system.binaries import find

LOSSY = "rtt=40ms,loss=5%"
SIZE = 200
LOW_DELAY = 0xB8  # type of service of DSCP 46, expedited forwarding (RFC 3246)
# Settings of a library that wirelab does not vary, and expected settings that it lacks.
RFC_9218 = "RFC 9218 is a header for servers that support it; ours forwards in the order of arrival"
REMARKS = {
    (
        "zmq",
        "batching",
    ): "queued messages are written together, up to 8,192 B; the limit is a draft option that Debian does not build",
    ("cyclonedds", "priority"): "TRANSPORT_PRIORITY is accepted and changes nothing on the wire: unsupported",
    ("fastdds", "priority"): "TRANSPORT_PRIORITY: 2.9.1 reports that it does not implement it",
    ("cyclonedds", "rate limit"): "none for data in Cyclone DDS",
    (
        "grpc",
        "batching",
    ): "`stream`: queued messages leave together in DATA frames of up to 32 KiB; not an option",
    ("http2", "priority"): RFC_9218,
    ("http3", "priority"): RFC_9218,
    (
        "zenoh",
        "batching",
    ): "queued messages are written together, up to 65,535 B; `express` keeps a message out of the batch",
    (
        "zenoh",
        "priority",
    ): "`priority`: a queue for each on every link; DSCP is a setting of the address, not swept",
    ("nats", "lifespan"): "JetStream: a stream's max_age, not swept",
    (
        "cyclonedds",
        "lifespan",
    ): "Cyclone counts a reader's side from arrival, so time on the link expires nothing",
    ("mqtt", "lifespan"): "not in 3.1.1",
    ("mqtt5", "lifespan"): "`message_expiry_s`, for messages queued in the server; not tried here",
    ("coap", "multicast"): "in RFC 7390 for requests; not with Observe",
}


class PairResult:
    """The outcome of one trial, and figures from it."""

    def __init__(self, outcome: Outcome, folder: Path) -> None:
        self.outcome = outcome
        counters = outcome.counters
        self.sent = counters.get("publisher", {}).get("sent", 0)
        self.received = counters.get("subscriber", {}).get("received", 0)
        up = outcome.link.get("hosts", {}).get("device", {}).get("up", {})
        self.packets, self.bytes = int(up.get("packets", 0)), int(up.get("l3_bytes", 0))
        self.services = services(folder / "capture.pcapng")
        published, arrived = (
            read_samples(folder / f"{role}.samples") for role in ("publisher", "subscriber")
        )
        received = np.sort(arrived["received"])
        second_half = received[len(received) // 2 :]
        self.half_s = float(second_half[-1] - second_half[0]) / 1e9 if len(received) > 1 else 0.0

        known = arrived["seq"] < len(published)
        ages = arrived["received"][known] - published["sent"][arrived["seq"][known].astype(np.int64)]
        self.median_ms = float(np.median(ages)) / 1e6 if len(ages) else 0.0

    @property
    def rate(self) -> float:
        """IP bytes per second while the second half of the messages arrived."""
        return self.bytes / 2 / self.half_s

    @property
    def lost(self) -> int:
        """Messages that did not arrive."""
        return self.sent - self.received

    def fate(self) -> str:
        """The number of lost messages; for an overloaded trial, the number that had arrived."""
        if self.outcome.overloaded:
            return f"{self.received} of 200 had arrived 10 s after the last was due: each message waits for the previous one"
        return f"{self.lost} of 200 lost"

    def destination(self) -> str:
        """The destination to which the publisher's host sent most bytes."""
        flows = [
            flow
            for flow in self.outcome.link["flows"]
            if (flow["host"], flow["direction"]) == ("device", "up")
        ]
        return str(max(flows, key=lambda flow: int(flow["payload_bytes"]))["destination"])


def services(pcap: Path) -> set[int]:
    """The types of service of all IPv4 packets captured (RFC 791; pcapng's enhanced packet blocks
    hold frames).
    """
    data, at, found = pcap.read_bytes(), 0, set()
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6 and data[at + 40 : at + 42] == b"\x08\x00":
            found.add(data[at + 43])
        at += length
    return found


class Peer(NamedTuple):
    """A protocol through one of its libraries."""

    protocol: Protocol
    library: str

    def command(self) -> list[str]:
        """The command of its peer. Raises BadInput if it is not built."""
        first, *rest = self.protocol.libraries[self.library]
        return [find(first), *rest]


def trial(peer: Peer, qos: str, transport: str, link: str, rate: float | None, **more: Any) -> PairResult:
    """Run one trial in a lab. Raises BadInput if it cannot run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = more.get("count", 200)
        corpus = folder / "messages"
        corpus.write_bytes(b"".join(struct.pack("<II", SIZE, i) + bytes(SIZE - 4) for i in range(count)))
        asked = Trial(
            id="qos",
            levels={},
            replicate=0,
            seed=7,
            payload=PayloadSpec(str(corpus), "", "", ""),
            protocol=peer.protocol.name,
            library=peer.library,
            qos=qos,
            link=Link(link),
            workload=Workload(rate_hz=rate, count=count, warmup=0),
            server=peer.protocol.servers[0],
            transport=transport,
            options=more.get("options", {}),
        )
        (folder / "trial.json").write_bytes(msgspec.json.encode(asked))
        spec = lab_spec(asked, folder) | {"pcap": str(folder / "capture.pcapng")}
        (folder / "lab.json").write_text(json.dumps(spec))
        argv = [find("wirelab-link"), "lab", str(folder / "lab.json"), "--"]
        subprocess.run(
            [*argv, sys.executable, "-m", "wirelab.lab.cell", name],
            input=b"go 0\n",
            stdout=subprocess.DEVNULL,
            check=False,
        )
        outcome = msgspec.json.decode((folder / "outcome.json").read_bytes(), type=Outcome)
        if outcome.verdict.state is not State.VALID:
            raise BadInput(peer.protocol.name, str(outcome.verdict), "")
        return PairResult(outcome, folder)


def reliability(peer: Peer) -> str:
    """The loss of each qos behind a link that loses one packet in twenty."""
    seen = {qos: trial(peer, qos, peer.protocol.transports[0], LOSSY, 100) for qos in peer.protocol.qos}
    return "; ".join(f"`{qos}`: {one.fate()}" for qos, one in seen.items())


def multicast(peer: Peer) -> str:
    """The destination of data over the multicast transport."""
    for transport in peer.protocol.transports:
        if transport in ("epgm", "multicast"):
            where = trial(peer, peer.protocol.qos[0], transport, "ideal", 100).destination()
            effect = "seen" if where.startswith(("224.", "239.")) else "NOT seen"
            return f"transport `{transport}`: {effect}, data to {where}"
    return ""


def batching(peer: Peer) -> str:
    """Packets per message with and without a batch, at 1,000/s."""
    if peer.library != "cyclonedds":
        return ""
    several = {"batch_messages": "10", "batch_ms": "20"}
    adaptive = {"batch_messages": "adaptive"}
    one, ten, own = (
        trial(peer, "best-effort", "unicast", "ideal", 1000, options=options)
        for options in ({}, several, adaptive)
    )
    return (
        f"`batch_messages`: {one.packets / one.sent:.2f} packets a message with 1, {ten.packets / ten.sent:.2f} with 10, "
        f"{own.packets / own.sent:.2f} with `adaptive`"
    )


def rate_limit(peer: Peer) -> str:
    """The rate of the second half of a flood. The first second's worth is sent at once."""
    if peer.library == "fastdds":
        seen = trial(peer, "reliable", "unicast", "ideal", None, options={"flow_controller": "20000"})
        return f"`flow_controller`: {seen.rate:.0f} B/s of IP with 20000, of a flood of 200"
    if peer.protocol.name != "zmq":
        return ""
    seen = trial(peer, "block", "epgm", "ideal", None, count=20_000, options={"rate_kbit": "4000"})
    return f"`rate_kbit` of `epgm`: {seen.rate * 8 / 1000:.0f} kbit/s of IP with 4000, after a burst of about a second's worth"


def lifespan(peer: Peer) -> str:
    """The loss if messages expire before a lost one can be sent again."""
    if peer.protocol.name != "dds":
        return ""
    without, limited = (
        trial(peer, "reliable", "unicast", "rtt=400ms,loss=5%", 100, options=options)
        for options in ({}, {"lifespan_ms": "100"})
    )
    return (
        f"`lifespan_ms`: behind rtt=400ms,loss=5% `reliable` loses {without.lost} of 200 without and {limited.lost} with 100: "
        "expired messages are not sent again"
    )


def priority(peer: Peer) -> str:
    """Whether packets have the requested type of service."""
    if peer.protocol.name != "zmq":
        return ""
    seen = trial(peer, "drop", "tcp", "ideal", 100, options={"tos": str(LOW_DELAY)})
    return f"`tos` {LOW_DELAY}: {'seen' if LOW_DELAY in seen.services else 'NOT seen'} in the IP header"


def throttling(peer: Peer) -> str:
    """The latency of a flood over a slow link, with and without the throttle, if the peer has one."""
    described = subprocess.run(
        peer.command(), input=b'{"cmd":"describe"}\n', capture_output=True, check=False
    )
    told = json.loads(described.stdout.splitlines()[0])
    if "throttle" not in told["options"]:
        return ""
    qos = next(level["name"] for level in told["qos"] if level["acknowledged"])
    without, adaptive = (
        trial(
            peer, qos, peer.protocol.transports[0], "rate=2Mbit/s,rtt=40ms", None, count=2000, options=options
        )
        for options in ({}, {"throttle": "adaptive"})
    )
    return (
        f"`{qos}`, a flood of 2,000 over rate=2Mbit/s,rtt=40ms: median {without.median_ms:.0f} ms in flight "
        f"without, {adaptive.median_ms:.0f} ms with `throttle` `adaptive`"
    )


FEATURES: dict[str, Callable[[Peer], str]] = {
    "reliability": reliability,
    "multicast": multicast,
    "batching": batching,
    "rate limit": rate_limit,
    "adaptive throttling": throttling,
    "lifespan": lifespan,
    "priority": priority,
}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "protocols" / "qos.md"
BEGIN, END = "<!-- generated by bench/qos.py -->\n", "<!-- end of generated part -->\n"


def cell(peer: Peer, feature: str) -> str:
    """The sections of the page: available settings and measured effects."""
    names = dict.fromkeys((peer.protocol.name, peer.library))
    remarks = (REMARKS.get((name, feature), "") for name in names)
    try:
        seen = FEATURES[feature](peer)
    except BadInput as error:
        seen = f"could not be tried: {error.why}"
    return "; ".join(part for part in (seen, *remarks) if part)


def section(peer: Peer) -> str:
    """The effects of a protocol through one of its libraries."""
    try:
        peer.command()
        servers.check(peer.protocol.servers[0], peer.protocol.name)
        cells = {feature: cell(peer, feature) for feature in FEATURES}
    except BadInput as error:
        cells = {"not here": error.what}
    lines = [item(f"- {feature}: {text}") for feature, text in cells.items() if text]
    return f"### {peer.protocol.name}, {peer.library}\n\n{''.join(lines)}\n"


def item(text: str) -> str:
    """An item of a list, wrapped as the other prose is."""
    wrapped = textwrap.fill(text, 100, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
    return f"{wrapped}\n"


def main() -> int:
    """Write the results into the page, or print those of the named protocols."""
    named = sys.argv[1:]
    sections = []
    for protocol in protocols().values():
        if protocol.name != "mock" and (not named or protocol.name in named):
            for library in protocol.libraries:
                sections.append(section(Peer(protocol, library)))
                print(sections[-1], flush=True)
    if not named:
        text = PAGE.read_text()
        start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        PAGE.write_text(f"{text[:start]}\n{''.join(sections)}{text[end:]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
