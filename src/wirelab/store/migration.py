"""Migration of versions 2 to 4.

In all, the warm-up of a study was a number. In versions 2 and 3, notes were texts. In version 2,
arrival processes and reasons were texts too, and studies had old spellings.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from wirelab.model.deprecated import stored_study, stored_trial
from wirelab.model.note import Note
from wirelab.model.reason import Reason
from wirelab.workloads import arrivals


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Rewrite the contents of a journal of version 2 to 4 for this version. The caller commits."""
    if version == 2:
        _from_version_2(db)
    if version < 4:
        _from_version_3(db)
    for key, value in db.execute("SELECT key, value FROM meta WHERE key IN ('study', 'paper')").fetchall():
        studies = _json(_with_text_of_warmup(msgspec.json.decode(value)))
        db.execute("UPDATE meta SET value=? WHERE key=?", (studies, key))


def _from_version_3(db: sqlite3.Connection) -> None:
    for trial_id, text in db.execute("SELECT id, result FROM trial WHERE result IS NOT NULL").fetchall():
        result = msgspec.json.decode(text)
        result["notes"] = [msgspec.to_builtins(Note.message(note)) for note in result.get("notes", ())]
        db.execute("UPDATE trial SET result=? WHERE id=?", (_json(result), trial_id))


def _from_version_2(db: sqlite3.Connection) -> None:
    for trial_id, spec in db.execute("SELECT id, spec FROM trial").fetchall():
        trial = _trial(msgspec.json.decode(spec))
        values = (_json(trial), _json(trial["levels"]), trial_id)
        db.execute("UPDATE trial SET spec=?, levels=? WHERE id=?", values)
    for trial_id, result in db.execute("SELECT id, result FROM trial WHERE result IS NOT NULL").fetchall():
        verdicts = _verdicts(msgspec.json.decode(result))
        db.execute("UPDATE trial SET result=? WHERE id=?", (_json(verdicts), trial_id))
    for (device,) in db.execute("SELECT value FROM meta WHERE key='device'").fetchall():
        verdicts = _verdicts(msgspec.json.decode(device))
        db.execute("UPDATE meta SET value=? WHERE key='device'", (_json(verdicts),))
    for (study,) in db.execute("SELECT value FROM meta WHERE key='study'").fetchall():
        renamed = stored_study(msgspec.json.decode(study))
        db.execute("UPDATE meta SET value=? WHERE key='study'", (_json(renamed),))


def _trial(trial: dict[str, Any]) -> dict[str, Any]:
    trial = stored_trial(trial)
    workload, levels = trial["workload"], trial["levels"]
    process = arrivals.parse(workload.get("arrivals", "interval"))
    named = {"workload": str(process)} if "workload" in levels else {}
    return {
        **trial,
        "levels": levels | named,
        "workload": workload | {"arrivals": msgspec.to_builtins(process)},
    }


def _with_text_of_warmup(value: Any) -> Any:
    """A study, or the studies in a value, with the warm-up as the text of its number."""
    if isinstance(value, list):
        return [_with_text_of_warmup(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _with_text_of_warmup(item) for key, item in value.items()}
    return found | ({"warmup": str(found["warmup"])} if "warmup" in found else {})


def _verdicts(value: Any) -> Any:
    """The value, with the text of each verdict in it as a reason."""
    if isinstance(value, list):
        return [_verdicts(item) for item in value]
    if not isinstance(value, dict):
        return value
    read = {key: _verdicts(item) for key, item in value.items()}
    text = read.get("reason")
    if "state" in read and isinstance(text, str):
        read["reason"] = msgspec.to_builtins(Reason.message(text)) if text else None
    return read


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
