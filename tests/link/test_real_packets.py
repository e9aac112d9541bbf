"""Real packets through emulated links. Nothing here asserts tight timing; the bench does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.link.labs import TIMEOUT_S, Lab, bits_per_second, disturbed, slow
from tests.noise_retry import undisturbed
from wirelab.lab.packets import read

pytestmark = [pytest.mark.lab, pytest.mark.quiet]

PROBE = Path(__file__).with_name("udp_probe.py")


def burst(
    lab: Lab, links: dict[str, str], count: int = 400, epochs: int = 1, seed: int = 1, gap_s: float = 0.0002
) -> dict[str, Any]:
    """The probe's result for datagrams from the first host to the second."""
    first, second = list(links)[:2]
    done = lab.run(links, f"{sys.executable} {PROBE} {first} {second} {count} {epochs} {gap_s}", seed)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_a_ping_through_35_ms_each_way_takes_70_ms(lab: Lab) -> None:
    done = lab.run(
        {"device": "delay=35ms", "server": "ideal"}, "$LINK exec device -- ping -c 5 -i 0.05 10.77.0.2"
    )
    times = [float(t) for t in re.findall(r"time=([0-9.]+) ms", done.stdout)]
    assert len(times) == 5
    # The fastest: a busy machine makes others wait.
    assert 70 <= min(times) < 90


def test_the_same_seed_loses_the_same_datagrams_and_another_seed_others(lab: Lab) -> None:
    links = {"device": "up.loss=20%", "server": "ideal"}
    one, again, other = (burst(lab, links, seed=seed)["runs"][0] for seed in (7, 7, 8))
    assert one == again
    assert one != other
    assert 260 < len(one) < 380


def test_an_epoch_restarts_the_draws_and_the_counters(lab: Lab) -> None:
    answer = burst(lab, {"device": "up.loss=20%", "server": "ideal"}, epochs=2)
    first, second = answer["runs"]
    assert first == second
    up = answer["snapshot"]["hosts"]["device"]["up"]
    assert up["packets"] == 400
    assert up["packets"] == up["delivered"] + sum(up["dropped"].values())
    assert up["delivered"] == len(second)


def test_skipped_time_passes_on_the_link_only_and_not_with_a_frame_in_flight(lab: Lab) -> None:
    """A minute without capacity, which is skipped, with ten years of such minutes; what meets it is
    on its way until it ends.
    """
    probe = (
        f"import sys;sys.path.insert(0,{str(PROBE.parent)!r});from udp_probe import ask,burst;"
        "ask('epoch');skipped=[ask('skip',ns=1_000_000_000)];came=[burst('device','server',1,0,0.2)];"
        "skipped.append(ask('skip',ns=60_000_000_000));ask('epoch');"
        "skipped.append(ask('skip',ns=315_360_060_000_000_000));came.append(burst('device','server',1,0,10));"
        "print(*(one['skipped'] for one in skipped),came)"
    )
    outage = "rate=1Mbit/s,outage=every(120s,for=60s,at=0s)"
    done = lab.run({"device": outage, "server": "ideal"}, f'{sys.executable} -c "{probe}"')
    assert done.stdout == "True False True [[], [0]]\n", done.stderr


def test_other_traffic_does_not_change_the_losses_of_a_flow(lab: Lab) -> None:
    quiet = {"device": "up.loss=20%", "server": "ideal"}
    alone = burst(lab, quiet)["runs"][0]
    chatter = "$LINK exec device -- ping -q -i 0.01 -c 200 10.77.0.2 >/dev/null & "
    done = lab.run(quiet, f"{chatter}{sys.executable} {PROBE} device server 400 1 0.0002")
    assert json.loads(done.stdout)["runs"][0] == alone


def test_every_datagram_is_counted_and_logged_once_per_access_link(lab: Lab) -> None:
    came = burst(lab, {"device": "up.loss=10%,rtt=10ms", "server": "ideal"})["runs"][0]
    counters = lab.accounting()
    assert counters["own_drops"] == 0
    flow = next(f for f in counters["flows"] if f["host"] == "device" and f["direction"] == "up")
    assert (flow["protocol"], flow["packets"], flow["payload_bytes"]) == ("udp", 400, 400 * 64)
    assert flow["l3_bytes"] == 400 * 92
    assert flow["l2_bytes"] == 400 * 106
    assert flow["dropped"] == {"loss": 400 - len(came), "queue": 0, "mtu": 0, "own": 0}
    assert "lateness" not in flow  # it goes on to the receiver's link
    received = next(f for f in counters["flows"] if f["host"] == "server" and f["direction"] == "down")
    late = received["lateness"]
    assert late["packets"] == sum(count for _, count in late["histogram"]) == len(came)
    assert late["p50_ns"] <= late["p99_ns"] <= late["max_ns"] <= late["histogram"][-1][0]
    packets = read(lab.packets_file)
    up, down = packets[packets["direction"] == 0], packets[packets["direction"] == 1]
    assert len(up) == 400
    assert len(down) == len(came)
    assert (up["drop"] == 1).sum() == 400 - len(came)
    assert (down["egress"] >= down["due"]).all()
    assert ((up["due"] - up["ingress"])[up["drop"] == 0] == 5_000_000).all()


def test_a_multicast_crosses_to_every_other_host_and_pays_the_uplink_once(lab: Lab) -> None:
    others = list("abcdefg")
    links = {"device": "up.rate=8Mbit/s", **dict.fromkeys(others, "ideal")}
    listen = (
        "import socket,struct;s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);s.bind(('',5000));"
        "s.setsockopt(0,35,struct.pack('4s4s',socket.inet_aton('239.1.2.3'),bytes(4)));s.settimeout(10);"
        "print('listening',flush=True);print(s.recv(99).decode())"
    )
    send = "import socket;socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(b'hello',('239.1.2.3',5000))"
    script = f"""
        for host in {" ".join(others)}; do $LINK exec $host -- {sys.executable} -c "{listen}" > $TMPDIR/$host & done
        until [ $(cat $TMPDIR/? | grep -c listening) = 7 ]; do sleep 0.05; done
        $LINK exec device -- {sys.executable} -c "{send}"
        wait; cat $TMPDIR/?"""
    done = lab.run(links, script)
    assert done.stdout.split().count("hello") == 7, done.stderr
    counters = lab.accounting()
    sent = [f for f in counters["flows"] if f["destination"] == "239.1.2.3:5000"]
    assert [(f["host"], f["direction"], f["packets"]) for f in sent if f["direction"] == "up"] == [
        ("device", "up", 1)
    ]
    assert sorted(f["host"] for f in sent if f["direction"] == "down") == others


def test_hosts_on_one_segment_share_its_rate(lab: Lab) -> None:
    lab.segment = "ethernet-95,rate*0.08421052631578947"  # 8 Mbit/s
    send = (
        "import socket;s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);"
        "[s.sendto(bytes(972),('10.77.0.3',5683)) for _ in range(40)]"
    )
    script = f"""
        $LINK exec a -- {sys.executable} -c "{send}" & $LINK exec b -- {sys.executable} -c "{send}" & wait; sleep 0.2"""
    done = lab.run({"a": "ideal", "b": "ideal", "c": "ideal"}, script)
    assert done.returncode == 0, done.stderr
    counters = lab.accounting()
    assert counters["own_drops"] == 0
    crossed = [f for f in counters["flows"] if f["direction"] == "segment" and f["protocol"] == "udp"]
    assert [f["packets"] for f in crossed] == [40, 40]
    assert counters["segment"]["queue_max_bytes"] > 30_000
    packets = read(lab.packets_file)
    shared = packets[(packets["direction"] == 2) & (packets["l3_bytes"] == 1000)]
    assert sorted(shared["host"]) == [0] * 40 + [1] * 40
    apart = (
        shared["due"][1:] - shared["due"][:-1]
    )  # each takes 1 ms; answers that no port is open come between some
    assert (apart >= 999_999).all()
    assert (apart <= 1_000_001).sum() >= 50


def test_a_tcp_transfer_reaches_the_rate_and_its_retransmissions_are_seen(lab: Lab) -> None:
    script = (
        "$LINK exec server -- iperf3 -s -1 >/dev/null & said=$TMPDIR/said;"
        "until $LINK exec device -- iperf3 -J -t 3 -c 10.77.0.2 >$said; do sleep 0.1; done; cat $said"
    )
    links = {"device": "rate=10Mbit/s,rtt=20ms,queue=30p", "server": "ideal"}
    done = undisturbed(lambda _: lab.run(links, script), lambda done: slow(done.stdout, 8e6))
    assert 8e6 < bits_per_second(done.stdout) < 9.7e6  # 1448 of 1500 bytes are payload: 9.65 Mbit/s at most
    up = lab.accounting()["hosts"]["device"]["up"]
    assert up["dropped"]["queue"] > 0
    assert up["retransmissions"] > 0
    assert up["queue_max_bytes"] <= 30 * 1500


def test_a_flow_has_the_queue_it_met_and_how_long_it_waited(lab: Lab) -> None:
    burst(lab, {"device": "up.rate=4Mbit/s,up.queue=none", "server": "ideal"}, count=200)
    counters = lab.accounting()
    flow = next(f for f in counters["flows"] if f["host"] == "device" and f["direction"] == "up")
    whole = counters["hosts"]["device"]["up"]
    # 92 B take 184 us; a packet that came first waited no longer than that.
    assert flow["sojourn_mean_ns"] >= 184_000
    assert flow["sojourn_max_ns"] >= flow["sojourn_mean_ns"]
    assert 92 <= flow["queue_mean_bytes"] <= flow["queue_max_bytes"] <= 200 * 92
    assert {key: whole[key] for key in ("queue_max_bytes", "sojourn_max_ns", "payload_bytes")} == {
        key: flow[key] for key in ("queue_max_bytes", "sojourn_max_ns", "payload_bytes")
    }


def test_a_trial_that_begins_later_in_a_trace_is_later_in_its_outages_and_handovers(lab: Lab) -> None:
    # Far from where they begin and end, for it takes a while until the ping begins.
    links = {"device": "up.rate=1Mbit/s,up.outage=every(60s,for=4s,at=10s)", "server": "ideal"}
    argv = lab.argv(links, "sh", "-c", "$LINK exec device -- ping -q -c 2 -i 0.2 10.77.0.2")
    spec = json.loads((lab.folder / "lab.json").read_text())
    waited = []
    for offset in (2.0, 11.0):
        spec["hosts"][0]["trace_offset_s"] = offset
        (lab.folder / "lab.json").write_text(json.dumps(spec))
        environment = {**os.environ, "LINK": lab.link}
        subprocess.run(argv, env=environment, capture_output=True, timeout=TIMEOUT_S, check=True)
        waited.append(lab.accounting()["hosts"]["device"]["up"]["sojourn_max_ns"])
    assert waited[0] < 100_000_000
    assert 600_000_000 < waited[1] < 3_010_000_000


def test_recorded_losses_are_drawn_with_the_probabilities_of_their_file(lab: Lab) -> None:
    file = lab.folder / "tunnel.loss"
    file.write_text("0 0\n1 100%\n60 0\n")
    # The last leaves after 1.2 s at the earliest.
    came = burst(lab, {"device": f"up.loss-trace={file}", "server": "ideal"}, gap_s=0.003)["runs"][0]
    assert came == list(range(len(came)))
    assert 0 < len(came) < 400


def test_packets_overtake_where_jitter_may_change_their_order(lab: Lab) -> None:
    jitter = "up.delay=20ms,up.jitter=3ms,up.jitter-tick=packet"
    kept = burst(lab, {"device": jitter, "server": "ideal"})["runs"][0]
    free = burst(lab, {"device": f"{jitter},up.jitter-order=free", "server": "ideal"})["runs"][0]
    assert kept == sorted(free) == list(range(400))
    assert free != kept


def test_a_flood_above_the_queue_is_dropped_there_and_loses_nothing_else(lab: Lab) -> None:
    script = f"""$LINK exec device -- {sys.executable} -c "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(20000): s.sendto(bytes(1000), ('10.77.0.2', 9))
"; sleep 0.3"""
    done = lab.run({"device": "up.rate=1Mbit/s,up.queue=10p,up.delay=1ms", "server": "ideal"}, script)
    assert done.returncode == 0, done.stderr
    up = lab.accounting()["hosts"]["device"]["up"]
    assert up["packets"] == 20_000 == up["delivered"] + sum(up["dropped"].values())
    assert up["dropped"]["queue"] > 19_000
    assert up["queue_max_bytes"] <= 10 * 1028


def test_frames_longer_than_the_cable_takes_are_dropped_and_harm_nothing(lab: Lab) -> None:
    script = """$LINK exec device -- ip link set eth0 mtu 9000
        $LINK exec device -- ping -q -c 2 -i 0.05 -W 1 -M do -s 4000 10.77.0.2
        $LINK exec device -- ping -q -c 2 -i 0.05 -W 1 -M do -s 1300 10.77.0.2
        exec $LINK exec device -- ping -q -c 2 -i 0.05 10.77.0.2"""
    done = lab.run({"device": "mtu=1200", "server": "ideal"}, script)
    losses = [line for line in done.stdout.splitlines() if "packet loss" in line]
    assert [" 100% packet loss" in line for line in losses] == [True, True, False], done
    counters = lab.accounting()
    assert counters["own_drops"] == 0
    assert counters["hosts"]["device"]["up"]["dropped"]["mtu"] == 2


def test_frames_of_any_bytes_harm_nothing(lab: Lab) -> None:
    send = """
import random, socket
chance, cable = random.Random(5), socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
cable.bind(("eth0", 0))
for _ in range(3000):
    kind = chance.choice((b"\\x08\\x00\\x45", b"\\x08\\x00", b"\\x86\\xdd", b"\\x81\\x00", b""))
    to = chance.choice((bytes([2, 0x77, 0, 0, 0, 2]), bytes([255] * 6), bytes([2, 0x77, 0, 0, 0, 1]), chance.randbytes(6)))
    cable.send((to + bytes([2, 0x77, 0, 0, 0, 1]) + kind + chance.randbytes(chance.randrange(1, 1480)))[:1514])
"""
    script = f"""$LINK exec device -- {sys.executable} -c '{send}' && sleep 0.3 && $LINK exec device -- ping -q -c 3 -i 0.05 10.77.0.2"""
    done = lab.run({"device": "rate=1Gbit/s,loss=1%,corrupt=1%,duplicate=1%", "server": "ideal"}, script, 3)
    assert "3 packets transmitted" in done.stdout, done
    up = lab.accounting()["hosts"]["device"]["up"]
    assert up["packets"] >= 2990  # the kernel itself drops what claims a VLAN tag and has none
    assert up["packets"] + up["duplicated"] == up["delivered"] + sum(up["dropped"].values())


def test_fragments_are_counted_with_the_flow_of_their_first(lab: Lab) -> None:
    send = (
        "import socket;socket.socket(socket.AF_INET,socket.SOCK_DGRAM).sendto(bytes(4000),('10.77.0.2',5683))"
    )
    lab.run(
        {"device": "ideal", "server": "ideal"},
        f'$LINK exec device -- {sys.executable} -c "{send}"; sleep 0.1',
    )
    flows = [f for f in lab.accounting()["flows"] if f["protocol"] == "udp" and f["direction"] == "up"]
    assert [(f["packets"], f["payload_bytes"]) for f in flows] == [(3, 4000)]


def test_a_check_finds_a_link_on_spec(lab: Lab) -> None:
    script = "$LINK check 'rate=5Mbit/s,rtt=30ms,rtt-sd=4ms,loss=2%' --json --seed 3"
    done = undisturbed(lambda _: lab.run({"x": "ideal"}, script), disturbed)
    report = json.loads(done.stdout)
    names = {row["what"] for row in report["checks"]}
    assert {"up delay", "up jitter", "up loss", "up rate", "down rate", "own drops"} <= names
    jitter = next(row for row in report["checks"] if row["what"] == "up jitter")
    assert 1e6 < jitter["asked"] < 6e6
    assert jitter["low"] <= jitter["measured"] <= jitter["high"]
    bad = {row["what"] for row in report["checks"] if not row["ok"]}
    assert not bad & {"up loss", "up fates not as drawn", "down rate"}


def test_tshark_reads_the_capture_with_drop_reasons_and_virtual_times(lab: Lab) -> None:
    lab.pcap_file = lab.folder / "trial.pcapng"
    came = burst(lab, {"device": "up.loss=10%,delay=5ms", "server": "ideal"})["runs"][0]
    fields = ["frame.interface_name", "frame.comment", "udp.dstport", "frame.len"]
    arguments = [part for field in fields for part in ("-e", field)]
    done = subprocess.run(
        ["tshark", "-r", str(lab.pcap_file), "-Y", "udp.dstport == 5683", "-T", "fields", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    up = [row for row in rows if row[0] == "device up"]
    down = [row for row in rows if row[0] == "server down"]
    assert (len(up), len(down)) == (400, len(came))
    assert sum(row[1] == "dropped: loss" for row in up) == 400 - len(came)
    assert sum(row[1] == "passed: due 5.000000 ms after arrival" for row in up) == len(came)
    assert all(row[1].startswith("sent: due 0.000000 ms after arrival") for row in down)
    assert {row[3] for row in rows} == {"106"}


def test_a_capture_of_a_lab_is_imported_as_the_traffic_it_shows(lab: Lab, tmp_path: Path) -> None:
    lab.pcap_file = lab.folder / "trial.pcapng"
    came = burst(lab, {"device": "up.rate=100kbit/s", "server": "ideal"})["runs"][0]
    seconds = tmp_path / "device.up"
    imported = subprocess.run(
        [lab.link, "import", str(lab.pcap_file), "--column", "server down", "--to", str(seconds)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "packet capture format" in imported.stdout
    rates = [float(line.split()[1]) for line in seconds.read_text().splitlines()[1:]]
    assert len(came) == 400
    # 400 packets of 92 B at 100 kbit/s take 2.94 s.
    assert len(rates) == 2
    assert all(0.095 < rate < 0.105 for rate in rates)
