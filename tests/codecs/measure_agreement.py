"""Hold codec times against criterion, and the same codec against itself: `python
tests/codecs/measure_agreement.py PAYLOAD`.

Builds the payload's pack, times serialize and deserialize of every codec by `wirelab-codec bench`
and by criterion on the same pack, and prints the ratio; then enters every codec twice and counts
how often the two are declared a tie. Wants a quiet machine, release builds and messages of a kB or
more: criterion calls through the pack's C ABI, about 10 ns a message. Exit code 1 where a ratio is
off by more than 5 % or ties are below 95 of 100.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from wirelab.codecs.build import build_pack
from wirelab.codecs.pack import Pack
from wirelab.model.codec_result import HEADLINE
from wirelab.schema import payload
from wirelab.schema.inference import infer
from wirelab.stats.comparison import rank_groups
from wirelab.system import binaries

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE, REPLICATES, ROUNDS = 0.05, 5, 9


def bench(
    pack: Pack, corpus: Path, codecs: list[str], seconds_per: float, seed: int
) -> list[tuple[str, str, float]]:
    """(codec, phase, mean ns) in the order of the output; a codec named twice has two rows."""
    command = [binaries.find("wirelab-codec"), "bench", pack.path, str(corpus), "--codec", ",".join(codecs)]
    command += [
        "--phase",
        ",".join(HEADLINE),
        "--seconds-per",
        str(seconds_per),
        "--samples",
        "10",
        "--seed",
        str(seed),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(line["codec"], line["phase"], float(np.mean(line["cpu_ns"]))) for line in lines]


def by_criterion(pack: Pack, corpus: Path, codecs: list[str], messages: int) -> dict[tuple[str, str], float]:
    """Criterion's mean ns per message."""
    with tempfile.TemporaryDirectory() as home:
        env = dict(
            os.environ, WIRELAB_PACK=pack.path, WIRELAB_CORPUS=str(corpus), WIRELAB_CODECS=",".join(codecs)
        )
        command = ["cargo", "bench", "--quiet", "-p", "wirelab-codec", "--bench", "agreement", "--"]
        command += ["--warm-up-time", "0.5", "--measurement-time", "1"]
        subprocess.run(
            command, cwd=ROOT, env=env | {"CRITERION_HOME": home}, check=True, stdout=subprocess.DEVNULL
        )
        found = {}
        for codec in codecs:
            for phase in HEADLINE:
                path = Path(home) / f"{codec.replace('/', '_')}-{phase}" / "new" / "estimates.json"
                found[codec, phase] = json.loads(path.read_text())["mean"]["point_estimate"] / messages
    return found


def agreement(pack: Pack, corpus: Path, codecs: list[str], messages: int) -> bool:
    """Print both figures and their ratio for every codec and phase: medians over rounds in which
    both take their turn.

    Each turn is a new process: where objects come to lie in memory differs from one to the next,
    and shows.
    """
    rounds = [
        (bench(pack, corpus, codecs, 0.3, seed), by_criterion(pack, corpus, codecs, messages))
        for seed in range(REPLICATES)
    ]
    within = True
    for index, (codec, phase, _) in enumerate(rounds[0][0]):
        ours = float(np.median([run[index][2] for run, _ in rounds]))
        theirs = float(np.median([run[codec, phase] for _, run in rounds]))
        spread = max(run[codec, phase] for _, run in rounds) / min(run[codec, phase] for _, run in rounds)
        within &= abs(ours / theirs - 1) <= TOLERANCE
        print(
            f"{codec:26}{phase:12}{ours:12,.1f} ns  criterion {theirs:12,.1f} ns (its slowest process {spread:.3f} x its fastest)  "
            f"ratio {ours / theirs:.3f}"
        )
    return within


def ties(pack: Pack, corpus: Path, codecs: list[str]) -> bool:
    """Enter every codec twice, again and again; print how many of the comparisons were ties."""
    tied = total = 0
    for number in range(ROUNDS):
        runs = [
            bench(pack, corpus, [*codecs, *codecs], 0.02, number * 100 + seed) for seed in range(REPLICATES)
        ]
        half = len(runs[0]) // 2
        for index in range(half):
            pair = [[run[place][2] for run in runs] for place in (index, index + half)]
            tied += rank_groups(pair)[1].group == 1
            total += 1
    print(f"same codec twice: {tied} ties in {total} comparisons")
    return tied >= 0.95 * total


def main(path: str) -> int:
    """Run both checks on a payload."""
    read = payload.read(path)
    schema = infer(read)
    pack = build_pack(schema)
    codecs = [codec.name for codec in pack.codecs]
    print(f"load average {os.getloadavg()[0]:.2f}, {os.cpu_count()} cores, {pack.toolchain}")
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        corpus.write_bytes(payload.normalised(read, schema))
        messages = len(corpus.read_text().splitlines())
        within = agreement(pack, corpus, codecs, messages)
        tied = ties(pack, corpus, codecs)
    return 0 if within and tied else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
