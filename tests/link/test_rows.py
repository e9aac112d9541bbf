"""Links in series, and nested runs in a lab."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.link.labs import TIMEOUT_S, Lab

pytestmark = [pytest.mark.lab, pytest.mark.quiet]

PING = "ping -q -c 4 -i 0.05 $WIRELAB_SERVER"


def nested(link: str, *links: str, command: str) -> subprocess.CompletedProcess[str]:
    argv = [part for text in links for part in (link, "run", text, "--")]
    return subprocess.run(
        [*argv, "sh", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def fastest_ms(said: str) -> float:
    found = re.search(r"rtt min/avg/max/mdev = ([0-9.]+)", said)
    assert found, said
    return float(found[1])


def test_a_run_within_a_run_has_both_links_in_its_path(link: str) -> None:
    assert 60 <= fastest_ms(nested(link, "delay=10ms", "delay=20ms", command=PING).stdout) < 90
    assert 66 <= fastest_ms(nested(link, "delay=10ms", "delay=20ms", "delay=3ms", command=PING).stdout) < 96


def test_an_inner_link_does_not_change_the_outer_one(link: str) -> None:
    done = nested(link, "delay=10ms", command=f"{link} run delay=20ms -- true; {PING}")
    assert 20 <= fastest_ms(done.stdout) < 40


def test_an_inner_run_ends_with_its_commands_code_and_all_it_started(link: str) -> None:
    inner = f"{link} run --server-cmd 'exec sleep 1234' delay=1ms -- sh -c 'setsid sleep 1234 & exit 7'"
    done = nested(link, "ideal", command=f"{inner}; echo code $?; pgrep -x sleep | wc -l")
    assert done.stdout == "code 7\n0\n", done


def test_the_names_of_the_former_release_are_accepted_with_a_note(link: str) -> None:
    script = f"{link} exec far -- true; echo $WIRELAB_FAR $WIRELAB_SERVER $WIRELAB_NEAR $WIRELAB_CLIENT"
    argv = [link, "run", "--far", "exec sleep 1234", "ideal", "--", "sh", "-c", script]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stdout) == (0, "10.77.0.2 10.77.0.2 10.77.0.1 10.77.0.1\n")
    assert done.stderr == (
        "wirelab-link: note: --far is now --server-cmd; --far will be removed\n"
        "wirelab-link: note: host far is now server; far will be removed\n"
    )


def test_options_that_an_inner_run_does_not_support_are_refused(link: str) -> None:
    for bad in ("run delay=x", "run ideal --pcap x", "run ideal --backend tun"):
        done = nested(link, "ideal", command=f"{link} {bad} -- true")
        assert (done.returncode, done.stderr.count("\n")) == (3, 1)


def test_a_check_of_a_star_and_of_a_segment_finds_every_link_on_spec(lab: Lab, tmp_path: Path) -> None:
    links = ["up.rate=2Mbit/s,delay=5ms", "loss=5%", "down.rate=1Mbit/s,delay=2ms"]
    hosts = [{"name": f"h{i}", "link": text} for i, text in enumerate(links)]
    for shared in ({}, {"segment": "rate=5Mbit/s,delay=3ms"}):
        spec = tmp_path / "spec.json"
        spec.write_text(json.dumps({"seed": 5, "hosts": hosts, **shared}))
        done = subprocess.run(
            [lab.link, "check", "--lab", str(spec), "--json"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        rows = {row["what"]: row for row in json.loads(done.stdout)["checks"]}
        for way in ("h0 to h1", "h1 to h2", "h2 to h0"):
            assert rows[f"{way} fates not as drawn"]["measured"] == 0
            assert rows[f"{way} loss"]["ok"]
        # Its sender's up, the segment, its receiver's down.
        on_the_way = 5e6 + (3e6 if shared else 0)
        assert on_the_way < rows["h0 to h1 delay"]["asked"] < on_the_way + 1e6
        assert rows["h0 to h1 rate"]["asked"] == pytest.approx(2e6, rel=0.001)
