"""`make bench`: measure wirelab itself, part by part, on an otherwise idle machine.

`python bench/run.py [PART ...]`; all parts without arguments. Each part prints its command, then
the output.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

from wirelab.lab.environment import environment, warnings

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable

JAVA_CODECS = (
    "json/jackson-databind",
    "protobuf/protobuf-java",
    "avro/avro-java",
    "flatbuffers/flatbuffers-java",
    "thrift/libthrift-binary",
)

CPP_CODECS = (
    "json/rapidjson",
    "protobuf/protobuf-cpp",
    "flatbuffers/flatbuffers-cpp",
    "msgpack/msgpack-cxx",
    "capnp/capnp-cpp",
)

PARTS: dict[str, tuple[str, list[str]]] = {
    "help": ("wirelab --help < 0.3 s", [PYTHON, "bench/startup_time.py", "help"]),
    "pack": ("a pack for a new schema < 30 s", [PYTHON, "bench/startup_time.py", "pack"]),
    "demo": ("make demo after the build < 3 min", [PYTHON, "bench/startup_time.py", "demo"]),
    "pacer": (
        "10,000/s and 1/s: mean rate error < 0.1 %, p99 lateness < 100 us",
        [PYTHON, "tests/contract/measure_pacer.py"],
    ),
    "recorder": (
        "stamp and record < 100 ns, no allocation",
        ["cargo", "run", "--release", "-q", "-p", "wirelab-peer", "--example", "recorder-bench"],
    ),
    "codecs": (
        "codec times within 5 % of criterion; the same codec twice is a tie in >= 95 of 100",
        [PYTHON, "tests/codecs/measure_agreement.py", "examples/vehicle-status.jsonl"],
    ),
    "codecs-java": (
        "times of Java codecs within 5 % of JMH",
        [PYTHON, "tests/java/measure_agreement.py", "examples/vehicle-status.jsonl", *JAVA_CODECS],
    ),
    "codecs-cpp": (
        "times of C++ codecs within 5 % of google-benchmark",
        [PYTHON, "tests/cpp/measure_agreement.py", "examples/vehicle-status.jsonl", *CPP_CODECS],
    ),
    "codecs-hand": (
        "no Rust codec is slower than hand-written use of its library by more than 5 %",
        [PYTHON, "tests/codecs/measure_hand_written.py"],
    ),
    "link": (
        "the emulator: errors, rates, losses, throughput, many links, beside TUN and plain veth",
        [PYTHON, "bench/link.py"],
    ),
    "flood": (
        "MQTT QoS 0, 1 kB through mosquitto: the broker is the limit (peer CPU < 60 % of a core)",
        [PYTHON, "bench/saturation.py"],
    ),
    "zmq": (
        "ZeroMQ within 5 % of the plain libzmq loop: messages a second, time on the way",
        [PYTHON, "bench/zmq.py"],
    ),
    "dds": ("DDS within 5 % of ddsperf with the same settings", [PYTHON, "bench/dds.py"]),
    "amqp": ("AMQP at or above RabbitMQ PerfTest", [PYTHON, "bench/amqp.py"]),
    "kafka": ("Kafka at or above ProducerPerformance", [PYTHON, "bench/kafka.py"]),
    "connections": (
        "10,000 MQTT connections from one process: < 20 s, < 20 kB each beyond the kernel's, telemetry from all",
        [PYTHON, "bench/connections.py"],
    ),
    "pace": (
        "MQTT at 1,000/s for 60 s: peers < 3 % of a core; a server paused for 1.4 s shows p99 above 1 s",
        [PYTHON, "bench/server_pause.py"],
    ),
    "studies": (
        "proos2020 --quick on two seeds: the same verdict on >= 95 % of the claims",
        [PYTHON, "bench/verdict_stability.py", "proos2020"],
    ),
    "cluster": (
        "500 mock trials of 0.1 s: < 150 ms more per trial on a Ray node; two nodes >= 85 % of twice the speed",
        [PYTHON, "tests/engine/measure_cluster.py"],
    ),
    "load": (
        "4 publishers on 2 Ray nodes send the asked rate within 0.5 %; 10 million messages' samples merge in < 10 s",
        [PYTHON, "tests/engine/measure_load.py"],
    ),
}


def main() -> int:
    """Run the selected parts. Exit code 1 if any of them failed."""
    asked = sys.argv[1:] or list(PARTS)
    unknown = [name for name in asked if name not in PARTS]
    if unknown:
        print(f"bench: no part {', '.join(unknown)}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 3
    seen = environment()
    print(time.strftime("%F %T"), *(f"{key}={value}" for key, value in seen.items()), sep="\n  ")
    for warning in warnings(seen):
        print(f"  note: {warning}")
    failed = []
    for name in asked:
        goal, command = PARTS[name]
        print(f"\n## {name}: {goal}\n$ {shlex.join(_shown(command))}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
    if failed:
        print(f"\nbench: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _shown(command: list[str]) -> list[str]:
    return ["python", *command[1:]] if command[0] == PYTHON else command


if __name__ == "__main__":
    sys.exit(main())
