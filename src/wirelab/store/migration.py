"""Journals of version 2, which kept arrival processes as text: `interval`, `one-by-one,apart=10s`."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from wirelab.workloads import arrivals


def migrate(db: sqlite3.Connection) -> None:
    """Rewrite what a journal of version 2 keeps as this version keeps it; the caller commits."""
    for trial_id, spec in db.execute("SELECT id, spec FROM trial").fetchall():
        trial = _trial(msgspec.json.decode(spec))
        values = (_json(trial), _json(trial["levels"]), trial_id)
        db.execute("UPDATE trial SET spec=?, levels=? WHERE id=?", values)


def _trial(trial: dict[str, Any]) -> dict[str, Any]:
    workload, levels = trial["workload"], trial["levels"]
    process = arrivals.parse(workload.get("arrivals", "interval"))
    named = {"workload": str(process)} if "workload" in levels else {}
    return {
        **trial,
        "levels": levels | named,
        "workload": workload | {"arrivals": msgspec.to_builtins(process)},
    }


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
