"""Several publishers to one subscriber, and cross traffic, with real packets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.cli_runner import measured, refused
from wirelab.model.trial import State
from wirelab.store.run import RunStore

pytestmark = [pytest.mark.lab, pytest.mark.quiet]

STUDY = """
name = "flows"
size = "200B"
protocol = "mqtt"
qos = "1"
link = "rtt=20ms,rate=2Mbit/s"
rate = "20/s"
count = 30
warmup = 0
replicates = 1

[[part]]
name = "alone"

[[part]]
name = "in"
publishers = "3"

[[part]]
name = "crossed"
shared_medium = "rate=2Mbit/s"
cross_traffic = "20kB,from=200ms,for=800ms"

[[part]]
name = "search"
workload = "search,50/s>2000/s:4s"
count = ""

[[claim]]
text = "A flood beside it makes a flow slower"
published = "-"
tests = ["crossed.mqtt-1.loss = 0"]
display = ["crossed.mqtt-1.mean"]
"""


def test_several_publishers_and_cross_traffic_are_measured(tmp_path: Path) -> None:
    study = tmp_path / "flows.toml"
    study.write_text(STUDY)
    done, out = measured(tmp_path, "run", study, "--quiet")
    assert done.returncode == 0, done.stderr
    with RunStore.open(out) as store:
        found = {
            r.trial.levels["part"]: (r.result, store.samples(r.trial.id))
            for r in store.results()
            if r.result is not None and r.result.verdict.state in (State.VALID, State.INVALID)
        }
    alone, several, crossed = (found[name][0] for name in ("alone", "in", "crossed"))
    assert (alone.counts.delivered, several.counts.delivered, crossed.counts.delivered) == (30, 30, 30)
    # Three access links carried a third of it each.
    sent = [several.wire[f"{host}.up"].packets for host in ("device", "device-2", "device-3")]
    assert min(sent) > 8
    assert max(sent) - min(sent) <= 4
    latency = {
        name: samples["received"].astype(int) - samples["planned"].astype(int)
        for name, (_, samples) in found.items()
    }
    # 20 kB take 80 ms on the cable that both flows share.
    assert latency["crossed"].max() > np.median(latency["alone"]) + 50_000_000


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('publishers = "0"', "not between 1 and 64"),
        ('publishers = "3"\nsubscribers = "2"', "one subscriber"),
        ('publishers = "3"\nworkload = "closed-loop"', "an open loop and no service"),
        ('cross_traffic = "2MB"', "needs from= and for="),
        ('workload = "search,5/s:3s"', "needs two rates"),
    ],
)
def test_flows_that_cannot_be_are_refused(tmp_path: Path, line: str, complaint: str) -> None:
    study = tmp_path / "flows.toml"
    study.write_text(STUDY.replace('name = "alone"\n', f'name = "alone"\n{line}\n'))
    assert complaint in refused("run", study)
