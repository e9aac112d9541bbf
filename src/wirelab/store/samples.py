"""One trial's joined samples as a Parquet file, written so that it is either whole or absent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from wirelab.model.errors import BadInput

Columns = Mapping[str, NDArray[np.generic]]
TEMPORARY = ".part"


def samples_path(directory: Path, trial_id: str) -> Path:
    """The path of a trial's samples. Any id becomes a valid file name."""
    return directory / f"{quote(trial_id, safe=' =,+')}.parquet"


def write_samples(path: Path, columns: Columns, metadata: Mapping[str, str]) -> None:
    """Write columns of equal length.

    The file gets its name when it is on the disk. Raises OSError.
    """
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    table = table.replace_schema_metadata(dict(metadata))
    part = path.with_name(path.name + TEMPORARY)
    try:
        with part.open("wb") as file:
            pq.write_table(table, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def read_samples(path: Path) -> dict[str, NDArray[np.generic]]:
    """The columns as numpy arrays. Raises BadInput if the file is absent or damaged."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise BadInput(f"samples {path}", "absent or damaged", "run this trial again") from error
    return {name: table.column(name).to_numpy() for name in table.column_names}


def sync_directory(path: Path) -> None:
    """Make a rename in `path` survive a power cut."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
