"""Recursive records: a reference inside them, or inside a record they use, names them again.

A value ends where a field of the cycle is absent or null, where a list or map is empty, or where a
union has another alternative. A cycle without such an end has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from wirelab.model.schema import AnyType, Record, Ref, Schema, Tuple, Union, walk
from wirelab.schema.paths import show
from wirelab.schema.places import places

REMEDY = "let it be absent (`?`) or null (`|null`), or make it a list"
Inside = Callable[[AnyType], Iterator[AnyType]]


def recursive(records: Sequence[Record], inside: Inside = walk) -> frozenset[str]:
    """The names of the records that are inside themselves. `inside` is as for `components`."""
    own = {record.name for record in records if record.name in _used(record, inside)}
    cycles = (one for one in components(records, inside) if len(one) > 1)
    return frozenset(own.union(*cycles))


def recursive_place(schema: Schema) -> str:
    """The first use of a recursive record inside itself, with its path; "" if there is none."""
    names = recursive(schema.records)
    first: dict[str, int] = {}
    for place in places(schema, every_record=True) if names else ():
        name = place.kind.name if isinstance(place.kind, Ref) else ""
        if name in names and len(place.path) > first.setdefault(name, len(place.path)):
            return f"{name} contains itself at {show(place.path)}"
    return ""


def ordered(records: Sequence[Record]) -> tuple[Record, ...]:
    """Records before their users. Those of one cycle keep their order."""
    by_name = {record.name: record for record in records}
    return tuple(by_name[name] for component in components(records) for name in component)


def deepest(records: Sequence[Record]) -> tuple[int, str]:
    """The most levels of records, a cycle counted as one, and the outermost record's name."""
    by_name = {record.name: record for record in records}
    levels: dict[str, int] = {}
    for component in components(records):
        inner = (levels.get(used, 0) for name in component for used in _used(by_name[name], walk))
        levels |= dict.fromkeys(component, 1 + max(inner, default=0))
    return max(((level, name) for name, level in levels.items()), default=(0, ""))


def components(records: Sequence[Record], inside: Inside = walk) -> list[list[str]]:
    """The names of records that are inside one another, else of one record; users come last.

    `inside` gives the types in a field's type whose records count as used. Tarjan, "Depth-first
    search and linear graph algorithms", 1972; with a stack of its own, for schemas of any depth.
    """
    position = {record.name: place for place, record in enumerate(records)}
    used = {record.name: _used(record, inside) for record in records}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    pending: dict[str, None] = {}
    found: list[list[str]] = []
    for root, inside_root in used.items():
        work = [] if root in index else [(root, iter(inside_root))]
        while work:
            name, rest = work[-1]
            if name not in index:
                index[name] = low[name] = len(index)
                pending[name] = None
            for inner in rest:
                if inner not in index:
                    work.append((inner, iter(used[inner])))
                    break
                if inner in pending:
                    low[name] = min(low[name], low[inner])
            else:
                work.pop()
                if work:
                    user = work[-1][0]
                    low[user] = min(low[user], low[name])
                if low[name] == index[name]:
                    component = [pending.popitem()[0]]
                    while component[-1] != name:
                        component.append(pending.popitem()[0])
                    found.append(sorted(component, key=position.__getitem__))
    return found


class Endless(Exception):
    """Records without end: the name of one, the key of the field that holds the next, and names
    from it to itself.
    """

    def __init__(self, record: str, key: str, cycle: str) -> None:
        super().__init__(f"every {record} contains another, without end ({cycle})")
        self.record, self.key = record, key


def check(records: Sequence[Record]) -> None:
    """Raises Endless if a record has no value, since each one contains itself again."""
    ending = endings(records)
    endless = [record.name for record in records if record.name not in ending]
    if endless:
        raise _endless(endless[-1], {record.name: record for record in records}, ending)


def endings(records: Sequence[Record]) -> dict[str, int]:
    """The records that end: each has a value that holds only records of a lower number."""
    by_name = {record.name: record for record in records}
    found: dict[str, int] = {}
    for component in components(records):
        left = dict.fromkeys(component)
        while done := [name for name in left if not _next(by_name[name], found)[1]]:
            found |= dict.fromkeys(done, len(found))
            for name in done:
                del left[name]
    return found


def _endless(name: str, by_name: dict[str, Record], ending: Collection[str]) -> Endless:
    way: list[str] = []
    while name not in way:
        way.append(name)
        name = _next(by_name[name], ending)[1]
    way = way[way.index(name) :]
    return Endless(name, _next(by_name[name], ending)[0], " -> ".join((*way, name)))


def _next(record: Record, ending: Collection[str]) -> tuple[str, str]:
    """The key and the name of a record not in `ending` that every value of this one holds; ""
    and "" if there is none.
    """
    held = [(field.key, "" if field.optional else _held(field.type, ending)) for field in record.fields]
    if record.shape == "union" and not all(name for _, name in held):
        return "", ""
    return next((one for one in held if one[1]), ("", ""))


def _held(kind: AnyType, ending: Collection[str]) -> str:
    """The name of a record not in `ending` that every value of a type holds; "" if there is none."""
    if kind.nullable:
        return ""
    if isinstance(kind, Tuple):
        return next(filter(None, (_held(item, ending) for item in kind.items)), "")
    if isinstance(kind, Union):
        held = [_held(one, ending) for one in kind.alternatives]
        return held[0] if all(held) else ""
    return kind.name if isinstance(kind, Ref) and kind.name not in ending else ""


def _used(record: Record, inside: Inside) -> list[str]:
    kinds = (kind for field in record.fields for kind in inside(field.type))
    return list(dict.fromkeys(kind.name for kind in kinds if isinstance(kind, Ref)))
