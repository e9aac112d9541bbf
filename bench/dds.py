"""DDS beside ddsperf, which comes with Cyclone DDS: reliable, keep all, unicast on the loopback, packets of up to 14,720 B filled before they leave.

`python bench/dds.py [--rounds N]`. ddsperf writes in batches whatever it is asked (it sets them on by itself), so the peer does too.
Both run for the same time, and of both the whole seconds but the first and the last count. What differs: ddsperf's topic has a key, of one value.
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
# More than come: a batch leaves when its packet is full.
OPTIONS = {"batch_messages": "1000000000"}
# More than are sent in this time: it is what ends the flood, and the count is what there is room for.
COUNT = 5_000_000
SECONDS = 6
# The peer's configuration of Cyclone (crates/peer-dds/src/configuration.rs) for the loopback.
CYCLONE = """<CycloneDDS><Domain Id="any"><General>
<Interfaces><NetworkInterface address="127.0.0.1" prefer_multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast><MaxMessageSize>14720 B</MaxMessageSize><FragmentSize>1344 B</FragmentSize></General>
<Discovery><Ports><Base>{port}</Base></Ports><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer Address="127.0.0.1"/></Peers></Discovery>
<Internal><WriteBatch>true</WriteBatch></Internal></Domain></CycloneDDS>"""


def ddsperf() -> float:
    """Samples a second between two processes of ddsperf."""
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
    """Samples a second between wirelab's peers."""
    with tempfile.TemporaryDirectory() as folder:
        with open_peer_pair(PairSpec("dds", "none", "reliable", COUNT, SIZE, OPTIONS), Path(folder)) as pair:
            seen = pair.run("flood", duration_ns=SECONDS * 10**9)
        assert len(seen.got) == len(seen.sent), f"{len(seen.sent) - len(seen.got)} samples lost"
        times = seen.got["received"]
        return float(np.bincount((times - times[0]) // 10**9)[1:-1].mean())


def main() -> int:
    """Exit code 1 where wirelab is more than 5 % behind."""
    rounds = parse_rounds(__doc__)
    what = f"samples of {SIZE} B as fast as they go"
    return (
        0 if run_interleaved(what, "samples/s", {"wirelab": ours, "ddsperf": ddsperf}, rounds) >= 0.95 else 1
    )


if __name__ == "__main__":
    sys.exit(main())
