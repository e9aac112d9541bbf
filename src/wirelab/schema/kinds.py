"""The kinds of message in a corpus, and what distinguishes them: a discriminator or the shape.

A discriminator is a key (`type`, `header.type`) or the first item of a list (`[0]`) whose value
says the kind of a message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.kinds import Kinds
from wirelab.model.suggestions import nearest
from wirelab.schema.corpus import Corpus
from wirelab.schema.discriminator import absence_explained, find_discriminator, value_at
from wirelab.schema.false_kinds import false_kinds
from wirelab.schema.key_groups import key_groups
from wirelab.schema.line_messages import LineMessages, types_of
from wirelab.schema.paths import kind_of
from wirelab.schema.shapes import Shape, shapes_of
from wirelab.schema.topics import topic_patterns

__all__ = ["AUTO", "NONE", "FoundKinds", "Kinds", "find_kinds"]

AUTO, NONE = "auto", "none"
SHAPE = "shape"
MAX_KINDS = 64
_PARTS = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


class FoundKinds(Struct, frozen=True):
    """Kinds, and notes on what was taken and why; no kinds for a corpus of one kind."""

    kinds: Kinds | None = None
    notes: tuple[str, ...] = ()


def find_kinds(corpus: Corpus, wanted: str = AUTO) -> FoundKinds:
    """The kinds of message in a corpus.

    `wanted`: `auto`, `none`, or the path of a discriminator. Raises BadInput for a path that no
    message has, and for values that are objects or too many.
    """
    if wanted == NONE or (wanted == AUTO and len(corpus.messages) < 2):
        return FoundKinds()
    if wanted != AUTO:
        shapes = shapes_of(corpus.messages)
        return _by_key(corpus, shapes, wanted, _parts(wanted, corpus.messages), "as --kinds says")
    if len(types_of(corpus.messages)) > 1:
        names = list(map(kind_of, corpus.messages))
        return _kinds(names, SHAPE, "messages are not all of one JSON kind")
    sample = corpus.messages.sample() if isinstance(corpus.messages, LineMessages) else corpus.messages
    shapes = shapes_of(sample)
    if len(set(shapes)) < 2:
        return FoundKinds()
    key = find_discriminator(sample, shapes)
    if key is not None:
        return _by_key(corpus, shapes_of(corpus.messages), _path(key), key, "")
    groups = key_groups(sample) and key_groups(corpus.messages)
    return _kinds(groups, SHAPE, "they have no key in common, or few") if groups else FoundKinds()


def _by_key(
    corpus: Corpus, shapes: Sequence[Shape], by: str, parts: tuple[str | int, ...], why: str
) -> FoundKinds:
    values = [value_at(message, parts) for message in corpus.messages]
    if all(value is None for value in values):
        keys = [str(key) for message in corpus.messages[:100] if isinstance(message, dict) for key in message]
        step = nearest(by, dict.fromkeys(keys)) if keys else "name a key, [0], auto or none"
        raise BadInput(f"--kinds {by}", "no message has it", step)
    for index, value in enumerate(values):
        if isinstance(value, dict | list | float):
            what = "not a text, an integer or a bool"
            raise BadInput(f"{corpus.where(index)}, at {by}", f"{what}: no kind", "name another key, or none")
    names = topic_patterns([_name(value, by) for value in values], shapes)
    if len(set(names)) > MAX_KINDS:
        many = f"{len(set(names)):,} values; a corpus has at most {MAX_KINDS} kinds"
        raise BadInput(f"--kinds {by}", many, "name a key with fewer values, or none")
    names, lies = false_kinds(names, shapes)
    share = absence_explained(names, shapes)
    why = why or f"it accounts for {share:.0%} of the differences in their keys and types"
    told = tuple(
        f'{corpus.where(index)} has {by} "{said}", but the keys and types of "{names[index]}": it is taken as that'
        for index, said in list(lies.items())[:3]
    )
    more = (f"{len(lies) - 3:,} more messages have a wrong {by}",) if len(lies) > 3 else ()
    found = _kinds(names, by, why)
    return FoundKinds(found.kinds, (*found.notes, *told, *more))


def _kinds(names: Sequence[str], by: str, why: str) -> FoundKinds:
    order = {name: index for index, name in enumerate(dict.fromkeys(names))}
    if len(order) < 2:
        return FoundKinds(notes=(f"all messages have one {by}: one kind",))
    kinds = Kinds(by, tuple(order), tuple(order[name] for name in names))
    counted = ", ".join(f"{name} ({count:,})" for name, count in list(kinds.counts().items())[:8])
    rest = f" and {len(order) - 8} more" if len(order) > 8 else ""
    note = f"{len(order)} kinds of message by {by}: {counted}{rest}; {why}; --kinds none takes them as one"
    return FoundKinds(kinds, (note,))


def _parts(path: str, messages: Sequence[Any]) -> tuple[str | int, ...]:
    """The parts of a path as users write it; a key of a message may hold dots itself."""
    if any(isinstance(message, dict) and path in message for message in messages):
        return (path,)
    found = tuple(int(match[1]) if match[1] else match[2] for match in _PARTS.finditer(path))
    if not found:
        raise BadInput(f"--kinds '{path}'", "not a path", "write auto, none, type, header.type or [0]")
    return found


def _path(parts: tuple[str | int, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")


def _name(value: Any, by: str) -> str:
    if value is None:
        return f"no {by}"
    return str(value).lower() if isinstance(value, bool) else str(value)
