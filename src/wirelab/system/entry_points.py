"""What installed packages register under a group of entry points."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from wirelab.model.errors import BadInput
from wirelab.system.data_root import data_root

T = TypeVar("T")

_PYPROJECT = data_root() / "pyproject.toml"


def registered(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name.

    Those in the source tree's pyproject.toml come first: an editable install may have older ones.
    """
    return {point.name: point for point in (*entry_points(group=group), *_source_tree(group))}


def load(group: str, kind: type[T], taken: Collection[str]) -> dict[str, T]:
    """The objects of a group's entry points, by name, in the order of their names.

    Raises BadInput for an entry point whose name is `taken`, that does not load, or that is not a
    `kind`.
    """
    found: dict[str, T] = {}
    for name, point in sorted(registered(group).items()):
        what = f"entry point {name} of {group}"
        if name in taken:
            raise BadInput(what, "a duplicate", f"rename {point.value}")
        try:
            one = point.load()
        except Exception as error:
            raise BadInput(what, f"{point.value} does not load: {error}", "correct or remove it") from error
        if not isinstance(one, kind):
            raise BadInput(what, f"not a {kind.__name__}", f"see {kind.__module__}")
        found[name] = one
    return found


def _source_tree(group: str) -> list[EntryPoint]:
    try:
        groups = tomllib.loads(_PYPROJECT.read_text())["project"]["entry-points"]
    except OSError:
        return []
    return [EntryPoint(name, value, group) for name, value in groups.get(group, {}).items()]
