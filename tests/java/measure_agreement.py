"""Compare the times of Java codecs with JMH's: `python tests/java/measure_agreement.py PAYLOAD`.

Builds the payload's Java pack. Times serialize and deserialize of every codec with wirelab and with
JMH, on the same classes, messages and JVM settings. The two alternate, each in a new process.
Prints the ratio of the medians of wall time. Needs a quiet machine. Exit code 1 if a ratio differs
from 1 by more than 5 %.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from wirelab.codecs.build import default_cache
from wirelab.codecs.java import toolchain
from wirelab.codecs.java.bench import JavaBench
from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import CodecInfo
from wirelab.schema import payload
from wirelab.schema.inference import infer

PHASES = ("serialize", "deserialize")
TOLERANCE, ROUNDS = 0.05, 7
JMH = ("-bm", "avgt", "-tu", "ns", "-f", "1", "-wi", "5", "-w", "500ms", "-i", "5", "-r", "300ms")

Times = dict[str, float]
"""ns per message by phase."""


def measure_with_wirelab(bench: JavaBench, codec: CodecInfo, seed: int) -> Times:
    """wirelab's medians."""
    words = ("--seconds-per", "1.5", "--samples", "9", "--seed", str(seed))
    lines = [json.loads(line) for line in bench.run("bench", [codec], *words, phases=PHASES)]
    return {line["phase"]: float(np.median(line["wall_ns"])) for line in lines}


def measure_with_jmh(bench: JavaBench, codec: CodecInfo, messages: int, folder: Path) -> Times:
    """JMH's means."""
    own, result = toolchain.module("jmh"), folder / "jmh.json"
    flags = bench.java[: bench.java.index("-cp")]
    places = [f"{own / 'wirelab-jmh.jar'}", f"{own / 'lib'}/*", bench.java[bench.java.index("-cp") + 1]]
    words = [
        *flags,
        f"-Dwirelab.corpus={bench.corpus}",
        "-cp",
        os.pathsep.join(places),
        "org.openjdk.jmh.Main",
    ]
    words += ["Agreement", *JMH, "-p", f"codec={codec.name}", "-rf", "json", "-rff", str(result)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    found = json.loads(result.read_text())
    return {one["benchmark"].rpartition(".")[2]: one["primaryMetric"]["score"] / messages for one in found}


def main(path: str, names: list[str]) -> int:
    """Compare every codec, or those of these names."""
    read = payload.read(path)
    schema = infer(read)
    pack = build_java_pack(schema, java_codecs(schema)[0], default_cache())
    within = True
    print(f"load average {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, {pack.toolchain}")
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus.jsonl"
        corpus.write_bytes(payload.normalised(read, schema))
        messages = len(corpus.read_text().splitlines())
        bench = JavaBench(pack, str(corpus))
        for codec in pack.codecs:
            if names and codec.name not in names:
                continue
            rounds = [
                (
                    measure_with_wirelab(bench, codec, seed),
                    measure_with_jmh(bench, codec, messages, Path(name)),
                )
                for seed in range(ROUNDS)
            ]
            within &= all([_report(codec.name, phase, rounds) for phase in PHASES])
    return 0 if within else 1


def _report(name: str, phase: str, rounds: list[tuple[Times, Times]]) -> bool:
    """Print the ratio of a phase. Returns whether it is within the tolerance."""
    ours = float(np.median([us[phase] for us, _ in rounds]))
    theirs = [jmh[phase] for _, jmh in rounds]
    ratio = ours / float(np.median(theirs))
    print(
        f"{name:36}{phase:12}{ours:12,.1f} ns  JMH {np.median(theirs):12,.1f} ns (slowest process {max(theirs) / min(theirs):.3f} x the fastest)  "
        f"ratio {ratio:.3f}",
        flush=True,
    )
    return abs(ratio - 1) <= TOLERANCE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
