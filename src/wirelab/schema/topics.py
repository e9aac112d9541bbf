"""Topics as kinds: levels that differ between topics of one shape are `+`, as in MQTT's filters."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.schema.shapes import Shape


def topic_patterns(names: Sequence[str], shapes: Sequence[Shape]) -> list[str]:
    """Names in which the levels that distinguish messages of one shape are `+`.

    Names without levels stay unchanged. MQTT 5, section 4.7, defines levels and `+`.
    """
    groups: dict[tuple[int, Shape], set[str]] = {}
    for name, one in zip(names, shapes, strict=True):
        if "/" in name:
            groups.setdefault((name.count("/"), one), set()).add(name)
    patterns: dict[str, str] = {}
    for group in groups.values():
        levels = zip(*(name.split("/") for name in group), strict=True)
        pattern = "/".join(column[0] if len(set(column)) == 1 else "+" for column in levels)
        patterns |= dict.fromkeys(group - patterns.keys(), pattern)
    return [patterns.get(name, name) for name in names]
