"""Start-up times that a user waits for: `python bench/startup_time.py help|pack|demo`."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from wirelab.codecs.build import build_pack
from wirelab.schema import payload
from wirelab.schema.inference import infer

ROOT = Path(__file__).resolve().parents[1]


def help_() -> None:
    """Ten starts of `wirelab --help`."""
    took = [
        _seconds([sys.executable, "-c", "from wirelab.cli import main; main()", "--help"]) for _ in range(10)
    ]
    print(f"median {statistics.median(took):.3f} s, slowest {max(took):.3f} s of 10")


def pack() -> None:
    """A new schema, which is in no cache: vehicle-status with one more field of a random name."""
    messages = [
        json.loads(line) for line in (ROOT / "examples/vehicle-status.jsonl").read_text().splitlines()
    ]
    name = f"extra{random.SystemRandom().randrange(10**9)}"
    text = "\n".join(json.dumps({**message, name: 1}) for message in messages)
    schema = infer(payload.parse(text.encode(), "new.jsonl"))
    began = time.monotonic()
    build_pack(schema)
    fresh = time.monotonic() - began
    began = time.monotonic()
    build_pack(schema)
    print(f"new schema {fresh:.1f} s, cached {time.monotonic() - began:.3f} s")


def demo() -> None:
    """The demo's command in its own directory."""
    line = next(text for text in (ROOT / "Makefile").read_text().split("\n\n") if text.startswith("demo:"))
    command = line.split("\n", 1)[1].replace("\\\n", " ").replace("runs/demo", "{out}").split()[1:]
    with tempfile.TemporaryDirectory() as folder:
        arguments = [word.strip("'").replace("{out}", f"{folder}/run") for word in command]
        took = _seconds([sys.executable, "-c", "from wirelab.cli import main; main()", *arguments])
    print(f"{took:.0f} s")


def _seconds(command: list[str]) -> float:
    began = time.monotonic()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - began


if __name__ == "__main__":
    {"help": help_, "pack": pack, "demo": demo}[sys.argv[1]]()
