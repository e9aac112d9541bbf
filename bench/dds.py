"""DDS against ddsperf of Cyclone DDS: reliable, keep all, unicast on loopback, batches of 14,720 B.

`python bench/dds.py [--rounds N]`. ddsperf always writes in batches, so the peer does too. Both
run for the same time, and all whole seconds except the first and the last count. One difference
remains: ddsperf's topic has a key, with one value.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import output_parsers
from interleaving import parse_rounds, run_interleaved
from peer_pair import PairSpec, free_port, open_peer_pair

SIZE = 1000
# More than arrive: a batch leaves when its packet is full.
OPTIONS = {"batch_messages": "1000000000"}
# More than are sent in this time. The duration ends the flood; the count only allocates room.
COUNT = 5_000_000
SECONDS = 6
# The peer's configuration of Cyclone (crates/peer-dds/src/configuration.rs) for loopback.
CYCLONE = """<CycloneDDS><Domain Id="any"><General>
<Interfaces><NetworkInterface address="127.0.0.1" prefer_multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast><MaxMessageSize>14720 B</MaxMessageSize><FragmentSize>1344 B</FragmentSize></General>
<Discovery><Ports><Base>{port}</Base></Ports><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer Address="127.0.0.1"/></Peers></Discovery>
<Internal><WriteBatch>true</WriteBatch></Internal></Domain></CycloneDDS>"""


def ddsperf() -> float:
    """Samples per second between two processes of ddsperf."""
    environment = {**os.environ, "CYCLONEDDS_URI": CYCLONE.format(port=free_port())}
    common = ["ddsperf", "-k", "all", "-D"]
    subscriber = subprocess.Popen(
        [*common, str(SECONDS), "sub"], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        publisher = [*common, str(SECONDS), "pub", "size", str(SIZE)]
        subprocess.run(publisher, env=environment, stdout=subprocess.DEVNULL, timeout=60, check=True)
        return output_parsers.parse_ddsperf(subscriber.communicate(timeout=30)[0])
    finally:
        subscriber.kill()
        subscriber.wait()


def ours() -> float:
    """Samples per second between wirelab's peers."""
    with tempfile.TemporaryDirectory() as folder:
        with open_peer_pair(PairSpec("dds", "none", "reliable", COUNT, SIZE, OPTIONS), Path(folder)) as pair:
            seen = pair.run("flood", duration_ns=SECONDS * 10**9)
        assert len(seen.got) == len(seen.sent), f"{len(seen.sent) - len(seen.got)} samples lost"
        times = seen.got["received"]
        return float(np.bincount((times - times[0]) // 10**9)[1:-1].mean())


def main() -> int:
    """Exit code 1 if wirelab is more than 5 % slower."""
    rounds = parse_rounds(__doc__)
    what = f"samples of {SIZE} B as fast as they go"
    return (
        0 if run_interleaved(what, "samples/s", {"wirelab": ours, "ddsperf": ddsperf}, rounds) >= 0.95 else 1
    )


if __name__ == "__main__":
    sys.exit(main())
