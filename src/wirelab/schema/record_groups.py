"""Which kinds of message have a record each, in the order in which a union tries them."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

from msgspec import Struct

from wirelab.schema.shapes import Shape


class RecordGroup(Struct):
    """Kinds that share one record, by their names, and the shapes of their messages."""

    names: list[str]
    shapes: set[Shape]

    def takes(self, one: Shape) -> bool:
        """Whether a record for this group takes a message of a shape."""
        return frozenset.intersection(*self.shapes) <= one <= frozenset().union(*self.shapes)

    def takes_any(self, other: RecordGroup) -> bool:
        """Whether a record for this group takes any message of another group."""
        return any(map(self.takes, other.shapes))


def record_groups(names: Sequence[str], shapes: Sequence[Shape]) -> list[RecordGroup]:
    """The groups of kinds that need a record of their own.

    A value of a union is of the first record that takes it. A group therefore precedes those whose
    records would take its messages too. Kinds of which each takes the other's messages are one
    group.
    """
    found: dict[str, RecordGroup] = {}
    for name, one in zip(names, shapes, strict=True):
        found.setdefault(name, RecordGroup([name], set())).shapes.add(one)
    groups = _joined(list(found.values()))
    while True:
        before = {
            k: {j for j, other in enumerate(groups) if j != k and one.takes_any(other)}
            for k, one in enumerate(groups)
        }
        try:
            return [groups[k] for k in TopologicalSorter(before).static_order()]
        except CycleError as error:
            cycle = sorted(set(error.args[1]))
            whole = _union([groups[k] for k in cycle])
            groups = [whole if k == cycle[0] else g for k, g in enumerate(groups) if k not in cycle[1:]]


def _joined(groups: list[RecordGroup]) -> list[RecordGroup]:
    """Groups in which those of equal traits are one."""
    found: dict[Shape, list[RecordGroup]] = {}
    for group in groups:
        found.setdefault(frozenset().union(*group.shapes), []).append(group)
    return list(map(_union, found.values()))


def _union(groups: Sequence[RecordGroup]) -> RecordGroup:
    names = [name for group in groups for name in group.names]
    return RecordGroup(names, set().union(*(group.shapes for group in groups)))
