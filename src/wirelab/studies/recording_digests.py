"""The recordings of a run: every trial of it replays the same content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from wirelab.model.errors import BadInput
from wirelab.model.trial import Trial
from wirelab.store.run import RunStore
from wirelab.workloads.recordings import recording_paths

KEY = "recordings"


class RecordingDigests:
    """The SHA-256 of each recording, as the run first met it."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._known: dict[str, str] = dict(store.meta().get(KEY, {}))
        # Digests by path, size and time of change: a file is read again only when they differ.
        self._read: dict[tuple[str, int, int], str] = {}

    def check(self, trials: Iterable[Trial]) -> None:
        """Check the recordings that these trials are about to replay. Raises BadInput."""
        for path in {path for trial in trials for path in recording_paths(trial)}:
            found = self._digest(path)
            if path not in self._known:
                self._known[path] = found
                self._store.put_meta(KEY, self._known)
            elif self._known[path] != found:
                raise BadInput(
                    f"recording {path}",
                    "it has changed since this run began, so further trials would meet another link",
                    "restore it and continue with --resume, or begin a new run",
                )

    def _digest(self, path: str) -> str:
        try:
            about = Path(path).stat()
            key = path, about.st_size, about.st_mtime_ns
            if key not in self._read:
                self._read[key] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        except OSError as error:
            raise BadInput(f"recording {path}", error.strerror or str(error), "check the file") from None
        return self._read[key]
