"""The packet log gives the server's share of a latency if exchanges do not overlap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wirelab.lab.packets import RECORD, read, server_times
from wirelab.model.errors import MeasurementFailed

FLOWS: list[dict[str, Any]] = [
    {"host": "device", "direction": "up", "payload_bytes": 2000},
    {"host": "server", "direction": "down", "payload_bytes": 2000},
    {"host": "server", "direction": "up", "payload_bytes": 40},
    {"host": "server", "direction": "up", "payload_bytes": 1900},
]
INTO, ACKNOWLEDGES, OUT = 1, 2, 3


def packet(flow: int, ingress: int, egress: int, payload: int = 1000, drop: int = 0) -> tuple[int, ...]:
    return (ingress, egress, flow, payload + 52, payload, 1, 0, drop, 6, egress, 1, 0)


def log(*packets: tuple[int, ...]) -> Any:
    return np.array(list(packets), dtype=RECORD)


def times(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def test_the_server_holds_a_message_from_its_last_packet_in_to_the_first_packet_on() -> None:
    packets = log(
        packet(INTO, 110, 150),
        packet(INTO, 120, 160),
        packet(ACKNOWLEDGES, 162, 170, payload=4),
        packet(OUT, 175, 200),
        packet(INTO, 1010, 1050),
        packet(OUT, 1090, 1100),
    )
    assert server_times(packets, FLOWS, times(100, 1000), times(210, 1110)).tolist() == [15.0, 40.0]


def test_dropped_packets_and_bare_acknowledgements_do_not_count_as_delivery() -> None:
    packets = log(
        packet(INTO, 110, 150),
        packet(INTO, 115, 0, drop=1),
        packet(INTO, 120, 160, payload=0),
        packet(OUT, 175, 200),
    )
    assert server_times(packets, FLOWS, times(100), times(210)).tolist() == [25.0]


def test_overlapping_exchanges_cannot_be_separated_and_others_can() -> None:
    packets = log(
        packet(INTO, 110, 150), packet(OUT, 175, 200), packet(INTO, 1010, 1050), packet(OUT, 1090, 1100)
    )
    found = server_times(packets, FLOWS, times(100, 150, 1000), times(210, 260, 1110))
    assert found is not None
    assert np.isnan(found).tolist() == [True, True, False]
    assert found[2] == 40.0


def test_one_long_exchange_hides_all_that_begin_within_it() -> None:
    packets = log(
        packet(INTO, 110, 150), packet(OUT, 175, 200), packet(INTO, 310, 350), packet(OUT, 375, 400)
    )
    found = server_times(packets, FLOWS, times(100, 200, 300), times(900, 210, 410))
    assert found is not None
    assert np.isnan(found).all()


def test_a_log_without_packets_out_of_the_server_gives_no_breakdown() -> None:
    assert server_times(log(packet(INTO, 110, 150)), FLOWS, times(100), times(210)) is None
    assert server_times(log(), [], times(100), times(210)) is None


def test_a_log_is_read_back_without_a_torn_last_record(tmp_path: Path) -> None:
    path = tmp_path / "packets.bin"
    records = log(packet(INTO, 1, 2), packet(OUT, 3, 4))
    path.write_bytes(
        b"WLPKTS01" + (1).to_bytes(4, "little") + (48).to_bytes(4, "little") + records.tobytes()[:-5]
    )
    assert read(path)["ingress"].tolist() == [1]


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "packets.bin"
    path.write_bytes(b"something else entirely")
    with pytest.raises(MeasurementFailed, match="not one of ours"):
        read(path)
