"""Every bad specification is refused in one sentence with exit code 3, before anything is made."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest


def refused(link: str, *arguments: str) -> str:
    """The sentence with which a command line is refused."""
    done = subprocess.run([link, *arguments], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 3, done
    sentence = done.stderr.strip()
    assert "\n" not in sentence
    assert "panicked" not in sentence
    return sentence.removeprefix("wirelab-link: ")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"hosts": []}, "0 hosts; a lab has 1 to 1000"),
        ({"hosts": [{"name": "a"}, {"name": "a"}]}, "host 'a' is a duplicate"),
        ({"hosts": [{"name": "a-b"}, {"name": "A-B"}]}, "another host has the same variable WIRELAB_A_B"),
        ({"hosts": [{"name": "lab"}]}, "would set the reserved variable WIRELAB_LAB"),
        ({"hosts": [{"name": "../x"}]}, "host name '../x' is not 1 to 32 letters, digits or '-'"),
        ({"hosts": [{"name": "a", "link": "lte-drve"}]}, "did you mean lte-drive?"),
        ({"hosts": [{"name": "a", "trace_offset_s": -1}]}, "trace_offset_s -1 of host 'a' is not between"),
        ({"hosts": [{"name": "a"}], "segment": "up.rate=1Mbit/s"}, "differs between up and down"),
        ({"hosts": [{"name": "a"}], "segment": "rate=1"}, "rate '1' has no unit"),
        ({"hosts": [{"name": "a"}], "sed": 1}, "unknown field `sed`"),
        ({"hosts": [{"name": "a"}], "seed": "x"}, "invalid type"),
        ({"hosts": [{"name": "a"}], "backend": "rdma"}, "unknown variant `rdma`"),
        (
            {"hosts": [{"name": "a"}], "backend": "tun"},
            "backend tun supports exactly two hosts and no segment",
        ),
        (
            {"hosts": [{"name": "a", "link": "delay=1ms"}, {"name": "b"}], "backend": "none"},
            "backend none supports only ideal links; use ideal",
        ),
        (
            {"hosts": [{"name": "a"}, {"name": "b", "link": "delay=1ms"}], "backend": "netem"},
            "backend netem supports one link, that of host a; host b must be ideal",
        ),
        (
            {"hosts": [{"name": "a"}, {"name": "b"}], "backend": "none", "pcap": "/x"},
            "backend none cannot record packets; leave out packets and pcap",
        ),
    ],
)
def test_a_specification_that_makes_no_sense_is_refused(
    link: str, tmp_path: Path, spec: dict[str, Any], why: str
) -> None:
    file = tmp_path / "lab.json"
    file.write_text(json.dumps(spec))
    assert why in refused(link, "lab", str(file), "--", "true")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 10_000])
def test_a_file_that_is_not_a_specification_is_refused(link: str, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "lab.json"
    file.write_bytes(content)
    refused(link, "lab", str(file), "--", "true")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b"0\n0\n", "ends at 0 ms"),
        (b"0 0\n1 0\n", "all zero"),
        (b"5\n4\n", "time goes back"),
        (b"\x00\x01\x02", "neither text nor a capture"),
        (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "truncated or damaged"),
        (b"\x0a\x0d\x0d\x0a\xff\xff\xff\xffM<+\x1a", "truncated or damaged"),
        (b"1 nan\n", "not a number"),
        (b"1 2\n1.0000000001 3\n", "no length"),
        (b"0 1e300\n1 1\n", "above 1 Tbit/s"),
        (b"0 1\n1e9 1\n", "beyond ten days"),
        (b"t,x_mbps\n1\n", "column 2 is missing"),
    ],
)
def test_a_malformed_trace_is_refused(link: str, tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "bad.up"
    file.write_bytes(content)
    assert why in refused(link, "show", str(file))


def test_a_trace_of_gigabytes_is_refused_without_reading_it(link: str, tmp_path: Path) -> None:
    file = tmp_path / "huge.up"
    with file.open("wb") as sparse:
        sparse.truncate(3 << 30)
    assert "larger than 16 MiB" in refused(link, "show", str(file))
    assert "not a regular file" in refused(link, "show", "/dev/zero")


def test_a_named_pipe_is_refused_and_not_waited_for(link: str, tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe.up")
    os.mkfifo(pipe)
    for arguments in (
        ["show", pipe],
        ["import", pipe],
        ["fit", pipe],
        ["check", pipe],
        ["lab", pipe, "--", "true"],
    ):
        assert "not a regular file" in refused(link, *arguments)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("loss=110%", "above 100 %"),
        ("rate=0Mbit/s", "at least 1bit/s"),
        ("rate=2MB", "unknown unit"),
        ("delay=-5ms", "below zero"),
        ("delay=1e300s", "out of range"),
        ("mtu=9000", "68 to 1500"),
        ("rtt=10ms,delay=5ms", "given twice"),
        ("queue=10p", "no rate"),
        ("jitter-tick=1s", "give jitter before it"),
        ("los=5%", "did you mean loss?"),
        ("outage=every(2s,for=2s)", "does not fit"),
        ("handover=every(2s,at=1s)", "write it like"),
        ("loss-trace=/no/such.loss", "No such file"),
        ("up.rtt=5ms", "both directions"),
    ],
)
def test_a_link_that_cannot_be_is_refused_by_all_that_take_one(link: str, text: str, why: str) -> None:
    for verb in (["show", text], ["check", text], ["run", text, "--", "true"]):
        assert why in refused(link, *verb)


def test_a_recording_is_cleaned_by_the_given_choices(link: str, tmp_path: Path) -> None:
    file, seconds = tmp_path / "phone.csv", tmp_path / "phone.up"
    file.write_text("time,UL_kbps\n0,8\n1,\n2,-5\n4,16\n3,12\n4,32\n5,8\n12,24\n13,8\n")
    assert "`import --clean bad=drop` skips such rows" in refused(link, "import", str(file))
    assert "order=sort" in refused(link, "import", str(file), "--clean", "bad=zero")
    assert "did you mean order?" in refused(link, "import", str(file), "--clean", "oder=sort")
    clean = "bad=zero,order=sort,same=mean,gaps=cut,zeros=1s,cap=20kbit/s"
    done = subprocess.run(
        [link, "import", str(file), "--clean", clean, "--to", str(seconds)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    for said in (
        "9 rows, 1 s apart (median)",
        "2 invalid rates",
        "1 times going backwards",
        "1 repeated times",
        "1 gaps of more than three times that spacing, the longest 7 s",
        "1 periods of 1 s or more without capacity, the longest 2 s",
    ):
        assert said in done.stdout
    first, *lines = seconds.read_text().splitlines()
    assert first == "# seconds Mbit/s"
    rates = [float(line.split()[1]) for line in lines]
    assert rates == [0.008, 0.0, 0.012, 0.02, 0.008, 0.02, 0.008]


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ("", "are empty"),
        ("delay", "delay has no value"),
        ("loss 101%", "out of range"),
        ("slot 1ms", "netem option 'slot' is not supported"),
    ],
)
def test_parameters_that_netem_rejects_are_refused(link: str, parameters: str, why: str) -> None:
    assert why in refused(link, "import", "--netem", parameters)


def test_parameters_of_netem_come_back_from_the_plan_of_their_link(link: str) -> None:
    def said(*arguments: str) -> str:
        return subprocess.run(
            [link, *arguments], capture_output=True, text=True, timeout=30, check=True
        ).stdout

    text = said("import", "--netem", "delay 30ms loss random 5% rate 2mbit -14 limit 30").strip()
    assert text == "up.loss=5%,up.rate=2000000bit/s,up.delay=30ms,up.queue=30p"
    plan = said("show", text, "--netem").splitlines()
    commands = [line for line in plan if not line.startswith("#")]
    assert commands == [
        "tc qdisc replace dev $HOST root netem limit 35 delay 30ms loss random 5% rate 2000000bit -14",
        "tc qdisc replace dev $PEER root netem limit 1000000",
    ]


def test_exec_outside_a_lab_is_refused(link: str) -> None:
    done = subprocess.run(
        [link, "exec", "device", "--", "true"], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (125, 1)
    assert "there is no lab here" in done.stderr


@pytest.mark.lab
def test_a_mistyped_host_is_refused_with_the_nearest(link: str, tmp_path: Path) -> None:
    file = tmp_path / "lab.json"
    file.write_text(json.dumps({"hosts": [{"name": "device"}, {"name": "server"}]}))
    done = subprocess.run(
        [link, "lab", str(file), "--", link, "exec", "sever", "--", "true"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        3,
        "wirelab-link: no host 'sever' in this lab; did you mean server?\n",
    )
