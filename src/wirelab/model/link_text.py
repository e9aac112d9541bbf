"""A link text as its items.

The emulator defines their meaning (docs/reference/link-language.md).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from msgspec import Struct


class LinkItem(Struct, frozen=True):
    """A setting (`up.loss=5%`), or without a key a profile, a trace file or a modifier."""

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}" if self.key else self.value


class LinkText(Struct, frozen=True):
    """The items of a link text in their order. `str` of it is the text again."""

    items: tuple[LinkItem, ...]

    def __str__(self) -> str:
        return ",".join(map(str, self.items))

    def values(self, setting: str) -> list[str]:
        """The values given for a setting, of both directions or of one."""
        keys = (setting, f"up.{setting}", f"down.{setting}")
        return [item.value for item in self.items if item.key in keys]

    def file_names(self) -> list[str]:
        """What may name a file: every value with `/` or `.` in it."""
        return [item.value for item in self.items if set(item.value) & set("/.")]

    def with_files(self, paths: Mapping[str, str]) -> LinkText:
        """The same link, with each file at its new path."""
        return LinkText(tuple(LinkItem(item.key, paths.get(item.value, item.value)) for item in self.items))


@functools.lru_cache(maxsize=1024)
def parse_link_text(text: str) -> LinkText:
    """Split a link text at the commas outside parentheses, and each setting at its `=`.

    No text is refused here: `wirelab-link` checks it when a study is planned.
    """
    pairs = (item.partition("=") for item in _split_items(text))
    return LinkText(
        tuple(LinkItem(key, value) if equals else LinkItem("", key) for key, equals, value in pairs)
    )


def _split_items(text: str) -> Iterator[str]:
    depth = start = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    yield text[start:].strip()
