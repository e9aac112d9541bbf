"""Values of binary formats as JSON values: bytes as base64, times as RFC 3339, keys as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import MAX_CONTAINERS, MAX_MESSAGES, Corpus
from wirelab.schema.json_reader import MAX_DEPTH
from wirelab.schema.lenient_json import DUPLICATE
from wirelab.schema.paths import Part, show
from wirelab.schema.typed_text import ByteText, TimeText
from wirelab.schema.values import is_timestamp

INTEGER_KEYS = "integer keys read as text"
AS_TEXT = "values of other types ({}) read as text"


class Pairs(list[tuple[Any, Any]]):
    """The keys and values of a map in their order, equal keys included."""


class _Wrong(Exception):
    def __init__(self, why: str, next_step: str) -> None:
        super().__init__(why)
        self.why, self.next_step = why, next_step
        self.path: list[Part] = []


Converters = Mapping[type, Callable[[Any], Any]]


def corpus(
    values: Iterable[Any], name: str, lenient: bool, note: str, converters: Converters | None = None
) -> Corpus:
    """The values of a binary file as a corpus. `converters` are those of a format's own types.

    Raises BadInput.
    """
    converter = _Converter(lenient, converters or {})
    messages: list[Any] = []
    for value in values:
        if len(messages) == MAX_MESSAGES:
            raise BadInput(name, f"more than {MAX_MESSAGES:,} messages", "take a sample of some thousand")
        try:
            messages.append(converter.value(value, MAX_DEPTH))
        except _Wrong as wrong:
            place = f"{name}, message {len(messages) + 1}, at {show(reversed(wrong.path))}"
            raise BadInput(place, wrong.why, wrong.next_step) from None
    if not messages:
        raise BadInput(name, "the file has no messages", "give a file with at least one")
    return Corpus(tuple(messages), b"", name, notes=(note, *converter.notes()))


class _Converter:
    def __init__(self, lenient: bool, converters: Converters) -> None:
        self.lenient, self.converters = lenient, converters
        self.oddities: Counter[str] = Counter()
        self.containers = 0

    def notes(self) -> tuple[str, ...]:
        return tuple(f"{what}: {count:,} times" for what, count in self.oddities.items())

    def value(self, value: Any, depth: int) -> Any:
        if isinstance(value, str) or value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, bytes | bytearray | memoryview):
            return ByteText.of(bytes(value))
        if isinstance(value, Mapping | Pairs):
            return self.object(value, self.nested(depth))
        if isinstance(value, list | tuple | set | frozenset):
            unordered = isinstance(value, set | frozenset)
            return self.items(sorted(value, key=repr) if unordered else value, self.nested(depth))
        return self.other(value)

    def nested(self, depth: int) -> int:
        self.containers += 1
        if depth == 0:
            raise _Wrong(f"nested deeper than {MAX_DEPTH} levels", "flatten the message")
        if self.containers > MAX_CONTAINERS:
            raise _Wrong(f"more than {MAX_CONTAINERS:,} lists and objects", "take a smaller sample")
        return depth - 1

    def items(self, values: Iterable[Any], depth: int) -> list[Any]:
        found = []
        for index, value in enumerate(values):
            found.append(self.inside(index, value, depth))
        return found

    def object(self, value: Mapping[Any, Any] | Pairs, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, item in value.items() if isinstance(value, Mapping) else value:
            name = self.key(key)
            if name in found:
                if not self.lenient:
                    raise _Wrong(f"the key {name} is a duplicate", "keep one of the two, or give --lenient")
                self.oddities[DUPLICATE] += 1
            found[name] = self.inside(name, item, depth)
        return found

    def inside(self, part: Part, value: Any, depth: int) -> Any:
        try:
            return self.value(value, depth)
        except _Wrong as wrong:
            wrong.path.append(part)
            raise

    def key(self, key: Any) -> str:
        if isinstance(key, str):
            return key
        if isinstance(key, int) and not isinstance(key, bool):
            self.oddities[INTEGER_KEYS] += 1
            return str(key)
        if isinstance(key, bytes):
            try:
                return key.decode()
            except UnicodeDecodeError:
                pass
        raise _Wrong("a key is neither text nor an integer", "write keys as text")

    def other(self, value: Any) -> Any:
        own = self.converters.get(type(value))
        if own is not None:
            return own(value)
        if isinstance(value, datetime):
            return time_text(value)
        if not isinstance(value, date | time | timedelta):
            self.oddities[AS_TEXT.format(type(value).__name__)] += 1
        return str(value)


def time_text(moment: datetime, ns: int | None = None) -> str:
    """The RFC 3339 text of a moment, with 0, 3, 6 or 9 digits; without an offset if it has none.

    `ns` are those within the second, if the moment's own digits do not suffice.
    """
    ns = moment.microsecond * 1000 if ns is None else ns
    digits = next(one for one in (0, 3, 6, 9) if ns % 10 ** (9 - one) == 0)
    fraction = f".{ns // 10 ** (9 - digits):0{digits}d}" if digits else ""
    if moment.tzinfo is None:
        return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}"
    text = f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}{fraction}Z"
    return TimeText(text) if is_timestamp(text) else text
