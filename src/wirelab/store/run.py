"""A run on the disk: planned trials, their states and results.

Crash-safe, one writer, many readers.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from wirelab.model.answer import CodecRow, LinkCheck, Record
from wirelab.model.deprecated import stored_codec
from wirelab.model.errors import BadInput
from wirelab.model.result import TrialResult
from wirelab.model.trial import Trial
from wirelab.stats.sample_join import Joined
from wirelab.store.journal import Journal, create_journal, open_journal
from wirelab.store.lock import guarded
from wirelab.store.lock import lock as take_lock
from wirelab.store.samples import TEMPORARY, read_samples, samples_path, sync_directory, write_samples

JOURNAL = "run.db"


class RunStore:
    """The store of one run. Safe to use from several threads of one process.

    `create` and `open(write=True)` hold a lock until `close`. A second writer gets BadInput.
    """

    def __init__(self, directory: Path, journal: Journal, lock: int | None) -> None:
        self.directory = directory
        self._journal = journal
        self._lock = lock

    @classmethod
    def create(
        cls, directory: Path | str, study: object, trials: Sequence[Trial], meta: Mapping[str, object]
    ) -> RunStore:
        """Begin a run with these planned trials, in this order. msgspec must encode `study` and
        `meta`.

        Raises BadInput if the directory already holds a run or cannot be written, MeasurementFailed
        if it is full, ValueError if two trials have one id.
        """
        directory = Path(directory)
        if len({trial.id for trial in trials}) < len(trials):
            raise ValueError("two trials have one id")
        with guarded(directory):
            (directory / "samples").mkdir(parents=True, exist_ok=True)
            lock = take_lock(directory)
            try:
                _begin(directory, {**meta, "study": study}, trials)
                return cls(directory, Journal(directory, open_journal(directory / JOURNAL, True), True), lock)
            except BaseException:
                os.close(lock)
                raise

    @classmethod
    def open(cls, directory: Path | str, *, write: bool = False) -> RunStore:
        """Open a run to read it or, with `write`, to continue it.

        Running and invalid trials are then planned again: the cause of an invalid trial may be
        gone.

        Raises BadInput if it is not a run, of another version, damaged, or in use by another
        writer.
        """
        directory = Path(directory)
        if not directory.is_dir():
            raise BadInput(f"run directory {directory}", "does not exist", "name the directory of a run")
        with guarded(directory):
            if not write:
                return cls(
                    directory, Journal(directory, open_journal(directory / JOURNAL, False), False), None
                )
            lock = take_lock(directory)
            try:
                journal = Journal(directory, open_journal(directory / JOURNAL, True), True)
                with journal.transaction() as db:
                    db.execute("UPDATE trial SET state='planned' WHERE state='running'")
                    db.execute(
                        "UPDATE trial SET state='planned', attempt=0, verdict=NULL, reason=NULL, result=NULL, samples=0"
                        " WHERE verdict='invalid'"
                    )
                for left in (directory / "samples").glob(f"*{TEMPORARY}"):
                    left.unlink(missing_ok=True)
                return cls(directory, journal, lock)
            except BaseException:
                os.close(lock)
                raise

    def close(self) -> None:
        """Release the lock and close the journal. May be called twice."""
        self._journal.close()
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
        row = self._journal.one("SELECT spec FROM trial WHERE state='planned' ORDER BY ordinal LIMIT 1")
        return msgspec.json.decode(row[0], type=Trial) if row else None

    def planned(self) -> list[Trial]:
        """All trials that have not begun, in planned order."""
        rows = self._journal.all("SELECT spec FROM trial WHERE state='planned' ORDER BY ordinal")
        return [msgspec.json.decode(row[0], type=Trial) for row in rows]

    def add(self, trials: Sequence[Trial]) -> None:
        """Plan further trials after the existing ones.

        Raises ValueError if one of them exists already.
        """
        with self._journal.transaction() as db:
            first = int(db.execute("SELECT coalesce(max(ordinal) + 1, 0) FROM trial").fetchone()[0])
            try:
                _plan(db, trials, first)
            except sqlite3.IntegrityError:
                raise ValueError("a trial is there already") from None

    def begin(self, trial_id: str) -> int:
        """Mark a planned trial as running.

        Returns the attempt, from 1. Raises ValueError if not planned.
        """
        with self._journal.transaction() as db:
            sql = "UPDATE trial SET state='running', attempt=attempt+1 WHERE id=? AND state='planned'"
            if db.execute(sql, (trial_id,)).rowcount != 1:
                raise ValueError(f"trial {trial_id} is not planned")
            return int(db.execute("SELECT attempt FROM trial WHERE id=?", (trial_id,)).fetchone()[0])

    def finish(self, result: TrialResult, joined: Joined | None = None) -> None:
        """Store a trial's samples, then its result. When this returns, both survive a power cut.

        Raises ValueError if the trial is done or unknown, MeasurementFailed if the disk is full.
        """
        row = self._journal.one("SELECT state FROM trial WHERE id=?", result.trial_id)
        if row is None or row[0] == "done":
            raise ValueError(f"trial {result.trial_id} is {row[0] if row else 'unknown'}")
        if joined is not None:
            with guarded(self.directory):
                about = {"trial": result.trial_id, "unit": "ns", "clock": "CLOCK_MONOTONIC"}
                write_samples(self._samples_path(result.trial_id), joined.columns, about)
        with self._journal.transaction() as db:
            sql = (
                "UPDATE trial SET state='done', verdict=?, reason=?, result=?, samples=?"
                " WHERE id=? AND state!='done'"
            )
            verdict = result.verdict
            values = (
                verdict.state.value,
                verdict.reason.code if verdict.reason else None,
                _json(result),
                int(joined is not None),
                result.trial_id,
            )
            if db.execute(sql, values).rowcount != 1:
                raise ValueError(f"trial {result.trial_id} is done")

    def release(self, trial_id: str) -> None:
        """Plan a running trial again that was interrupted before its result."""
        with self._journal.transaction() as db:
            db.execute("UPDATE trial SET state='planned' WHERE id=? AND state='running'", (trial_id,))

    def results(self) -> list[Record]:
        """Every trial in planned order, done or not."""
        rows = self._journal.all("SELECT spec, state, attempt, result FROM trial ORDER BY ordinal")
        decode = msgspec.json.decode
        return [
            Record(
                decode(spec, type=Trial), state, attempt, decode(result, type=TrialResult) if result else None
            )
            for spec, state, attempt, result in rows
        ]

    def counts(self) -> dict[str, int]:
        """How many trials are planned, running and done."""
        found = dict(self._journal.all("SELECT state, count(*) FROM trial GROUP BY state"))
        return {state: found.get(state, 0) for state in ("planned", "running", "done")}

    def samples(self, trial_id: str) -> dict[str, NDArray[np.generic]]:
        """The joined samples of a trial by column (see stats.sample_join); {} if none.

        Raises BadInput.
        """
        row = self._journal.one("SELECT samples FROM trial WHERE id=?", trial_id)
        if row is None:
            raise KeyError(trial_id)
        return read_samples(self._samples_path(trial_id)) if row[0] else {}

    def put_meta(self, key: str, value: object) -> None:
        """Store metadata of the run: versions, environment, command line.

        Replaces an older value.
        """
        with self._journal.transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, _json(value)))

    def meta(self) -> dict[str, Any]:
        """All metadata of `create` and `put_meta`, with the study under `study`."""
        return {
            key: msgspec.json.decode(value) for key, value in self._journal.all("SELECT key, value FROM meta")
        }

    def put_link_check(self, check: LinkCheck) -> None:
        """Store the check of a link. A later one of the same link replaces it."""
        with self._journal.transaction() as db:
            sql = "INSERT OR REPLACE INTO link_check (link, value) VALUES (?, ?)"
            db.execute(sql, (check.link, _json(check)))

    def link_checks(self) -> list[LinkCheck]:
        """The checks of links, by link."""
        rows = self._journal.all("SELECT value FROM link_check ORDER BY link")
        return [msgspec.json.decode(row[0], type=LinkCheck) for row in rows]

    def put_codecs(self, rows: Sequence[CodecRow]) -> None:
        """Store the codec table in this order. Replaces an older one."""
        with self._journal.transaction() as db:
            db.execute("DELETE FROM codec")
            sql = "INSERT INTO codec (codec, ordinal, value) VALUES (?, ?, ?)"
            db.executemany(sql, [(row.codec, k, _json(row)) for k, row in enumerate(rows)])

    def codecs(self) -> list[CodecRow]:
        """The codec table."""
        rows = self._journal.all("SELECT value FROM codec ORDER BY ordinal")
        return [msgspec.convert(stored_codec(msgspec.json.decode(row[0])), CodecRow) for row in rows]

    def note(self, text: str, instead_of: str = "") -> None:
        """Store a warning about the run, in place of an older one. A duplicate is stored once."""
        with self._journal.transaction() as db:
            db.execute("DELETE FROM note WHERE text = ?", (instead_of,))
            db.execute("INSERT OR IGNORE INTO note (text) VALUES (?)", (text,))

    def notes(self) -> list[str]:
        """The warnings, oldest first."""
        return [row[0] for row in self._journal.all("SELECT text FROM note ORDER BY ordinal")]

    def _samples_path(self, trial_id: str) -> Path:
        return samples_path(self.directory / "samples", trial_id)


def _begin(directory: Path, meta: Mapping[str, object], trials: Sequence[Trial]) -> None:
    """Write the journal of a new run under another name, then rename it: it is whole or absent."""
    if (directory / JOURNAL).exists():
        raise BadInput(
            f"run directory {directory}", "already holds a run", "add --resume, or choose another with -o"
        )
    part = directory / (JOURNAL + TEMPORARY)
    part.unlink(missing_ok=True)
    journal = Journal(directory, create_journal(part), True)
    with journal.transaction() as db:
        db.executemany(
            "INSERT INTO meta (key, value) VALUES (?, ?)", [(k, _json(v)) for k, v in meta.items()]
        )
        _plan(db, trials, 0)
    journal.close()
    part.rename(directory / JOURNAL)
    sync_directory(directory)


def _plan(db: sqlite3.Connection, trials: Sequence[Trial], first: int) -> None:
    db.executemany(
        "INSERT INTO trial (id, ordinal, levels, spec, state, attempt) VALUES (?, ?, ?, ?, 'planned', 0)",
        [(trial.id, k, _json(trial.levels), _json(trial)) for k, trial in enumerate(trials, first)],
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
