"""The overhead of the Ray engine: mock trials of 0.1 s here, on one node and on two nodes of this
machine.

`python tests/engine/measure_cluster.py [TRIALS]`, 500 by default. The figures of nodes include the
start of workers.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.engine.conftest import add_node, new_cluster
from tests.engine.sleeper import Sleeper, by_value, run_all, trial
from wirelab.engine.base import Engine, Local
from wirelab.engine.cluster import Cluster
from wirelab.engine.ray_connection import connected

TRIAL_S = 0.1
PER_BLOCK = 10
# The bounds: seconds a trial may cost more than here, and the share of twice the speed here.
OVERHEAD_S, SHARE = 0.15, 0.85


def took(engine: Engine, number: int) -> float:
    """Seconds for running `number` trials in blocks of ten."""
    planned = [trial(f"c{k % PER_BLOCK}", k // PER_BLOCK) for k in range(number)]
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run_all(Path(folder, "run"), planned, engine).close()
        return time.perf_counter() - began


def main() -> int:
    """Measure and say; 1 where a bound is missed."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    by_value()
    here = took(Local(Sleeper(TRIAL_S)), number)
    cluster = new_cluster()
    try:
        with connected(cluster.address):
            one = took(Cluster(Sleeper(TRIAL_S)), number)
            add_node(cluster, "b")
            two = took(Cluster(Sleeper(TRIAL_S)), number)
    finally:
        cluster.shutdown()
    overhead, share = (one - here) / number, here / 2 / two
    print(f"{number} trials of {TRIAL_S} s: here {here:.1f} s, one node {one:.1f} s, two nodes {two:.1f} s")
    print(f"a trial costs {overhead * 1e3:.0f} ms more on a node than here (bound {OVERHEAD_S * 1e3:.0f} ms)")
    print(f"two nodes reach {share:.0%} of twice the speed here (bound {SHARE:.0%})")
    return 0 if overhead < OVERHEAD_S and share >= SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
