"""Recordings of networks in formats of installed packages.

wirelab-link reads its own formats. A package registers another under the entry points
`wirelab.recordings`: each names a `RecordingFormat`, which turns a file into rows of seconds and
Mbit/s before wirelab-link reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from wirelab.model.errors import BadInput
from wirelab.system import entry_points

GROUP = "wirelab.recordings"
# wirelab-link reads at most this many rows.
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class RecordingFormat:
    """A format of recordings.

    `read` returns rows of seconds and Mbit/s in the order of time, or None for a file of another
    format. It raises ValueError for a damaged file of its own.
    """

    read: Callable[[Path], Iterable[tuple[float, float]] | None]


def convert(file: Path, to: Path) -> str | None:
    """Write a recording of a registered format as lines of seconds and Mbit/s.

    Returns the name of the entry point, or None and writes nothing if no package reads the file.
    Raises BadInput for a damaged file, more than a million rows, or a broken entry point.
    """
    for name, format_ in entry_points.load(GROUP, RecordingFormat, ()).items():
        try:
            rows = format_.read(file)
            if rows is None:
                continue
            lines = [f"{seconds!r} {mbit!r}\n" for seconds, mbit in islice(rows, MOST_ROWS + 1)]
        except Exception as error:
            raise BadInput(
                str(file), f"entry point {name} of {GROUP}: {error}", "correct the file or remove the package"
            ) from error
        if len(lines) > MOST_ROWS:
            raise BadInput(str(file), f"more than {MOST_ROWS} rows", "cut it")
        to.write_text("# seconds Mbit/s\n" + "".join(lines))
        return name
    return None
