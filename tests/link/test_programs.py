"""Unmodified programs of the distribution behind emulated links."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.link.labs import TIMEOUT_S, Lab, bits_per_second, slow
from tests.noise_retry import undisturbed

pytestmark = [pytest.mark.lab, pytest.mark.quiet]


def behind(link: str, text: str, server: str, command: str) -> str:
    """The output of a shell command behind a link. `server` runs on the other side."""
    done = subprocess.run(
        [link, "run", "--server-cmd", server, text, "--", "sh", "-c", command],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_mosquittos_clients_reach_their_broker_behind_a_lossy_link(link: str, tmp_path: Path) -> None:
    settings = tmp_path / "mosquitto.conf"
    settings.write_text("listener 1883 0.0.0.0\nallow_anonymous true\nlog_dest none\n")
    said = behind(
        link,
        "rate=1Mbit/s,rtt=80ms,loss=2%",
        f"mosquitto -c {settings}",
        """until mosquitto_pub -h $WIRELAB_SERVER -t ready -n 2>/dev/null; do sleep 0.1; done
        for i in 1 2 3; do mosquitto_pub -h $WIRELAB_SERVER -r -q 1 -t kept/$i -m "hello $i"; done
        mosquitto_sub -h $WIRELAB_SERVER -q 1 -t 'kept/#' -C 3 -W 30""",
    )
    assert sorted(said.split("\n")) == ["", "hello 1", "hello 2", "hello 3"]


def test_iperf3_reaches_the_rate_of_the_link_it_runs_behind(link: str) -> None:
    command = "until iperf3 -J -t 2 -c $WIRELAB_SERVER > $TMPDIR/said; do sleep 0.1; done; cat $TMPDIR/said"
    said = undisturbed(
        lambda _: behind(link, "rate=10Mbit/s,rtt=20ms,queue=30p", "iperf3 -s -1 >/dev/null", command),
        lambda said: slow(said, 7e6),
    )
    assert 7e6 < bits_per_second(said) < 9.7e6  # 1448 of 1500 bytes are payload: 9.65 Mbit/s at most


def test_ddsperf_finds_its_peer_by_multicast_and_pays_the_delay(link: str) -> None:
    said = behind(link, "rate=10Mbit/s,rtt=40ms", "ddsperf -D 30 pong", "ddsperf -D 4 ping")
    halves = [float(us) for us in re.findall(r"size 12 +mean ([0-9.]+)us", said)]
    assert halves, said
    # The fastest: a busy machine makes others wait.
    assert 20_000 <= min(halves) < 40_000


def test_samples_of_a_dds_writer_to_seven_readers_pay_its_uplink_once(lab: Lab) -> None:
    readers = [f"reader{i}" for i in range(7)]
    script = f"""
        for host in {" ".join(readers)}; do $LINK exec $host -- ddsperf -D 5 sub > $TMPDIR/$host 2>&1 & done
        $LINK exec writer -- ddsperf -D 5 pub 100Hz size 1000 > $TMPDIR/writer 2>&1; wait; cat $TMPDIR/reader*"""
    done = lab.run({"writer": "up.rate=10Mbit/s,delay=5ms", **dict.fromkeys(readers, "ideal")}, script)
    assert done.stdout.count("size 1000 total") >= 7, done.stdout
    flows = [f for f in lab.accounting()["flows"] if f["destination"] == "239.255.0.1:7401"]
    up = [f for f in flows if f["direction"] == "up" and f["host"] == "writer"]
    samples = max(up, key=lambda f: f["payload_bytes"])
    assert samples["payload_bytes"] > 1000 * 200
    down = [f for f in flows if f["direction"] == "down" and f["source"] == samples["source"]]
    assert sorted(f["host"] for f in down) == readers
    assert all(samples["packets"] - 10 <= f["packets"] <= samples["packets"] for f in down)
