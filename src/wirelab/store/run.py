"""A run on the disk: what was planned, what is done, and what it gave. Crash-safe, one writer, many readers."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from wirelab.model.answer import CodecRow, LinkCheck, Record
from wirelab.model.errors import BadInput
from wirelab.model.result import TrialResult
from wirelab.model.trial import Trial
from wirelab.stats.join import Joined
from wirelab.store.guard import guarded
from wirelab.store.guard import lock as take_lock
from wirelab.store.journal import create_journal, open_journal
from wirelab.store.samples import TEMPORARY, read_samples, samples_path, write_samples

JOURNAL = "run.db"


class RunStore:
    """The store of one run. Safe to use from several threads of one process.

    `create` and `open(write=True)` hold a lock until `close`; a second writer is refused with BadInput.
    """

    def __init__(self, directory: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        self.directory = directory
        self._db = connection
        self._lock = lock
        self._mutex = threading.RLock()

    @classmethod
    def create(
        cls, directory: Path | str, study: object, trials: Sequence[Trial], meta: Mapping[str, object]
    ) -> RunStore:
        """Begin a run: all trials planned, in this order. `study` and `meta` are anything msgspec encodes.

        Raises BadInput if the directory already holds a run or cannot be written, MeasurementFailed if it
        is full.
        """
        directory = Path(directory)
        with guarded(directory):
            (directory / "samples").mkdir(parents=True, exist_ok=True)
            lock = take_lock(directory)
            if (directory / JOURNAL).exists():
                os.close(lock)
                raise BadInput(
                    f"run directory {directory}",
                    "already holds a run",
                    "add --resume, or choose another with -o",
                )
            part = directory / (JOURNAL + TEMPORARY)
            part.unlink(missing_ok=True)
            journal = create_journal(part)
            store = cls(directory, journal, lock)
            with store._transaction():
                for key, value in {**meta, "study": study}.items():
                    store._put("meta", "key", key, value)
                for ordinal, trial in enumerate(trials):
                    journal.execute(
                        "INSERT INTO trial (id, ordinal, levels, spec, state, attempt)"
                        " VALUES (?, ?, ?, ?, 'planned', 0)",
                        (trial.id, ordinal, _json(trial.levels), _json(trial)),
                    )
            journal.close()
            part.rename(directory / JOURNAL)
            store._db = open_journal(directory / JOURNAL)
        return store

    @classmethod
    def open(cls, directory: Path | str, *, write: bool = False) -> RunStore:
        """Open a run to read it, or (`write`) to go on with it: trials that were running are planned again.

        Raises BadInput if it is no run, of another version, damaged, or in use by another writer.
        """
        directory = Path(directory)
        if not directory.is_dir():
            raise BadInput(f"run directory {directory}", "does not exist", "name the directory of a run")
        with guarded(directory):
            lock = take_lock(directory) if write else None
            try:
                store = cls(directory, open_journal(directory / JOURNAL), lock)
            except BaseException:
                if lock is not None:
                    os.close(lock)
                raise
            if write:
                with store._transaction():
                    store._db.execute("UPDATE trial SET state='planned' WHERE state='running'")
                for left in (directory / "samples").glob(f"*{TEMPORARY}"):
                    left.unlink(missing_ok=True)
        return store

    def close(self) -> None:
        """Give the lock and the journal back. May be called twice."""
        self._db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def next_planned(self) -> Trial | None:
        """The first trial in planned order that has not begun, or None."""
        row = self._one("SELECT spec FROM trial WHERE state='planned' ORDER BY ordinal LIMIT 1")
        return msgspec.json.decode(row[0], type=Trial) if row else None

    def planned(self) -> list[Trial]:
        """All trials that have not begun, in planned order."""
        rows = self._all("SELECT spec FROM trial WHERE state='planned' ORDER BY ordinal")
        return [msgspec.json.decode(row[0], type=Trial) for row in rows]

    def begin(self, trial_id: str) -> int:
        """Mark a planned trial as running; which attempt this is, from 1. Raises ValueError if it is not planned."""
        with self._transaction():
            sql = "UPDATE trial SET state='running', attempt=attempt+1 WHERE id=? AND state='planned'"
            if self._db.execute(sql, (trial_id,)).rowcount != 1:
                raise ValueError(f"trial {trial_id} is not planned")
            return int(self._db.execute("SELECT attempt FROM trial WHERE id=?", (trial_id,)).fetchone()[0])

    def finish(self, result: TrialResult, joined: Joined | None = None) -> None:
        """Store a trial's result, its samples first; after this returns, both outlive a power cut.

        Raises ValueError if the trial is done or unknown, MeasurementFailed if the disk is full.
        """
        row = self._one("SELECT state FROM trial WHERE id=?", result.trial_id)
        if row is None or row[0] == "done":
            raise ValueError(f"trial {result.trial_id} is {row[0] if row else 'unknown'}")
        if joined is not None:
            with guarded(self.directory):
                about = {"trial": result.trial_id, "unit": "ns", "clock": "CLOCK_MONOTONIC"}
                write_samples(self._samples_path(result.trial_id), joined.columns, about)
        with self._transaction():
            sql = (
                "UPDATE trial SET state='done', verdict=?, reason=?, result=?, samples=?"
                " WHERE id=? AND state!='done'"
            )
            verdict = result.verdict
            values = (
                verdict.state.value,
                verdict.reason,
                _json(result),
                int(joined is not None),
                result.trial_id,
            )
            if self._db.execute(sql, values).rowcount != 1:
                raise ValueError(f"trial {result.trial_id} is done")

    def release(self, trial_id: str) -> None:
        """Plan a running trial again (it was interrupted before it gave a result)."""
        with self._transaction():
            self._db.execute("UPDATE trial SET state='planned' WHERE id=? AND state='running'", (trial_id,))

    def results(self) -> list[Record]:
        """Every trial in planned order, done or not."""
        rows = self._all("SELECT spec, state, attempt, result FROM trial ORDER BY ordinal")
        decode = msgspec.json.decode
        return [
            Record(
                decode(spec, type=Trial), state, attempt, decode(result, type=TrialResult) if result else None
            )
            for spec, state, attempt, result in rows
        ]

    def counts(self) -> dict[str, int]:
        """How many trials are planned, running and done."""
        found = dict(self._all("SELECT state, count(*) FROM trial GROUP BY state"))
        return {state: found.get(state, 0) for state in ("planned", "running", "done")}

    def samples(self, trial_id: str) -> dict[str, NDArray[np.generic]]:
        """The joined samples of a trial by column (see stats.join.Joined); {} if it left none. Raises BadInput."""
        row = self._one("SELECT samples FROM trial WHERE id=?", trial_id)
        if row is None:
            raise KeyError(trial_id)
        return read_samples(self._samples_path(trial_id)) if row[0] else {}

    def put_meta(self, key: str, value: object) -> None:
        """Keep something about the run: versions, environment, command line. An older value is replaced."""
        with self._transaction():
            self._put("meta", "key", key, value)

    def meta(self) -> dict[str, Any]:
        """Everything kept by `create` and `put_meta`, and the study under `study`."""
        return {key: msgspec.json.decode(value) for key, value in self._all("SELECT key, value FROM meta")}

    def put_link_check(self, check: LinkCheck) -> None:
        """Keep a link's own check; a later one of the same link replaces it."""
        with self._transaction():
            self._put("link_check", "link", check.link, check)

    def link_checks(self) -> list[LinkCheck]:
        """The links' checks, by link."""
        rows = self._all("SELECT value FROM link_check ORDER BY link")
        return [msgspec.json.decode(row[0], type=LinkCheck) for row in rows]

    def put_codecs(self, rows: Sequence[CodecRow]) -> None:
        """Keep the codec table, in this order, in place of an older one."""
        with self._transaction():
            self._db.execute("DELETE FROM codec")
            sql = "INSERT INTO codec (codec, ordinal, value) VALUES (?, ?, ?)"
            self._db.executemany(sql, [(row.codec, k, _json(row)) for k, row in enumerate(rows)])

    def codecs(self) -> list[CodecRow]:
        """The codec table."""
        rows = self._all("SELECT value FROM codec ORDER BY ordinal")
        return [msgspec.json.decode(row[0], type=CodecRow) for row in rows]

    def note(self, text: str) -> None:
        """Keep a warning about the run; the same one twice is kept once."""
        with self._transaction():
            self._db.execute("INSERT OR IGNORE INTO note (text) VALUES (?)", (text,))

    def notes(self) -> list[str]:
        """The warnings, oldest first."""
        return [row[0] for row in self._all("SELECT text FROM note ORDER BY ordinal")]

    def _samples_path(self, trial_id: str) -> Path:
        return samples_path(self.directory / "samples", trial_id)

    def _put(self, table: str, column: str, key: str, value: object) -> None:
        self._db.execute(
            f"INSERT OR REPLACE INTO {table} ({column}, value) VALUES (?, ?)", (key, _json(value))
        )

    def _all(self, sql: str) -> list[tuple[Any, ...]]:
        with self._mutex, guarded(self.directory):
            return self._db.execute(sql).fetchall()

    def _one(self, sql: str, *values: str) -> tuple[Any, ...] | None:
        with self._mutex, guarded(self.directory):
            row: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
            return row

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Everything inside or nothing. A journal opened to be read refuses."""
        if self._lock is None:
            raise ValueError("this run was opened to be read")
        with self._mutex, guarded(self.directory):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
