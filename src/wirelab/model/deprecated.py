"""Old spellings of keys, flags and values, accepted for one release, with their replacements.

Run directories of the previous release are read through the same tables.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from wirelab.model.errors import BadInput

KEYS = {
    "needs": "thresholds",
    "objectives": "rank_by",
    "repeats": "replicates",
    "library": "client_library",
    "peer": "client_program",
    "application": "service",
    "cross": "cross_traffic",
    "segment": "shared_medium",
    "single": "call_latency",
    "numbers": "narrow_floats",
}
"""Keys of study files and of the study of a stored run. As flags they have dashes."""

FILE_KEYS = {"asked": "question", "within": "time_budget", "stand_in": "deviation", "pace": "spacing"}
TABLE_KEYS = {
    "deviation": {"wanted": "published", "here": "used", "why": "reason"},
    "figure": {"where": "locator", "over": "x_axis", "beside": "second_metric", "marks": "annotations"},
    "claim": {"where": "locator", "show": "display", "why": "reason"},
}
"""Further keys of a study file, and keys of its tables."""

# The replacement of a flag may be another flag and the start of its value.
FLAGS = {
    **{f"--{old}": "--" + new.replace("_", "-") for old, new in KEYS.items() if old != "needs"},
    "--need": "--threshold",
    "--as": "--output-format",
    "--plan": "--dry-run",
    "--within": "--time-budget",
    "--optimise": "--opt-level",
    "--pace": "--spacing",
    "--more": "--extra-replicates",
    "--mpack-dir": "--option mpack_dir=",
    "--arduinojson-dir": "--option arduinojson_dir=",
}

TOPOLOGIES = {"uplink": "one-way", "loop": "round-trip"}
WORKLOADS = {"interval": "constant-rate", "one-by-one": "closed-loop"}
NUMBERS = {"narrow": True, "keep": False}

Tell = Callable[[str], None]


class Renamed(FutureWarning):
    """An old spelling was used. The command line prints each once as a note."""


def tell(text: str) -> None:
    """Warn of an old spelling."""
    warnings.warn(text, Renamed, stacklevel=3)


def silent(_: str) -> None:
    """Accept an old spelling silently, because a finished run cannot be changed."""


def renewed(table: Mapping[str, Any], source: str, tell: Tell = tell) -> dict[str, Any]:
    """The keys and values of a study in the current spelling.

    Raises BadInput if a key is given in both spellings.
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        new = KEYS.get(key, key)
        if new != key:
            if new in table:
                raise BadInput(f"{source}: key '{key}'", f"'{new}' is given too", f"keep '{new}'")
            tell(f"{source}: key '{key}' is now '{new}'")
        found |= _renewed(new, value, source, tell)
    return found


def _renewed(key: str, value: Any, source: str, tell: Tell) -> dict[str, Any]:
    if key == "rate" and any("%" in one for one in _texts(value)):
        return _utilization(value, source, tell)
    if key == "narrow_floats" and value in ("narrow", "keep"):
        return {key: NUMBERS[value]}
    if key in LEVELS:
        one = functools.partial(_level, key, source, tell)
        return {key: one(value) if isinstance(value, str) else [one(level) for level in _texts(value)]}
    return {key: value}


def _level(key: str, source: str, tell: Tell, value: str) -> str:
    new = LEVELS[key](value)
    if new != value:
        tell(f"{source}: {key} '{value}' is now '{new}'")
    return new


def renewed_file(table: Mapping[str, Any], source: str) -> dict[str, Any]:
    """A study file with the keys of `FILE_KEYS` and `TABLE_KEYS` in the current spelling."""
    found: dict[str, Any] = _keys(table, FILE_KEYS, source)
    for key, names in TABLE_KEYS.items():
        if isinstance(rows := found.get(key), list):
            found[key] = [_keys(row, names, f"{source}, {key}") for row in rows]
    return found


def _keys(table: Any, names: Mapping[str, str], source: str) -> Any:
    if not isinstance(table, dict):
        return table
    for key in table:
        if key in names:
            tell(f"{source}: key '{key}' is now '{names[key]}'")
    found = {names.get(key, key): value for key, value in table.items()}
    return found | ({"quick": _keys(found["quick"], names, source)} if "quick" in found else {})


def topology(value: str) -> str:
    """A topology in the current spelling."""
    return TOPOLOGIES.get(value, value)


def workload(value: str) -> str:
    """A workload in the current spelling."""
    name, comma, rest = value.partition(",")
    new = WORKLOADS.get(name.strip(), name)
    return f"{new}{comma}{rest.replace('apart=', 'spacing=') if new == 'closed-loop' else rest}"


LEVELS = {"topology": topology, "workload": workload}


def _utilization(value: Any, source: str, tell: Tell) -> dict[str, Any]:
    """`rate = "20%+40%"`: levels that take turns within a trial; `["20%", "40%"]`: each by itself."""
    texts = _texts(value)
    levels = [level.strip() for text in texts for level in text.split("+")]
    interleaved = any("+" in text for text in texts)
    if not all(level.endswith("%") for level in levels) or (interleaved and len(texts) > 1):
        raise BadInput(
            f"{source}: rate {', '.join(texts)}",
            "mixes rates, shares, or shares that take turns",
            "give either rate = [...] or utilization = [...], with interleave = true or without",
        )
    turns = " with interleave = true" if interleaved else ""
    tell(f"{source}: rate '{', '.join(texts)}' is now utilization '{', '.join(levels)}'{turns}")
    return {"utilization": levels, **({"interleave": True} if interleaved else {})}


def _texts(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)]


def stored_study(table: Mapping[str, Any]) -> dict[str, Any]:
    """The study of a run of the previous release in the current spelling."""
    # What its `batch` was is `batch_size`; `batch` is now a factor.
    known = {"batch_size" if key == "batch" else key: value for key, value in table.items()}
    return renewed(known, "run", silent)


def stored_trial(table: dict[str, Any]) -> dict[str, Any]:
    """A trial of a run of the previous release in the current spelling."""
    levels = {KEYS.get(name, name): level for name, level in table["levels"].items()}
    if "topology" in levels:
        levels["topology"] = topology(levels["topology"])
    if "%" in levels.get("rate", ""):
        levels = {"utilization" if name == "rate" else name: level for name, level in levels.items()}
    workload = {**table["workload"], "topology": topology(table["workload"]["topology"])}
    return {**table, "levels": levels, "workload": workload}


def stored_codec(row: dict[str, Any]) -> dict[str, Any]:
    """A codec of a stored run in the current spelling."""
    return {"extra_metrics" if key == "beyond" else key: value for key, value in row.items()}
