"""Accuracy and speed of the emulator, against TUN and plain veth in the same rounds.

`python bench/link.py [--rounds N]`, as root for real-time scheduling. It prints the table of
docs/explanation/emulator.md. Rounds are interleaved: each measures every figure of every backend
once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from wirelab.system.binaries import find

ROOT = Path(__file__).resolve().parents[1]
BUILD = ["cargo", "build", "--release", "--locked", "-q", "-p", "wirelab-link", "--example", "link-load"]
LOAD = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"), "release/examples/link-load")
BACKENDS = ("af_packet", "tun", "none")
SECONDS = 3.0
WAKES = 4000
LOSSES = ("loss=1%", "loss=10%", "loss=ge(p=1%,r=25%)")
RATES = ("rate=1Mbit/s,queue=none", "rate=10Mbit/s,queue=none", "rate=100Mbit/s,queue=none", "lte-drive")
# Normal quantile of the interval that a check gives for losses.
WIDE = 3.29


class Link:
    """Runs the emulator in its own folder, and prints each command at its first use."""

    def __init__(self, folder: Path) -> None:
        self.binary, self.folder = find("wirelab-link"), folder
        self.shown: set[str] = set()

    def show(self, command: str) -> None:
        if command not in self.shown:
            self.shown.add(command)
            print(f"  $ {command}", flush=True)

    def check(self, text: str, seed: int, *more: str) -> dict[str, dict[str, Any]]:
        """The rows of a check by name."""
        self.show(f"wirelab-link check '{text}' {' '.join(more)}".rstrip() + " --seed 1..")
        return self._rows("check", text, "--seed", str(seed), *more)

    def check_lab(self, spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The rows of a check of a whole lab."""
        file = self.folder / "check.json"
        file.write_text(json.dumps(spec))
        self.show(f"wirelab-link check --lab {json.dumps(spec)}")
        return self._rows("check", "--lab", str(file))

    def _rows(self, *arguments: str) -> dict[str, dict[str, Any]]:
        done = subprocess.run(
            [self.binary, *arguments, "--json"], capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 2):
            raise SystemExit(f"bench: {' '.join(arguments)}: {done.stderr.strip()}")
        return {row["what"]: row for row in json.loads(done.stdout)["checks"]}

    def lab(
        self, hosts: list[dict[str, Any]], script: str, backend: str = "af_packet"
    ) -> tuple[str, dict[str, Any]]:
        """The output of a script in a lab, and the lab's counters."""
        spec, counters = self.folder / "lab.json", self.folder / "link.json"
        spec.write_text(json.dumps({"hosts": hosts, "backend": backend, "accounting": str(counters)}))
        self.show(f"wirelab-link lab ({len(hosts)} hosts, {backend}) -- sh -c '{script}'")
        done = subprocess.run(
            [self.binary, "lab", str(spec), "--", "sh", "-c", script],
            env={**os.environ, "LINK": self.binary, "LOAD": str(LOAD)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"bench: lab of {len(hosts)} hosts: {done.stderr.strip()}")
        return done.stdout, json.loads(counters.read_text())


Table = dict[str, dict[str, list[float]]]


def errors(rows: dict[str, dict[str, Any]]) -> tuple[float, ...]:
    """p50, p99 and p99.9 of the worse direction, us."""
    return tuple(
        max(rows[f"{side} delay error {q}"]["measured"] for side in ("up", "down")) / 1e3
        for q in ("p50", "p99", "p99.9")
    )


def machine(table: Table) -> None:
    """The lateness of a real-time thread that only wakes on the ms, the last 100 us busy-waiting.

    It is a lower bound for every emulator on this machine.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
    except PermissionError:
        return
    late, due = [], time.monotonic_ns() + 10_000_000
    for _ in range(WAKES):
        due += 1_000_000
        time.sleep(max(0, due - time.monotonic_ns() - 100_000) / 1e9)
        while (now := time.monotonic_ns()) < due:
            pass
        late.append((now - due) / 1e3)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    late.sort()
    for name, share in (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)):
        table[f"a bare thread that wakes on the ms, late, {name}, us"]["none"].append(
            late[int(share * WAKES)]
        )


def delays(link: Link, seed: int, table: Table) -> None:
    """Errors at 35 ms and at 0 ms; with all cores busy; without real-time scheduling."""

    def keep(what: str, backend: str, found: tuple[float, ...]) -> None:
        for name, value in zip(("p50", "p99", "p99.9"), found, strict=True):
            table[f"{what}, {name}, us"][backend].append(value)

    for backend in BACKENDS:
        if backend != "none":
            keep("error at 35 ms", backend, errors(link.check("delay=35ms", seed, "--backend", backend)))
        keep("added at 0 ms", backend, errors(link.check("ideal", seed, "--backend", backend)))
    ordinary = {
        "seed": seed,
        "realtime": "off",
        "hosts": [{"name": "a", "link": "delay=35ms"}, {"name": "b"}],
    }
    for backend in BACKENDS[:2]:
        rows = link.check_lab({**ordinary, "backend": backend})
        keep("error at 35 ms without real-time", backend, errors(rows))
    hogs = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)]
    try:
        for backend in BACKENDS[:2]:
            # The probe's threads wait for the processor too, so the emulator's own lateness is
            # used.
            rows = link.check("delay=35ms", seed, "--backend", backend)
            lateness = rows["own lateness p99"]["measured"] / 1e3
            table["lateness at 35 ms, all cores hogged, p99, us"][backend].append(lateness)
            rows = link.check_lab({**ordinary, "backend": backend})
            lateness = rows["own lateness p99"]["measured"] / 1e3
            table["lateness at 35 ms, all cores hogged, without real-time, p99, us"][backend].append(lateness)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def rates(link: Link, seed: int, table: Table) -> None:
    """The deviation of trains of full packets from the specified rate."""
    for text in RATES:
        row = link.check(text, seed)["up rate"]
        table[f"{text.split(',')[0]}: error, %"]["af_packet"].append(
            (row["measured"] / row["asked"] - 1) * 100
        )


def losses(link: Link, seed: int, table: Table) -> None:
    """The deviation of losses from the specified share, in standard deviations of 100,000 packets."""
    for text in LOSSES:
        rows = link.check(text, seed, "--packets", "100000")
        row = rows["up loss"]
        sigma = (row["high"] - row["measured"] - 0.5 / row["n"]) / WIDE
        table[f"{text}: off by, sigma of {row['n']} packets"]["af_packet"].append(
            abs(row["measured"] - row["asked"]) / sigma
        )
        wrong = rows["up fates not as drawn"]["measured"] + rows["down fates not as drawn"]["measured"]
        table[f"{text}: fates not as drawn"]["af_packet"].append(wrong)


def throughput(link: Link, table: Table) -> None:
    """Packets and TCP bytes per second through one ideal link."""
    pair = [{"name": "client"}, {"name": "server"}]
    flood = f"$LINK exec server -- $LOAD sink 0.5 & sleep 0.2; $LINK exec client -- $LOAD flood $WIRELAB_SERVER {SECONDS}; wait"
    tcp = (
        "$LINK exec server -- iperf3 -s -1 --forceflush >$TMPDIR/server & until grep -q listening $TMPDIR/server; do sleep 0.05; done; "
        f"$LINK exec client -- iperf3 -J -t {SECONDS:.0f} -c $WIRELAB_SERVER"
    )
    for backend in BACKENDS:
        said, counters = link.lab(pair, flood, backend)
        # Packets that the emulator delivered, including those that the sink's socket dropped.
        emulated = counters["hosts"]
        packets = emulated["server"]["down"]["delivered"] if emulated else int(said)
        table["forwarding 200 B, kpps"][backend].append(packets / SECONDS / 1e3)
        if emulated:
            table["CPU of the emulator, us per packet"][backend].append(counters["cpu_ns"] / packets / 1e3)
            table["frames lost by the emulator in the flood"][backend].append(counters["own_drops"])
        said, counters = link.lab(pair, tcp, backend)
        if counters["hosts"]:
            table["frames lost by the emulator in TCP"][backend].append(counters["own_drops"])
        received = json.loads(said)["end"]["sum_received"]["bits_per_second"]
        table["TCP, Gbit/s"][backend].append(received / 1e9)


def many(link: Link, table: Table) -> None:
    """A hundred idle links, a thousand busy ones."""
    hundred = [{"name": f"h{i}"} for i in range(100)]
    began = time.time()
    said, _ = link.lab(hundred, "date +%s.%N")
    table["100 links: set up, s"]["af_packet"].append(float(said) - began)
    said, counters = link.lab(hundred, "grep VmRSS /proc/1/status; sleep 5")
    table["100 links: resident, MB"]["af_packet"].append(int(said.split()[1]) / 1e3)
    idle = counters["cpu_ns"] / (counters["now_ns"] - counters["epoch_ns"]) * 100
    table["100 links: idle, % of a core"]["af_packet"].append(idle)
    thousand = [{"name": f"h{i}", "link": "delay=35ms"} for i in range(1000)]
    epoch = 'printf \'{"cmd":"epoch"}\\n\' | python3 -c "import socket,sys; s=socket.socket(1); s.connect(\\"/run/wirelab/link.sock\\"); s.sendall(sys.stdin.buffer.read()); s.recv(99)"'
    _, counters = link.lab(thousand, f"ulimit -n 4096; {epoch}; $LOAD pulse 5")
    busy = counters["cpu_ns"] / (counters["now_ns"] - counters["epoch_ns"]) * 100
    table["1,000 links at 1 msg/s: CPU, % of a core"]["af_packet"].append(busy)
    table["1,000 links at 1 msg/s: lateness p99, us"]["af_packet"].append(
        counters["lateness"]["p99_ns"] / 1e3
    )


GOALS = {
    "error at 35 ms, p50, us": "<= 10",
    "error at 35 ms, p99, us": "<= 35",
    "error at 35 ms, p99.9, us": "<= 200",
    "error at 35 ms without real-time, p50, us": "<= 40",
    "lateness at 35 ms, all cores hogged, p99, us": "<= 20",
    "added at 0 ms, p50, us": "<= 40",
    **{f"{text.split(',')[0]}: error, %": "within 0.01" for text in RATES},
    **{f"{text}: off by, sigma of 100000 packets": "<= 2" for text in LOSSES},
    **{f"{text}: fates not as drawn": "0" for text in LOSSES},
    "forwarding 200 B, kpps": ">= 170",
    "CPU of the emulator, us per packet": "<= 2.6",
    "TCP, Gbit/s": ">= 2",
    "100 links: set up, s": "<= 2",
    "100 links: resident, MB": "<= 100",
    "100 links: idle, % of a core": "<= 0.01",
    "1,000 links at 1 msg/s: CPU, % of a core": "<= 15",
    "1,000 links at 1 msg/s: lateness p99, us": "<= 1000",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    subprocess.run(BUILD, cwd=ROOT, check=True)
    print(f"  load before: {' '.join(f'{x:.2f}' for x in os.getloadavg())}; kernel {os.uname().release}")
    table: Table = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        link = Link(Path(folder))
        for seed in range(1, rounds + 1):
            machine(table)
            delays(link, seed, table)
            rates(link, seed, table)
            losses(link, seed, table)
            throughput(link, table)
            many(link, table)
    print(f"  load after: {' '.join(f'{x:.2f}' for x in os.getloadavg())}\n\nMedians of {rounds} rounds:\n")
    print("| | goal | AF_PACKET | TUN | neither |\n|---|---|---|---|---|")
    for what, found in table.items():
        cells = [f"{median(found[b]):.4g}" if b in found else "" for b in BACKENDS]
        print(f"| {what} | {GOALS.get(what, '')} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
