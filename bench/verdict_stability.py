"""Compare the verdicts of two runs of a study with different seeds.

`python bench/verdict_stability.py NAME [--full]`, or `... DIR DIR` for two finished runs. The goal
is the same verdict on at least 95 % of the claims. The share among claims that both runs decided
is printed too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WIRELAB = str(Path(sys.executable).with_name("wirelab"))
SEEDS = (1, 2)
GOAL = 0.95
DECIDED = ("confirmed", "refuted")


def main() -> int:
    """Exit code 1 if too many verdicts differ."""
    asked = sys.argv[1:] or ["proos2020"]
    if len(asked) == 2 and all(Path(one, "study.json").exists() for one in asked):
        return compare(*map(Path, asked))
    flags = [] if "--full" in asked else ["--quick"]
    with tempfile.TemporaryDirectory() as folder:
        runs = [Path(folder, f"seed-{seed}") for seed in SEEDS]
        for seed, run in zip(SEEDS, runs, strict=True):
            began = time.monotonic()
            command = [WIRELAB, "reproduce", asked[0], *flags, "--seed", str(seed), "--quiet", "-o", str(run)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(done.stderr, file=sys.stderr)
                return 2
            score = next(line for line in done.stdout.splitlines() if line.endswith(" not applicable"))
            print(f"seed {seed}: {score} in {time.monotonic() - began:.0f} s", flush=True)
        return compare(*runs)


def compare(one: Path, other: Path) -> int:
    """Print the differences."""
    first, second = (
        {claim["text"]: claim for claim in json.loads((run / "study.json").read_text())["claims"]}
        for run in (one, other)
    )
    tested = [t for t in first if {first[t]["verdict"], second[t]["verdict"]} <= set(DECIDED)]
    same = [text for text in first if first[text]["verdict"] == second[text]["verdict"]]
    agreeing = [text for text in tested if text in same]
    for text in first:
        if text not in same:
            print(f"differs: {text}: {first[text]['verdict']} / {second[text]['verdict']}")
    print(
        f"same verdict on {len(same)} of {len(first)} claims; of {len(tested)} that both decided on {len(agreeing)}"
    )
    return 0 if len(same) >= GOAL * len(first) else 1


if __name__ == "__main__":
    sys.exit(main())
