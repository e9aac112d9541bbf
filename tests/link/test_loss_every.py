"""`loss-every` on real packets."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.link.labs import TIMEOUT_S, Lab, disturbed
from tests.link.test_real_packets import burst
from tests.noise_retry import undisturbed

pytestmark = [pytest.mark.lab, pytest.mark.quiet]


@pytest.mark.parametrize("seed", [1, 2])
def test_every_tenth_datagram_is_lost_and_counted_as_loss(lab: Lab, seed: int) -> None:
    answer = burst(lab, {"device": "up.loss-every=10", "server": "ideal"}, count=100, seed=seed)
    assert answer["runs"] == [[number for number in range(100) if number % 10 != 9]]
    assert answer["snapshot"]["hosts"]["device"]["up"]["dropped"]["loss"] == 10


def test_a_check_finds_it_on_spec(link: str) -> None:
    def check(_: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [link, "check", "loss-every=4", "--json"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    rows = {row["what"]: row for row in json.loads(undisturbed(check, disturbed).stdout)["checks"]}
    losses = {what: row for what, row in rows.items() if what.endswith(" loss")}
    assert losses
    for what, row in losses.items():
        assert row["asked"] == 0.25, what
        assert row["ok"], row
        assert rows[what.replace(" loss", " fates not as drawn")]["measured"] == 0


def test_an_explanation_names_its_share(link: str) -> None:
    done = subprocess.run([link, "show", "down.loss-every=8"], capture_output=True, text=True, check=True)
    assert done.stdout.count("loss-every") == 2
    assert "  loss-every the last of every 8 packets of a flow, 12.5 %\n" in done.stdout
