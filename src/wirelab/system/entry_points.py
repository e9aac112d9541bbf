"""What installed packages register under a group of entry points."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

_PYPROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"


def registered(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name.

    Those in the source tree's pyproject.toml come first: an editable install may have older ones.
    """
    return {point.name: point for point in (*entry_points(group=group), *_source_tree(group))}


def _source_tree(group: str) -> list[EntryPoint]:
    try:
        groups = tomllib.loads(_PYPROJECT.read_text())["project"]["entry-points"]
    except OSError:
        return []
    return [EntryPoint(name, value, group) for name, value in groups.get(group, {}).items()]
