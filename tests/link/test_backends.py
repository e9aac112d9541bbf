"""Each backend: its function, its limits with their errors, and its name in the outputs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.link.labs import TIMEOUT_S

pytestmark = [pytest.mark.lab, pytest.mark.quiet]


def run(link: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([link, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


def test_the_plan_of_netem_is_the_tc_commands(link: str) -> None:
    done = run(link, "run", "--backend", "netem", "--plan", "up.rate=2Mbit/s,delay=30ms,loss=5%,up.queue=30p")
    assert done.stdout.splitlines() == [
        "# up: eth0 is the device of host client",
        "wirelab-link exec client -- tc qdisc replace dev eth0 root netem limit 35 delay 30ms loss random 5% rate 2000000bit -14",
        "# not in up: queue: netem's limit includes packets in flight, so it is raised by as many full packets as fit into the delay",
        "# down: eth0 is the device of host server",
        "wirelab-link exec server -- tc qdisc replace dev eth0 root netem limit 1000000 delay 30ms loss random 5%",
        "# not in either: seeded draws per flow; times are computed from the queueing discipline's clock, not from the packet's arrival",
    ]
    assert done.returncode == 0


def test_only_netem_has_a_plan(link: str) -> None:
    done = run(link, "run", "--plan", "ideal")
    assert done.returncode == 3
    assert "--plan prints those of --backend netem" in done.stderr


def test_netem_shapes_the_cable_or_says_in_a_sentence_that_the_kernel_lacks_it(link: str) -> None:
    done = run(link, "check", "delay=30ms", "--backend", "netem", "--json")
    if done.returncode == 125:
        assert done.stderr == (
            "wirelab-link: this kernel has no netem; load it with `modprobe sch_netem`, or use backend af_packet\n"
        )
    else:
        report = json.loads(done.stdout)
        assert report["backend"] == "netem"
        delay = next(row for row in report["checks"] if row["what"] == "up delay")
        assert 29e6 < delay["measured"] < 40e6


def test_packets_through_tun_meet_the_same_fates(link: str) -> None:
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        pytest.skip("/dev/net/tun cannot be opened here")
    done = run(link, "check", "rate=5Mbit/s,rtt=30ms,loss=5%", "--backend", "tun", "--json", "--seed", "3")
    report = json.loads(done.stdout)
    rows = {row["what"]: row for row in report["checks"]}
    assert report["backend"] == "tun"
    assert rows["up fates not as drawn"]["measured"] == 0
    assert rows["down loss"]["ok"]
    assert rows["up delay"]["measured"] >= 15e6


def test_a_plain_veth_pair_has_no_delay_and_no_counts(link: str, tmp_path: Path) -> None:
    counters = tmp_path / "link.json"
    hosts = [{"name": "a"}, {"name": "b"}]
    spec = tmp_path / "lab.json"
    spec.write_text(json.dumps({"hosts": hosts, "backend": "none", "accounting": str(counters)}))
    script = f"{link} exec a -- ping -q -c 3 -i 0.05 $WIRELAB_B && cat /run/wirelab/lab.json"
    done = run(link, "lab", str(spec), "--", "sh", "-c", script)
    assert " 0% packet loss" in done.stdout
    assert '"backend":"none"' in done.stdout
    seen = json.loads(counters.read_text())
    assert (seen["hosts"], seen["flows"]) == ({}, [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_tun_that_is_not_permitted_is_a_sentence(link: str, tmp_path: Path) -> None:
    # A device directory in which /dev/net/tun is for root alone.
    script = f"""mkdir {tmp_path}/net && mknod -m 600 {tmp_path}/net/tun c 10 200 &&
        mount --bind {tmp_path}/net /dev/net && cp {link} {tmp_path}/own && chmod 755 {tmp_path}/own &&
        exec setpriv --reuid=65534 --regid=65534 --clear-groups /proc/self/fd/9 run ideal --backend tun -- true 9<{tmp_path}/own"""
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=30, check=False
    )
    if "mknod" in done.stderr or "mount" in done.stderr:
        pytest.skip(done.stderr)
    assert (done.returncode, done.stderr) == (
        125,
        "wirelab-link: /dev/net/tun: Permission denied (os error 13); TUN is not permitted here; run as root, "
        "`chmod 0666 /dev/net/tun`, or use backend af_packet\n",
    )
