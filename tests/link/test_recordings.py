"""Real recordings of networks: each is read correctly, or refused with a remedy."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import pytest

FIELD = Path(__file__).parents[3] / "shared" / "data" / "field"


def _imported(link: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [link, "import", *arguments], capture_output=True, text=True, timeout=30, check=False
    )


@pytest.fixture
def field() -> Path:
    """The folder of real recordings."""
    if not FIELD.is_dir():
        warnings.warn(f"{FIELD} is absent: no real recordings were read", stacklevel=1)
        pytest.skip("no folder of real recordings")
    return FIELD


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        (
            "38-hsdpa-norway.log",
            [],
            ["3G commute log (Riiser et al.) format", "15 rows, ", "max 3.253 Mbit/s"],
        ),
        (
            "39-bitrate-mbps.csv",
            [],
            ["CSV format, 2 s", "'Bitrate (Mbps)', Mbit/s as its name says", "mean 72.425 Mbit/s"],
        ),
        ("40-measurements5g.csv", [], ["4 rows, 3 s apart", "'RATE(MBit/s)'", "max 41.2 Mbit/s"]),
        (
            "42-wetlinks-iperf.csv",
            ["--column", "upload", "--unit", "bit/s"],
            ["rates: column 'upload', bit/s", "180 s apart", "max 15.102 Mbit/s"],
        ),
        (
            "42-wetlinks-iperf.csv",
            [],
            ["WetLinks format", "column 'download', bit/s, as its source says", "max 201.177 Mbit/s"],
        ),
        (
            "45c-netem-trace-model.json",
            [],
            ["netem-trace model format, 2 s", "mean 18 Mbit/s", "max 24 Mbit/s"],
        ),
        ("43-excel-bom.csv", [], ["column 'time', s", "min 1 Mbit/s", "max 4 Mbit/s"]),
        ("44-savetxt.txt", [], ["'rate(kbps)', kbit/s", "median 3.5 Mbit/s", "max 4.1 Mbit/s"]),
        ("46-ns3-ppp.pcap", [], ["packet capture format, 142 ms", "mean 5.07 Mbit/s"]),
        ("47b-obsolete-packet-block.pcapng", [], ["format, 5 ms", "mean 800 kbit/s"]),
        ("47c-capture.pcap.gz", [], ["expanded from gzip", "mean 32.587 kbit/s"]),
        ("45b-mahimahi-netem-trace.up", [], ["mean 15 Mbit/s", "1 opportunities at 0 ms"]),
    ],
)
def test_a_real_recording_is_read_with_its_own_unit(
    link: str, field: Path, name: str, arguments: list[str], said: list[str]
) -> None:
    done = _imported(link, str(field / name), *arguments)
    assert done.returncode == 0, done.stderr
    for sentence in said:
        assert sentence in done.stdout


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("45-mahimahi-zeros.up", "trace ends at 0 ms; it needs a length of at least 1 ms"),
    ],
)
def test_a_real_recording_that_says_too_little_is_refused(
    link: str, field: Path, name: str, why: str
) -> None:
    done = _imported(link, str(field / name))
    assert done.returncode == 3
    assert why in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "notes"),
    [
        (
            "48-tc-qdisc-show.txt",
            "up.loss=10%,up.corrupt=3.4%,up.delay=10ms,up.jitter=8.660254ms,up.jitter-tick=packet,"
            "up.jitter-order=free",
            ["parent 1:5", "correlation of loss", "correlation of delay", "reorder", "gap 1", "limit"],
        ),
        (
            "48b-tc-qdisc-show-root.txt",
            "up.loss=ge(p=1%,r=10%,bad=70%,good=0.1%),up.rate=1000000bit/s,up.delay=100ms,"
            "up.jitter=5.773503ms,up.jitter-tick=packet,up.jitter-order=free,up.queue=1000p",
            ["seed", "correlation of delay", "limit"],
        ),
        ("50-netem-default-limit.txt", "up.delay=1000ms", ["netem holds 1000 packets"]),
        (
            "52-netem-bytes-rate.txt",
            "up.loss=1%,up.rate=80000000bit/s,up.delay=20ms",
            ["10Mbps is 80000000 bit/s: bps of tc is bytes per second"],
        ),
        (
            "52b-tbf-then-netem.sh",
            "up.loss=5%,up.delay=50ms,up.rate=1000000bit/s",
            ["burst 32kbit", "queue 400ms"],
        ),
    ],
)
def test_real_commands_of_tc_become_a_link_and_notes_of_all_else(
    link: str, field: Path, name: str, text: str, notes: list[str]
) -> None:
    done = _imported(link, "--netem", (field / name).read_text())
    assert (done.returncode, done.stdout.strip()) == (0, text)
    for note in notes:
        assert note in done.stderr
    shown = subprocess.run([link, "show", text], capture_output=True, text=True, timeout=30, check=False)
    assert shown.returncode == 0, shown.stderr


def test_a_file_of_tc_commands_is_known_by_its_content(link: str, tmp_path: Path) -> None:
    script = tmp_path / "shape.sh"
    script.write_text(
        "#!/bin/sh\n# limit the uplink\nsudo tc qdisc add dev eth0 root netem delay 40ms rate 2mbit\n"
    )
    done = _imported(link, script)
    assert (done.returncode, done.stdout) == (0, "up.rate=2000000bit/s,up.delay=40ms\n")
    refused = _imported(link, script, "--to", tmp_path / "shape.up")
    assert refused.returncode == 3
    assert "leave out --to and use the link text" in refused.stderr


def test_a_trace_that_quotes_a_tc_command_stays_a_trace(link: str, tmp_path: Path) -> None:
    trace = tmp_path / "drive.txt"
    trace.write_text("# tc qdisc add dev eth0 root netem delay 40ms\n# seconds Mbit/s\n0 1\n1 2\n2 1\n")
    done = _imported(link, trace)
    assert done.returncode == 0, done.stderr
    assert "times: column 'seconds'" in done.stdout


def test_slots_of_netem_are_refused_by_name(link: str, field: Path) -> None:
    done = _imported(link, "--netem", (field / "52e-netem-slot.txt").read_text())
    assert done.returncode == 3
    assert "netem option 'slot' is not supported" in done.stderr


@pytest.mark.parametrize(
    ("text", "way_on"),
    [
        ("0 3500\n1 2200\n", "--unit"),
        ("time,MBPS\n0,1\n1,2\n", "`import --unit Mbit/s` or `--unit MB/s`"),
        ("place,x_mbps\na,1\nb,2\n", "--time-column"),
        ("0 1\n1000 2\n2000 1\n", "--time-unit ms"),
        ("time,download,upload\n0,1,2\n", "--column NAME --unit Mbit/s"),
    ],
)
def test_an_ambiguous_file_is_refused_with_the_option_that_decides_it(
    link: str, tmp_path: Path, text: str, way_on: str
) -> None:
    file = tmp_path / "trace.csv"
    file.write_text(text)
    for arguments in (["import", str(file)], ["show", str(file)]):
        done = subprocess.run([link, *arguments], capture_output=True, text=True, timeout=30, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (3, 1)
        assert way_on in done.stderr


def test_choices_of_an_import_are_written_to_a_self_describing_file(link: str, tmp_path: Path) -> None:
    table, trace = tmp_path / "5g.csv", tmp_path / "5g.up"
    table.write_text("at,Rate\n0,2000\n1,3000\n")
    chosen = ["--column", "Rate", "--unit", "Mbit/s", "--time-column", "at", "--to", str(trace)]
    assert _imported(link, str(table), *chosen).returncode == 0
    assert trace.read_text() == "# seconds Mbit/s\n0\t2000.000000\n1\t3000.000000\n"
    shown = subprocess.run(
        [link, "show", str(trace)], capture_output=True, text=True, timeout=30, check=False
    )
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--unit", "parsec"], "'parsec' is not a unit; give a rate such as Mbit/s"),
        (["--time-unit", "min"], "'min' is not a unit of time; give s, ms, us or ns"),
        (["--step", "soon"], "step 'soon'"),
    ],
)
def test_an_option_without_a_value_is_refused(
    link: str, tmp_path: Path, arguments: list[str], why: str
) -> None:
    file = tmp_path / "trace.csv"
    file.write_text("time,x_mbps\n0,1\n")
    done = _imported(link, str(file), *arguments)
    assert done.returncode == 3
    assert why in done.stderr
