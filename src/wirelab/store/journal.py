"""The journal of a run: one SQLite file, committed to the disk before a trial counts as done.

It is a rollback journal with `synchronous=EXTRA`, not WAL: one file at rest, which can be copied
and read anywhere, safe against kill -9 and power cuts. A run commits a few times per second at
most, so speed does not matter.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.store.lock import guarded
from wirelab.store.migration import migrate

APPLICATION = 0x57495245
"""Marks the file as wirelab's in SQLite's header ("WIRE")."""

# Increased with every incompatible change of the stored types (model/trial.py, model/result.py).
VERSION = 5
# The oldest version that can be read (migration.py).
OLDEST = 2

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE trial (
  id TEXT PRIMARY KEY, ordinal INTEGER NOT NULL UNIQUE, levels TEXT NOT NULL, spec TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'running', 'done')), attempt INTEGER NOT NULL,
  verdict TEXT, reason TEXT, result TEXT, samples INTEGER NOT NULL DEFAULT 0);
CREATE TABLE link_check (link TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE codec (codec TEXT PRIMARY KEY, ordinal INTEGER NOT NULL, value TEXT NOT NULL);
CREATE TABLE note (ordinal INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
"""


class Journal:
    """The journal of one run directory, for several threads of one process.

    `writable` needs the lock.
    """

    def __init__(self, directory: Path, connection: sqlite3.Connection, writable: bool) -> None:
        self._directory = directory
        self._connection = connection
        self._writable = writable
        self._mutex = threading.RLock()

    def all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._mutex, guarded(self._directory):
            return self._connection.execute(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        rows = self.all(sql, *values)
        return rows[0] if rows else None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all statements or none.

        Raises ValueError if the run is open for reading only.
        """
        if not self._writable:
            raise ValueError("this run is open for reading only")
        with self._mutex, guarded(self._directory):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """May be called twice."""
        self._connection.close()


def create_journal(path: Path) -> sqlite3.Connection:
    """A new journal with its tables, in one transaction. Raises sqlite3.Error."""
    connection = _connect(path, "rwc")
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    connection.execute("COMMIT")
    return connection


def open_journal(path: Path, writable: bool) -> sqlite3.Connection:
    """An existing journal.

    One of an older version is migrated: in place if `writable`, else in a
    copy in memory.

    Raises BadInput if it is absent, not a journal of wirelab, damaged, too old or too new.
    """
    what = f"run directory {path.parent}"
    if not path.is_file():
        raise BadInput(what, f"holds no {path.name}", "name the directory of a run")
    try:
        connection = _connect(path, "rw")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise BadInput(what, f"{path.name} cannot be read ({error})", "restore it from a copy") from error
    if application != APPLICATION:
        connection.close()
        raise BadInput(what, f"{path.name} was not written by wirelab", "name the directory of a run")
    if not OLDEST <= version <= VERSION:
        connection.close()
        raise BadInput(
            what, f"written in version {version}, this is version {VERSION}", "use the wirelab that wrote it"
        )
    return _migrated(connection, version, writable) if version < VERSION else connection


def _migrated(connection: sqlite3.Connection, version: int, writable: bool) -> sqlite3.Connection:
    if not writable:
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.backup(copy)
        connection.close()
        connection = copy
    connection.execute("BEGIN IMMEDIATE")
    migrate(connection, version)
    connection.execute(f"PRAGMA user_version={VERSION}")
    connection.execute("COMMIT")
    return connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("PRAGMA synchronous=EXTRA")
    return connection
