"""Compare the rows of a generated pack with hand-written use of the same libraries.

`python tests/codecs/measure_hand_written.py [--instructions] [CODEC ...]`.

The messages are those of examples/vehicle-status.jsonl; hand_written/ is what a user of each
library would write for them, with the versions and the compiler settings of a pack. First every
message's bytes are compared. Then both serialize native objects into a reused buffer and build
native objects from bytes (`convert`), in turns, each turn in processes of their own, on the
thread's CPU clock; printed is the ratio of the medians. Wants a quiet machine; with
`--instructions`, which takes `perf`, those are counted instead, and other load hardly moves them.
Exit code 1 where a row takes over 5 % more, or bytes differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from statistics import median

from pack_ffi import Library

from wirelab.codecs.build import SOURCES, build_pack
from wirelab.codecs.pack import Pack
from wirelab.codecs.rust import avro, compilers
from wirelab.model.schema import Schema
from wirelab.schema import payload
from wirelab.schema.emitters import emit
from wirelab.schema.inference import infer
from wirelab.system import binaries

ROOT = Path(__file__).resolve().parents[2]
BY_HAND = Path(__file__).with_name("hand_written")
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "by-hand"
MESSAGES = ROOT / "examples" / "vehicle-status.jsonl"
TOLERANCE, ROUNDS, SECONDS = 0.05, 5, 0.2
NOT_BY_HAND = ("xml/quick-xml",)
"""Its layout is Jackson's, which the library's own serde support does not write."""

Times = dict[tuple[str, str], float]
"""Codec and phase -> ns of CPU time per message."""


def schemas(schema: Schema) -> Path:
    """A folder with the emitted schemas, compiled by their official compilers; untouched where
    nothing changed.
    """
    folder = TARGET / "schemas"
    folder.mkdir(parents=True, exist_ok=True)
    proto = emit(schema, "protobuf")
    written: dict[str, str | bytes] = {
        "schema_generated.rs": compilers.flatc(emit(schema, "flatbuffers")),
        "structs.request": compilers.capnp(emit(schema, "capnp")),
        "structs.rs": compilers.thrift(emit(schema, "thrift")),
        "structs.u.pb.rs": compilers.protoc(proto),
        "structs.proto": proto,
        "schema.avsc": avro.schema_json(schema),
    }
    for name, text in written.items():
        data = text if isinstance(text, bytes) else text.encode()
        path = folder / name
        if not (path.exists() and path.read_bytes() == data):
            path.write_bytes(data)
    return folder


def program(schema: Schema) -> Path:
    """The hand-written codecs, compiled."""
    env = os.environ | {
        "BY_HAND_SCHEMAS": str(schemas(schema)),
        "PROTOC": str(Path(sys.executable).with_name("protoc")),
    }
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", str(TARGET)]
    subprocess.run(command, cwd=BY_HAND, env=env, check=True)
    return TARGET / "release" / "by-hand"


def other_versions() -> list[str]:
    """Libraries that the two locks have in another version."""
    ours, theirs = (
        {(one["name"], one["version"]) for one in tomllib.loads(path.read_text())["package"]}
        for path in (SOURCES / "Cargo.lock", BY_HAND / "Cargo.lock")
    )
    asked = tomllib.loads((BY_HAND / "Cargo.toml").read_text())["dependencies"]
    return sorted(name for name, version in theirs - ours if name in asked)


def run_hand_written(made: Path, corpus: Path, task: str, codecs: list[str]) -> list[str]:
    """The lines the hand-written program prints."""
    command = [str(made), str(corpus), task, *codecs]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def same_bytes(made: Path, pack: Pack, corpus: Path, codecs: list[str]) -> bool:
    """Whether row and hand write the same; prints what differs."""
    messages = [json.loads(line) for line in corpus.read_text().splitlines()]
    library = Library(pack.path, messages)
    same = True
    for codec in codecs:
        session = library.session(codec)
        lines = run_hand_written(made, corpus, "bytes", [codec])
        for index, line in zip(range(len(messages)), lines, strict=True):
            row, hand = session.encode(index), bytes.fromhex(line)
            if row != hand:
                print(f"{codec}: message {index} has {len(row)} bytes, by hand {len(hand)}, and they differ")
                same = False
                break
    return same


def by_row(pack: Pack, corpus: Path, codecs: list[str], seed: int) -> Times:
    """The rows' means."""
    words = [binaries.find("wirelab-codec"), "bench", pack.path, str(corpus), "--codec", ",".join(codecs)]
    words += ["--phase", "serialize,convert", "--seconds-per", str(SECONDS), "--samples", "10"]
    done = subprocess.run([*words, "--seed", str(seed)], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {(one["codec"], one["phase"]): sum(one["cpu_ns"]) / len(one["cpu_ns"]) for one in lines}


def hand_written(made: Path, corpus: Path, codecs: list[str]) -> Times:
    """The means of the hand-written codecs."""
    lines = [json.loads(line) for line in run_hand_written(made, corpus, str(SECONDS), codecs)]
    return {(one["codec"], one["phase"]): one["cpu_ns"] for one in lines}


def instructions(before: list[str], word: str, after: list[str], messages: int) -> float:
    """Instructions a message takes: what 60 turns (the number in `word`) over all messages take
    beyond 10.
    """

    def counted(turns: int) -> int:
        words = ["perf", "stat", "-x,", "-e", "instructions:u", *before, word.format(turns), *after]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        return next(int(line.split(",")[0]) for line in done.stderr.splitlines() if "instructions" in line)

    return (counted(60) - counted(10)) / 50 / messages


def counts(made: Path, pack: Pack, corpus: Path, codecs: list[str]) -> tuple[Times, Times]:
    """Instructions in place of ns, of the rows and by hand."""
    messages = len(corpus.read_text().splitlines())
    rows, hands = {}, {}
    for codec in codecs:
        for phase in ("serialize", "convert"):
            peak = [binaries.find("wirelab-codec"), "peak", pack.path, str(corpus), "--codec", codec]
            peak += ["--phase", phase, "--iterations"]
            rows[codec, phase] = instructions(peak, "{}", [], messages)
            hands[codec, phase] = instructions([str(made), str(corpus)], phase + ":{}", [codec], messages)
    return rows, hands


def main(asked: list[str]) -> int:
    """Every codec, or those whose names are asked for; with `--instructions` they are counted, and
    nothing is timed.
    """
    counting = "--instructions" in asked
    unit = "instructions" if counting else "ns"
    asked = [word for word in asked if word != "--instructions"]
    read = payload.read(str(MESSAGES))
    schema = infer(read)
    pack = build_pack(schema, asked=["all"])
    codecs = asked or [one.name for one in pack.codecs if one.name not in NOT_BY_HAND]
    made = program(schema)
    print(f"load average {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, {pack.toolchain}")
    if differing := other_versions():
        print(f"not the versions of a pack: {', '.join(differing)}")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        corpus.write_bytes(payload.normalised(read, schema))
        within = same_bytes(made, pack, corpus, codecs)
        if counting:
            rounds = [counts(made, pack, corpus, codecs)]
        else:
            rounds = [
                (by_row(pack, corpus, codecs, seed), hand_written(made, corpus, codecs))
                for seed in range(ROUNDS)
            ]
    for codec, phase in rounds[0][0]:
        row, hand = (median(turn[side][codec, phase] for turn in rounds) for side in (0, 1))
        within &= row / hand <= 1 + TOLERANCE
        verdict = "" if row / hand <= 1 + TOLERANCE else "  slower"
        print(
            f"{codec:26}{phase:11}{row:12,.0f} {unit}  by hand {hand:12,.0f} {unit}  ratio {row / hand:.3f}{verdict}"
        )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
