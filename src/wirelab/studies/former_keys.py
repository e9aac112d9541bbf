"""Keys of study files under their former names: accepted for one release, with one note per file on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

STUDY = {"asked": "question", "within": "time_budget", "stand_in": "deviation", "pace": "spacing"}
TABLES = {
    "deviation": {"wanted": "published", "here": "used", "why": "reason"},
    "figure": {"where": "locator", "over": "x_axis", "beside": "second_metric", "marks": "annotations"},
    "claim": {"where": "locator", "show": "display", "why": "reason"},
}
_noted: set[str] = set()


def renamed(table: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The table of a study file with today's keys."""
    former: dict[str, str] = {}
    found = _renamed(table, STUDY, former)
    for key, names in TABLES.items():
        if isinstance(rows := found.get(key), list):
            found[key] = [_renamed(row, names, former) if isinstance(row, dict) else row for row in rows]
    if former and source not in _noted:
        _noted.add(source)
        told = ", ".join(f"{old} is now {new}" for old, new in former.items())
        print(f"note: {source}: {told}", file=sys.stderr)
    return found


def _renamed(table: Mapping[str, Any], names: Mapping[str, str], former: dict[str, str]) -> dict[str, Any]:
    former |= {key: names[key] for key in table if key in names}
    found = {names.get(key, key): value for key, value in table.items()}
    if isinstance(quick := found.get("quick"), dict):
        found["quick"] = _renamed(quick, names, former)
    return found
