"""The sample file of a peer (docs/contracts/peer.md, "Samples"). Its contents are not trusted."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirelab.model.errors import MeasurementFailed

RECORD = np.dtype(
    [
        ("seq", "<u8"),
        ("planned", "<i8"),
        ("start", "<i8"),
        ("sent", "<i8"),
        ("done", "<i8"),
        ("received", "<i8"),
        ("decoded", "<i8"),
        ("bytes", "<u4"),
        ("flags", "<u4"),
    ]
)
MAGIC = b"WLSAMP01"
VERSION = 1
HEADER_BYTES = 64
# Magic, version, size of a record, records written, records that did not fit.
_HEADER = struct.Struct("<8sIIQQ")
_LARGEST = 1 << 34
"""Larger files than 16 GiB are rejected."""


def read_samples(path: Path | str) -> NDArray[np.void]:
    """The records of a peer in file order, as a read-only array of RECORD mapped from the file.

    Raises MeasurementFailed if the file is absent, cut short, of another version, or if records did
    not fit.
    """
    path = Path(path)
    what = f"samples {path.name}"
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
    except OSError as error:
        raise MeasurementFailed(what, error.strerror or "cannot be read") from error
    if len(head) < HEADER_BYTES or size > _LARGEST:
        raise MeasurementFailed(what, f"{size} bytes cannot be a sample file")
    magic, version, record, written, missed = _HEADER.unpack_from(head)
    if magic != MAGIC or version != VERSION or record != RECORD.itemsize:
        raise MeasurementFailed(what, f"not a sample file of contract version {VERSION}")
    if missed:
        raise MeasurementFailed(
            what, f"{missed} records did not fit", "the capacity given to the peer was too small"
        )
    if written > (size - HEADER_BYTES) // RECORD.itemsize:
        raise MeasurementFailed(what, f"claims {written} records, but ends after {size} bytes")
    if written == 0:
        return np.empty(0, dtype=RECORD)
    return np.memmap(path, dtype=RECORD, mode="r", offset=HEADER_BYTES, shape=(written,))


def written_part(path: Path) -> NDArray[np.uint8]:
    """The header and the written records as bytes, without the unused rest of the file.

    `read_samples` validates them. Raises OSError.
    """
    with path.open("rb") as file:
        head = file.read(HEADER_BYTES)
    written = _HEADER.unpack_from(head)[3] if len(head) == HEADER_BYTES else 0
    size = min(path.stat().st_size, len(head) + written * RECORD.itemsize)
    return np.fromfile(path, dtype=np.uint8, count=size)


def sample_file(records: NDArray[np.void], capacity: int = 0) -> bytes:
    """A file with these records and a capacity of `capacity` records."""
    head = _HEADER.pack(MAGIC, VERSION, RECORD.itemsize, len(records), 0).ljust(HEADER_BYTES, b"\0")
    return head + records.tobytes() + bytes(max(0, capacity - len(records)) * RECORD.itemsize)
