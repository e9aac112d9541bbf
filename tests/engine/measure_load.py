"""Load from two nodes of this machine: the rate of four publishers, and the time to merge 10
million samples.

`python tests/engine/measure_load.py [RATE] [MESSAGES]`: 20,000/s for 10 s over MQTT QoS 0 through
the built-in broker, and 10 million messages with a record on either side, brought home from both
nodes and joined.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import ray

from tests.engine.conftest import add_node, new_cluster
from tests.engine.sleeper import Sleeper, by_value, run_all
from tests.factories import a_payload, a_trial
from wirelab.engine.cluster import Cluster
from wirelab.engine.node_agent import NodeAgent
from wirelab.engine.ray_connection import connected
from wirelab.lab.outcome import Outcome
from wirelab.model.host_role import PUBLISHER, SUBSCRIBER, HostRole, numbered, role_of
from wirelab.model.json_stream import Offset, Stream
from wirelab.model.trial import Workload
from wirelab.store.sample_file import RECORD, sample_file
from wirelab.studies.multi_publisher_join import join_streams
from wirelab.workloads import messages

SECONDS, PUBLISHERS, BYTES = 10, 4, 100
PLACEMENT = ("publishers=2,server", "publishers=2,subscriber")
# The bounds.
RATE_ERROR, MERGE_S = 0.005, 10.0


def flood(rate: int, folder: Path) -> bool:
    """Send `rate` messages per second from both nodes, and print what was sent."""
    corpus = folder / "messages"
    messages.write(corpus, messages.messages(BYTES, 1000))
    workload = Workload(rate_hz=float(rate), count=rate * SECONDS, warmup=0, placement=PLACEMENT)
    payload = a_payload(corpus=str(corpus))
    trial = a_trial("load", payload=payload, workload=workload)
    with run_all(folder / "run", [trial], Cluster(Sleeper())) as store:
        (record,) = store.results()
        columns = store.samples("load")
    assert record.result is not None
    if not columns:
        print(f"nothing was sent: {record.result.verdict}")
        return False
    sent = columns["sent"].astype(np.int64)
    achieved = (len(sent) - 1) * 1e9 / (sent.max() - sent.min())
    off = achieved / rate - 1
    print(
        f"{PUBLISHERS} publishers on 2 nodes, {rate:,}/s asked for {SECONDS} s: {achieved:,.1f}/s sent, {off:+.3%} "
        f"(bound {RATE_ERROR:.1%}); {record.result.counts.delivered:,} of {record.result.counts.planned:,} delivered, "
        f"clocks known to within {record.result.clock_error_ns / 1e3:.0f} us, {record.result.verdict}"
    )
    return abs(off) <= RATE_ERROR


class Filled(NodeAgent):
    """A station whose samples are made, not measured."""

    def fill(self, names: list[str], number: int) -> None:
        """`number` records for each name: publishers' every 200 us, subscribers' 1 ms after."""
        self._folder = tempfile.TemporaryDirectory()
        self._processes: Any = SimpleNamespace(folder=Path(self._folder.name))
        for name in names:
            records = np.zeros(number, dtype=RECORD)
            records["seq"] = np.arange(number)
            at = 10**12 + HostRole.parse(name).number * 50_000 + 200_000 * np.arange(number)
            records["bytes"] = BYTES
            if role_of(name) == PUBLISHER:
                for column in ("planned", "start", "sent"):
                    records[column] = at
            else:
                records["received"] = records["decoded"] = at + 1_000_000
            (self.processes.folder / f"{name}.samples").write_bytes(sample_file(records))


def merge(number: int, folder: Path) -> bool:
    """Collect the records of `count` messages from two nodes and join them."""
    each = number // PUBLISHERS
    publishers = numbered(PUBLISHER, PUBLISHERS)
    subscribers = numbered(SUBSCRIBER, PUBLISHERS)
    clock = Offset(10**12, 5e6, 1e-6, 300_000.0)
    outcome = Outcome(
        identity="header",
        counters={name: {"sent": each} for name in publishers},
        streams=tuple(Stream(p, s, 0, clock) for p, s in zip(publishers, subscribers, strict=True)),
    )
    workload = Workload(rate_hz=20_000.0, count=each * PUBLISHERS, warmup=0, placement=PLACEMENT)
    trial = a_trial(payload=a_payload(codec=""), workload=workload)
    actor: Any = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Filled)
    stations = {station: names for names in (publishers, subscribers) if (station := actor.remote())}
    ray.get([station.fill.remote(names, each) for station, names in stations.items()])
    began = time.perf_counter()
    for station, names in stations.items():
        for name in names:
            ray.get(station.samples.remote(name)).tofile(folder / f"{name}.samples")
    home = time.perf_counter()
    joined = join_streams(trial, outcome, folder)
    done = time.perf_counter()
    whole = joined.counts.delivered == joined.counts.planned == each * PUBLISHERS
    print(
        f"{joined.counts.delivered:,} messages, {2 * joined.counts.delivered:,} records: brought home in {home - began:.1f} s, "
        f"merged in {done - home:.1f} s, together {done - began:.1f} s (bound {MERGE_S:g} s); "
        f"{'none lost, none twice' if whole else 'NOT WHOLE'}"
    )
    return whole and done - began < MERGE_S


def main() -> int:
    """Measure and say; 1 where a bound is missed."""
    rate, number = (int(text) for text in (*sys.argv[1:], *("20000", "10000000")[len(sys.argv) - 1 :]))
    by_value()
    cluster = new_cluster()
    try:
        add_node(cluster, "b")
        with connected(cluster.address), tempfile.TemporaryDirectory() as folder:
            held = [flood(rate, Path(folder)), merge(number, Path(folder))]
    finally:
        cluster.shutdown()
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
