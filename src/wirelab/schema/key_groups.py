"""Groups of messages by the keys that they share, for kinds without a discriminator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirelab.schema.columns import is_data_key, is_map, spread

MOST_KEY_SETS = 64
SHARED = 0.5
"""Two sets of keys are of one kind if this share of the smaller one is in both."""
LEAST_KEYS = 2


def key_groups(messages: Sequence[Any]) -> list[str]:
    """For each object a name of its kind; empty if all objects are of one kind.

    Kinds have at least LEAST_KEYS keys. They are named after the first two keys of their own.
    """
    if not isinstance(messages[0], dict) or is_map(spread(messages), len(messages)):
        return []
    keys = [frozenset("{}" if is_data_key(key) else key for key in message) for message in messages]
    distinct = list(dict.fromkeys(keys))
    if not 2 <= len(distinct) <= MOST_KEY_SETS:
        return []
    groups: list[set[frozenset[str]]] = []
    for one in distinct:
        near = [group for group in groups if any(_alike(one, other) for other in group)]
        groups = [group for group in groups if group not in near] + [{one}.union(*near)]
    if len(groups) < 2 or any(max(map(len, group)) < LEAST_KEYS for group in groups):
        return []
    wholes = [frozenset().union(*group) for group in groups]
    at = {one: index for index, group in enumerate(groups) for one in group}
    names: dict[int, str] = {}
    for message, one in zip(messages, keys, strict=True):
        others = frozenset().union(*(whole for k, whole in enumerate(wholes) if k != at[one]))
        own = [key for key in message if key not in others]
        names.setdefault(at[one], "+".join(own[:2]) or f"kind {at[one] + 1}")
    return [names[at[one]] for one in keys]


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= SHARED * min(len(one), len(other))
