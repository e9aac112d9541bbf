"""Run the tests in tiers: `first` (what everybody runs), `all` (the whole matrix, by part),
`changed`.

The first tier leaves out tests marked `matrix`. Tests marked `quiet` run alone at the end: other
work on the machine would change their result. Everything else runs two at a time.

A failed test is tried a second time, alone. If it then passes, the machine or the test is at fault:
the run passes, and the last lines name the test and the part that owns it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FAILED, NOTHING_COLLECTED = 1, 5
SECONDS = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Part:
    """Tests that are run together, and the sources whose change asks for them.

    Paths are prefixes.
    """

    tests: tuple[str, ...]
    sources: tuple[str, ...]


PARTS = {
    "unit": Part(
        (
            "tests/model",
            "tests/schema",
            "tests/stats",
            "tests/store",
            "tests/system",
            "tests/advice",
            "tests/workloads",
            "tests/studies",
            "tests/report",
            "tests/cli",
            "tests/bench",
            "tests/tools",
            "tests/examples",
            "tests/test_docs.py",
        ),
        ("src/wirelab/", "docs/", "reproductions/", "examples/", "bench/", "tools/", "README.md"),
    ),
    "contract": Part(
        ("tests/contract",),
        (
            "crates/contract",
            "crates/peer",
            "crates/server",
            "crates/transport",
            "crates/coap",
            "crates/dds",
            "java/codecs",
            "java/peers",
            "java/servers",
            "servers/",
            "src/wirelab/lab/servers",
            "docs/contracts",
        ),
    ),
    "link": Part(("tests/link",), ("crates/link",)),
    "lab": Part(("tests/lab",), ("src/wirelab/lab", "crates/link", "crates/peer")),
    "engine": Part(("tests/engine",), ("src/wirelab/engine",)),
    "codecs": Part(
        ("tests/codecs",),
        (
            "packs/abi",
            "packs/rust",
            "crates/codec",
            "crates/compress",
            "crates/alloc",
            "crates/wire-pack",
            "src/wirelab/codecs",
        ),
    ),
    "cpp": Part(("tests/cpp",), ("packs/abi", "packs/cpp", "src/wirelab/codecs/cpp")),
    "java": Part(("tests/java",), ("java/codecs", "java/actors", "java/pom.xml", "src/wirelab/codecs/java")),
    "devices": Part(("tests/devices",), ("firmware/", "packs/mcu", "src/wirelab/devices")),
    "end-to-end": Part(
        ("tests/end_to_end",),
        ("src/wirelab/cli", "src/wirelab/engine", "src/wirelab/lab", "src/wirelab/studies"),
    ),
}
EVERYTHING = ("pyproject.toml", "Cargo.lock", "Cargo.toml", "tests/conftest.py", "Makefile", "apt.txt")


def main() -> int:
    """Parse the arguments and run; the exit code is 1 if a test failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    tier = parser.add_subparsers(dest="tier", required=True)
    tier.add_parser("first", help="every seam once")
    whole = tier.add_parser("all", help="the whole matrix")
    whole.add_argument("--part", choices=PARTS, help="only this part")
    whole.add_argument("--peer", help="only tests whose name has this word")
    changed = tier.add_parser("changed", help="the whole matrix of the parts that changed")
    changed.add_argument("--base", default="HEAD~1", help="the commit to compare with")
    changed.add_argument("--within", default="", help="start no further part after this time: 20min")
    given = parser.parse_args()
    os.chdir(ROOT)
    if given.tier == "first":
        return run(["tests"], "not matrix", [])
    if given.tier == "all":
        names = [given.part] if given.part else list(PARTS)
        return run_parts(names, ["-k", given.peer] if given.peer else [])
    names = changed_parts(changed_files(given.base))
    print(f"changed since {given.base}: {', '.join(names) or 'nothing that is tested'}", flush=True)
    return run_parts(names, [], seconds(given.within))


def changed_files(base: str) -> list[str]:
    """The files that differ from `base`, in commits or in the working tree; none if it does not
    exist.
    """
    listed = subprocess.run(
        ["git", "diff", "--name-only", base], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        print(f"changed: no commit {base} here; nothing to compare with", flush=True)
    return listed.stdout.split() if listed.returncode == 0 else []


def changed_parts(files: Iterable[str]) -> list[str]:
    """The parts whose tests or sources are among the files, in the order of PARTS."""
    names = list(files)
    if any(name in EVERYTHING for name in names):
        return list(PARTS)
    return [
        name
        for name, part in PARTS.items()
        if any(file.startswith((*part.tests, *part.sources)) for file in names)
    ]


def seconds(text: str) -> float:
    """`20min` in seconds; without a text, no limit."""
    unit = text.lstrip("0123456789.")
    return float(text.removesuffix(unit)) * SECONDS[unit or "s"] if text else float("inf")


def run_parts(names: Sequence[str], words: Sequence[str], within_s: float = float("inf")) -> int:
    """Run parts one after the other. Those that the time does not suffice for are named."""
    began, code = time.monotonic(), 0
    for number, name in enumerate(names):
        if time.monotonic() - began > within_s:
            print(f"not run for want of time: {', '.join(names[number:])}; make test-all PART=NAME")
            break
        print(f"part {name}", flush=True)
        code = max(code, run(PARTS[name].tests, "", words))
    return code


def run(paths: Sequence[str], marks: str, words: Sequence[str]) -> int:
    """Run the tests below the paths: two at a time, then those marked `quiet` alone. 1 if one
    failed.
    """
    with_marks = f"{marks} and " if marks else ""
    # Beside another test nothing is measured: a JVM need not compile a second time what it runs.
    light = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}
    side_by_side = ["-n", "2", "--dist", "loadgroup"]
    codes = [
        stage("shared", [*paths, *words, "-m", f"{with_marks}not quiet"], side_by_side, light),
        stage("quiet", [*paths, *words, "-m", f"{with_marks}quiet"], [], {}),
    ]
    return max(codes)


def stage(name: str, arguments: Sequence[str], parallel: Sequence[str], extra: dict[str, str]) -> int:
    """One run of pytest, and a second one, alone, of what failed in it."""
    cache = ROOT / "target" / "pytest" / name
    command = [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}", *arguments]
    environment = os.environ | extra
    code = subprocess.run([*command, "--cache-clear", *parallel], env=environment, check=False).returncode
    if code != FAILED:
        return 0 if code == NOTHING_COLLECTED else code
    failed = last_failed(cache)
    again = [*command, "--last-failed", "--last-failed-no-failures", "none"]
    code = subprocess.run(again, env=environment, check=False).returncode
    for test in sorted(failed - last_failed(cache)):
        print(f"passed only on the second try, a bug of part {owner(test)}: {test}")
    print(f"{len(failed)} tests were tried a second time", flush=True)
    return code


def last_failed(cache: Path) -> set[str]:
    """The names of the tests that failed last."""
    file = cache / "v" / "cache" / "lastfailed"
    return set(json.loads(file.read_text())) if file.exists() else set()


def owner(test: str) -> str:
    """The part a test belongs to."""
    return next((name for name, part in PARTS.items() if test.startswith(part.tests)), "unit")


if __name__ == "__main__":
    sys.exit(main())
