"""The search for a discriminator: a key, or the first item of a list, that says a message's kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from wirelab.schema.columns import is_map, spread
from wirelab.schema.false_kinds import false_kinds
from wirelab.schema.shapes import Shape, absences

Key = tuple[str | int, ...]

MOST_VALUES = 64
NAMED_SHARE = 0.5
"""What a discriminator by its name must account for of the differences between shapes."""
OTHER_SHARE = 0.9
"""The same for any other key."""
_NAMES = frozenset(
    """
    type event op topic kind msgtype messagetype eventtype eventname recordtype packettype msgkind messagekind
    cmd command action method opcode operation subject channel stream datatype messagename msgname
    resourcetype typename class evt
    """.split()  # noqa: SIM905
)


def find_discriminator(messages: Sequence[Any], shapes: Sequence[Shape]) -> Key | None:
    """The key that accounts best for the shapes of messages of one JSON kind; None if none does.

    A key with the name of one (`type`, `event`, `op`, `topic` ...) must account for NAMED_SHARE of
    the differences, and so must the first item of a list. Another key must hold texts that repeat,
    account for OTHER_SHARE, and each of its kinds must have what another lacks. Messages of a
    false kind count as what they are.
    """
    if isinstance(messages[0], dict) and is_map(spread(messages), len(messages)):
        return None
    found: list[tuple[bool, float, int, Key]] = []
    for key in _candidates(messages):
        values = [value_at(message, key) for message in messages]
        if not _usable(values):
            continue
        names, _ = false_kinds(list(map(str, values)), shapes)
        number, share, named = len(set(names)), absence_explained(names, shapes), _is_named(key)
        if number < 2:
            continue
        repeats = len(names) >= 2 * number and all(isinstance(value, str) for value in values)
        if (named and share >= NAMED_SHARE) or (
            repeats and share >= OTHER_SHARE and _distinct(names, shapes)
        ):
            found.append((named, share, -number, key))
    return max(found, key=lambda one: one[:3])[3] if found else None


def absence_explained(names: Sequence[str], shapes: Sequence[Shape]) -> float:
    """The share of absent keys and types that messages of one shared record would have, and
    messages with a record for each of `names` have not.
    """
    counts = Counter(zip(names, shapes, strict=True))
    every: Counter[Shape] = Counter(shapes)
    before = absences(every, list(every.values()))
    if not before:
        return 0.0
    after = 0
    for name in dict.fromkeys(names):
        own = {one: count for (other, one), count in counts.items() if other == name}
        after += absences(own, list(own.values()))
    return 1 - after / before


def value_at(message: Any, key: Key) -> Any:
    """The value at a path of keys and positions; None if there is none."""
    for part in key:
        if isinstance(part, int):
            message = message[part] if isinstance(message, list) and part < len(message) else None
        else:
            message = message.get(part) if isinstance(message, dict) else None
    return message


def _candidates(messages: Sequence[Any]) -> Iterator[Key]:
    if not isinstance(messages[0], dict):
        if isinstance(messages[0], list):
            yield (0,)
        return
    shared = [key for key in messages[0] if all(key in message for message in messages)]
    for key in shared:
        yield (key,)
    for key in shared:
        if all(isinstance(message[key], dict) for message in messages):
            for inner in messages[0][key]:
                yield (key, inner)


def _usable(values: Sequence[Any]) -> bool:
    kinds = {*map(type, values)}
    return kinds in ({str}, {int}) and len(set(values)) <= MOST_VALUES


def _is_named(key: Key) -> bool:
    last = key[-1]
    return last == 0 or (isinstance(last, str) and _folded(last) in _NAMES)


def _folded(key: str) -> str:
    return "".join(filter(str.isalnum, key)).lower()


def _distinct(names: Sequence[str], shapes: Sequence[Shape]) -> bool:
    """Whether of any two kinds each has a trait that the other lacks."""
    wholes: dict[str, frozenset[Any]] = {}
    for name, one in zip(names, shapes, strict=True):
        wholes[name] = wholes.get(name, frozenset()) | one
    every = list(wholes.values())
    return all(one - other and other - one for k, one in enumerate(every) for other in every[:k])
