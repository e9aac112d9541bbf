"""Kernel statistics of a process, and zeros for an ended one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wirelab.lab.process import difference, listens, unsent_bytes, usage
from wirelab.model.result import Usage

TCP = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:075B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0000000000000000
   1: 0100007F:C350 0100007F:075B 01 000004D2:00000000 00:00000000 00000000     0        0 2 1 0000000000000000
"""
UDP = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
   0: 0100007F:1633 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 3 2 0000000000000000 0
"""


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    root = tmp_path / "42"
    for thread, line in (("42", "1000 20 3"), ("43", "500 7 1")):
        (root / "task" / thread).mkdir(parents=True)
        (root / "task" / thread / "schedstat").write_text(line + "\n")
    (root / "status").write_text("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 100 kB\n")
    (root / "net").mkdir()
    (root / "net" / "tcp").write_text(TCP)
    (root / "net" / "udp").write_text(UDP)
    return tmp_path


def test_usage_sums_all_threads(proc: Path) -> None:
    assert usage(42, proc) == Usage(cpu_ns=1500, run_delay_ns=27, max_rss_bytes=2048 * 1024, slices=4)


def test_a_process_that_has_gone_used_nothing(proc: Path) -> None:
    assert usage(43, proc) == Usage()
    assert unsent_bytes([43], proc) == 0
    assert not listens(43, 1883, "tcp", proc)


def test_a_difference_keeps_the_later_peak_and_never_goes_below_zero() -> None:
    assert difference(Usage(10, 5, 300, 9), Usage(4, 6, 200, 2)) == Usage(6, 0, 300, 7)


def test_bytes_sent_but_not_acknowledged_are_seen(proc: Path) -> None:
    assert unsent_bytes([42], proc) == 1234


def beside(proc: Path, namespace: str) -> None:
    """Process 43 with the same sockets, both in network namespaces of these names."""
    shutil.copytree(proc / "42", proc / "43")
    for pid, name in (("42", "net:[1]"), ("43", namespace)):
        (proc / pid / "ns").mkdir()
        (proc / pid / "ns" / "net").symlink_to(name)


def test_processes_of_one_namespace_count_once(proc: Path) -> None:
    beside(proc, "net:[1]")
    assert unsent_bytes([42, 43], proc) == 1234


def test_each_namespace_counts(proc: Path) -> None:
    beside(proc, "net:[2]")
    assert unsent_bytes([42, 43], proc) == 2468


@pytest.mark.parametrize(
    ("tcp", "unsent"),
    [("inuse 0 orphan 0 tw 3", 0), ("inuse 2 orphan 0 tw 0", 1234), ("inuse 0 orphan 1 tw 0", 1234)],
)
def test_the_table_of_tcp_is_read_only_where_it_has_sockets(proc: Path, tcp: str, unsent: int) -> None:
    (proc / "42" / "net" / "sockstat").write_text(
        f"sockets: used 12\nTCP: {tcp} alloc 1 mem 61\nUDP: inuse 1 mem 0\n"
    )
    assert unsent_bytes([42], proc) == unsent


def test_a_listening_port_is_seen(proc: Path) -> None:
    assert listens(42, 1883, "tcp", proc)
    assert listens(42, 5683, "udp", proc)
    assert not listens(42, 50000, "tcp", proc)
    assert not listens(42, 5683, "tcp", proc)
