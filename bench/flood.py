"""MQTT QoS 0, 1 kB, as fast as it goes, through mosquitto on loopback: who is the limit?

`python bench/flood.py [COUNT]`. Peers and broker are the real ones; rounds show the spread. Prints for each round the
rate delivered, losses, and the share of a core that publisher, subscriber and broker took while messages flowed.
"""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from wirelab.lab.binaries import find
from wirelab.lab.hosts import Loopback
from wirelab.lab.peer import Peer
from wirelab.lab.process import difference, usage
from wirelab.lab.servers import Site, start
from wirelab.store.peer_samples import read_samples

ROUNDS = 5
SIZE = 1000


def flood(count: int, folder: Path) -> str:
    """One round, as a line of figures."""
    messages = folder / "messages"
    messages.write_bytes(struct.pack("<I", SIZE) + b"x" * SIZE)
    hosts = Loopback()
    port = _free_port()
    server = start("mosquitto", Site("mqtt", port, hosts, folder))
    assert server is not None
    peers = {}
    try:
        for role in ("subscriber", "publisher"):
            with (folder / f"{role}.log").open("wb") as log:
                peers[role] = Peer(role, hosts.start("here", [find("wirelab-peer-mqtt")], log, folder))
            peers[role].command(
                "prepare", "prepared", 10, role=role, server={"address": "127.0.0.1", "port": port}, qos="0",
                options={}, topic="flood", client=role, payload={"messages": str(messages)}, identity="header",
                samples=str(folder / f"{role}.samples"), capacity=count,
            )  # fmt: skip
        pids = {"broker": server.process.pid} | {role: peer.process.pid for role, peer in peers.items()}
        before = {name: usage(pid) for name, pid in pids.items()}
        schedule = {"kind": "flood", "count": count, "duration_ns": None}
        for peer in peers.values():
            peer.command("start", "started", 10, at_ns=time.monotonic_ns() + 10**8, schedule=schedule)
        _wait(peers, count)
        used = {name: difference(usage(pid), before[name]).cpu_ns for name, pid in pids.items()}
        for role in ("publisher", "subscriber"):
            peers[role].command("stop", "stopped", 10)
    finally:
        for peer in peers.values():
            peer.kill()
        server.stop()
    sent, got = read_samples(folder / "publisher.samples"), read_samples(folder / "subscriber.samples")
    seconds = (int(got["received"].max()) - int(sent["sent"].min())) / 1e9
    shares = ", ".join(f"{name} {ns / 1e9 / seconds:.0%}" for name, ns in used.items())
    return f"{len(got) / seconds:,.0f} msg/s, {count - len(got)} lost; of a core: {shares}"


def _wait(peers: dict[str, Peer], count: int) -> None:
    seen, quiet_since = -1, time.monotonic()
    while time.monotonic() - quiet_since < 2:
        time.sleep(0.02)
        for peer in peers.values():
            peer.drain()
        received = peers["subscriber"].counters["received"]
        if received >= count:
            return
        if received != seen:
            seen, quiet_since = received, time.monotonic()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main() -> None:
    """All rounds, each with a broker of its own."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    version = subprocess.run(
        ["mosquitto", "-h"], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    print(f"{version[0] if version else 'mosquitto'}; {count:,} messages of {SIZE:,} B, {ROUNDS} rounds")
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            print(flood(count, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
