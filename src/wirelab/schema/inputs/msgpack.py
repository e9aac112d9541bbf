"""MessagePack: one value after another, through msgpack."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgpack

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import Corpus
from wirelab.schema.inputs import values
from wirelab.schema.json_reader import MAX_DEPTH

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read(data: bytes, name: str, lenient: bool) -> Corpus:
    """The corpus in MessagePack. Raises BadInput."""
    times = {msgpack.Timestamp: _time}
    return values.corpus(_items(data, name), name, lenient, "read as MessagePack", times)


def _items(data: bytes, name: str) -> Iterator[Any]:
    unpacker = msgpack.Unpacker(
        raw=False,
        strict_map_key=False,
        object_pairs_hook=values.Pairs,
        ext_hook=_extension,
        max_buffer_size=len(data),
    )
    unpacker.feed(data)
    at = 0
    while at < len(data):
        try:
            value = unpacker.unpack()
        except msgpack.OutOfData:
            raise _broken(name, at, "it ends beyond the file") from None
        except (msgpack.StackError, RecursionError):
            raise _broken(name, at, f"nested deeper than {MAX_DEPTH} levels") from None
        except (ValueError, TypeError, OverflowError, msgpack.UnpackException) as error:
            raise _broken(name, at, str(error) or type(error).__name__) from None
        at = unpacker.tell()
        yield value


def _broken(name: str, at: int, why: str) -> BadInput:
    step = "correct it, or name its format with --input-format"
    return BadInput(name, f"not MessagePack in the value at byte {at}: {why}", step)


def _extension(_: int, data: bytes) -> bytes:
    """The bytes of an extension type."""
    return data


def _time(value: Any) -> str:
    try:
        return values.time_text(_EPOCH + timedelta(seconds=value.seconds), value.nanoseconds)
    except OverflowError:
        return str(value)
