"""Kafka against its ProducerPerformance: a flood of 1 kB without a consumer.

`python bench/kafka.py [--rounds N]`. Both have acks=1, linger 5 ms and batches of up to 1,000,000
B. The figure is records acknowledged per second by one server that runs through all rounds: for
ProducerPerformance those after its warm-up, for wirelab all.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import maven_tools
import output_parsers
from interleaving import parse_rounds, run_interleaved
from peer_pair import TOPIC, PairSpec, open_peer_pair, serving

COUNT = 500_000
WARM_UP = 200_000
SETTINGS = {"acks": "1", "linger.ms": "5", "batch.size": "1000000"}
OPTIONS = {"linger_ms": "5", "batch_bytes": "1000000"}
SPEC = PairSpec("kafka", "kafka", "1", COUNT, options=OPTIONS, roles=("publisher",))


def main() -> int:
    """Exit code 1 if wirelab is slower."""
    rounds = parse_rounds(__doc__)
    with tempfile.TemporaryDirectory() as folder, serving(SPEC, Path(folder)) as at:

        def ours() -> float:
            with tempfile.TemporaryDirectory() as own, open_peer_pair(SPEC, Path(own), at) as publisher:
                sent = publisher.run("flood").sent
                assert sent["done"].all(), "not every record was acknowledged"
                return COUNT / (int(sent["done"].max()) - int(sent["sent"].min())) * 1e9

        def producer_performance() -> float:
            output = maven_tools.run(
                "kafka-tools", "org.apache.kafka.tools.ProducerPerformance",
                "--bootstrap-server", f"127.0.0.1:{at[1]}", "--topic", TOPIC,
                "--num-records", str(COUNT + WARM_UP), "--warmup-records", str(WARM_UP),
                "--record-size", str(SPEC.size), "--throughput", "-1",
                "--command-property", *(f"{key}={value}" for key, value in SETTINGS.items()),
            )  # fmt: skip
            return output_parsers.parse_producer_performance(output)

        ratio = run_interleaved(
            f"{COUNT:,} records of {SPEC.size} B as fast as they go",
            "records/s",
            {"wirelab": ours, "ProducerPerformance": producer_performance},
            rounds,
        )
    return 0 if ratio >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
