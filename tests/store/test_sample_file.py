"""A peer's sample file is not trusted."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from wirelab.model.errors import MeasurementFailed
from wirelab.store.sample_file import RECORD, read_samples, sample_file, written_part

RECORD_BYTES = bytes.fromhex(
    "0700000000000000"  # seq 7
    "e803000000000000"  # planned 1000
    "e903000000000000"  # start 1001
    "ea03000000000000"  # sent 1002
    "eb03000000000000"  # done 1003
    "ec03000000000000"  # received 1004
    "ffffffffffffffff"  # decoded -1
    "64000000"  # 100 bytes
    "11000000"  # acknowledged, marked a duplicate
)


def header(written=1, missed=0, magic=b"WLSAMP01", version=1, size=64):
    return struct.pack("<8sIIQQ", magic, version, size, written, missed).ljust(64, b"\0")


def test_a_record_is_read_field_by_field_as_the_contract_lays_it_out(tmp_path):
    path = tmp_path / "pub.samples"
    path.write_bytes(header() + RECORD_BYTES + bytes(640))
    found = read_samples(path)
    assert found.tolist() == [(7, 1000, 1001, 1002, 1003, 1004, -1, 100, 17)]
    assert RECORD.itemsize == 64


def test_an_empty_sample_file_has_no_records(tmp_path):
    path = tmp_path / "pub.samples"
    path.write_bytes(header(written=0))
    assert len(read_samples(path)) == 0


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "0 bytes cannot be a sample file"),
        (header()[:40], "40 bytes cannot be a sample file"),
        (header(magic=b"WLPKTS01"), "not a sample file of contract version 1"),
        (header(version=2), "not a sample file of contract version 1"),
        (header(size=48), "not a sample file of contract version 1"),
        (header(written=2) + RECORD_BYTES, "claims 2 records, but ends after 128 bytes"),
        (header(written=2**63) + RECORD_BYTES, "claims 9223372036854775808 records"),
        (header(missed=3) + RECORD_BYTES, "3 records did not fit"),
    ],
)
def test_a_file_that_cannot_be_true_is_refused_with_its_cause(tmp_path, content, cause):
    path = tmp_path / "pub.samples"
    path.write_bytes(content)
    with pytest.raises(MeasurementFailed, match=cause) as caught:
        read_samples(path)
    assert "pub.samples" in str(caught.value)


def test_an_absent_file_is_reported(tmp_path):
    with pytest.raises(MeasurementFailed, match="No such file"):
        read_samples(tmp_path / "pub.samples")


def test_the_written_part_of_a_file_ends_after_the_last_record(tmp_path):
    path = tmp_path / "pub.samples"
    path.write_bytes(header() + RECORD_BYTES + bytes(640))
    assert written_part(path).tobytes() == header() + RECORD_BYTES
    path.write_bytes(header(written=2**63) + RECORD_BYTES)
    assert written_part(path).tobytes() == header(written=2**63) + RECORD_BYTES
    path.write_bytes(header()[:40])
    assert written_part(path).tobytes() == header()[:40]


def test_records_are_written_as_the_contract_lays_them_out():
    records = np.frombuffer(RECORD_BYTES, dtype=RECORD)
    assert sample_file(records, capacity=3) == header() + RECORD_BYTES + bytes(128)
