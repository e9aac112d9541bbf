"""Read the sample file of a peer: docs/contracts/peer.md, "Samples". The file is hostile until read."""

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
_HEADER = struct.Struct("<8sIIQQ")
_HEADER_BYTES = 64
_LARGEST = 1 << 34
"""A file beyond 16 GiB is not a trial's."""


def read_samples(path: Path | str) -> NDArray[np.void]:
    """The records a peer wrote, in file order, as a read-only array of RECORD mapped from the file.

    Raises MeasurementFailed if the file is absent, cut short, of another version, or if records did not fit.
    """
    path = Path(path)
    what = f"samples {path.name}"
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except OSError as error:
        raise MeasurementFailed(what, error.strerror or "cannot be read") from error
    if len(head) < _HEADER_BYTES or size > _LARGEST:
        raise MeasurementFailed(what, f"{size} bytes cannot be a sample file")
    magic, version, record, written, missed = _HEADER.unpack_from(head)
    if magic != MAGIC or version != 1 or record != RECORD.itemsize:
        raise MeasurementFailed(what, "not a sample file of contract version 1")
    if missed:
        raise MeasurementFailed(
            what, f"{missed} records did not fit", "the capacity given to the peer was too small"
        )
    if written > (size - _HEADER_BYTES) // RECORD.itemsize:
        raise MeasurementFailed(what, f"claims {written} records, but ends after {size} bytes")
    if written == 0:
        return np.empty(0, dtype=RECORD)
    return np.memmap(path, dtype=RECORD, mode="r", offset=_HEADER_BYTES, shape=(written,))
