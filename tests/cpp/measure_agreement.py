"""Compare the times of C++ codecs with google-benchmark's: `python tests/cpp/measure_agreement.py
PAYLOAD [CODEC ...]`.

Builds the payload's C++ pack, times serialize and deserialize of every codec by `wirelab-codec
bench` and by google-benchmark on the same pack, in turns and each time in a process of its own, and
prints the ratio of the medians. Wants a quiet machine and messages of a kB or more:
google-benchmark calls through the pack's C ABI. Exit code 1 where a ratio is off by more than 5 %.
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
from wirelab.codecs.cpp import toolchain
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import CPP
from wirelab.codecs.pack import Pack
from wirelab.model.codec_result import HEADLINE
from wirelab.schema import payload
from wirelab.schema.inference import infer
from wirelab.system import binaries

TOLERANCE, ROUNDS = 0.05, 5
SOURCE = Path(__file__).with_name("agreement.cpp")

Times = dict[tuple[str, str], float]
"""Codec and phase -> ns of CPU time per message."""


def by_us(pack: Pack, corpus: Path, seed: int) -> Times:
    """Our bench's means."""
    names = ",".join(codec.name for codec in pack.codecs)
    words = [binaries.find("wirelab-codec"), "bench", pack.path, str(corpus), "--codec", names]
    words += ["--phase", ",".join(HEADLINE), "--seconds-per", "0.3", "--samples", "10", "--seed", str(seed)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {(line["codec"], line["phase"]): float(np.mean(line["cpu_ns"])) for line in lines}


def by_google(program: Path, pack: Pack, corpus: Path, messages: int) -> Times:
    """google-benchmark's means."""
    names = [codec.name for codec in pack.codecs]
    options = ["--benchmark_format=json", "--benchmark_min_time=0.3"]
    words = [str(program), str(corpus), *names, "--", *options]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)["benchmarks"]
    assert all(one["time_unit"] == "ns" for one in found)
    return {tuple(one["name"].split()): one["cpu_time"] / messages for one in found}


def program(pack: Pack, folder: Path) -> Path:
    """The benchmark, linked with the pack."""
    made = folder / "agreement"
    words = ["g++", *toolchain.FLAGS, str(SOURCE), pack.path, "-lbenchmark", "-lpthread", "-o", str(made)]
    subprocess.run(words, check=True)
    return made


def main(path: str, asked: list[str]) -> int:
    """Every codec, or those named."""
    read = payload.read(path)
    schema = infer(read)
    pack = build_cpp_pack(schema, [one for one in CPP if not asked or one.name in asked], default_cache())
    print(f"load average {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, {pack.toolchain}")
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus.jsonl"
        corpus.write_bytes(payload.normalised(read, schema))
        messages = len(corpus.read_text().splitlines())
        made = program(pack, Path(name))
        rounds = [
            (by_us(pack, corpus, seed), by_google(made, pack, corpus, messages)) for seed in range(ROUNDS)
        ]
    within = True
    for codec, phase in rounds[0][0]:
        ours, theirs = (float(np.median([turn[side][codec, phase] for turn in rounds])) for side in (0, 1))
        within &= abs(ours / theirs - 1) <= TOLERANCE
        print(
            f"{codec:34}{phase:12}{ours:12,.1f} ns  google-benchmark {theirs:12,.1f} ns  ratio {ours / theirs:.3f}"
        )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
