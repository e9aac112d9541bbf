"""What a .proto has beyond messages: services and custom options, which no format carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirelab.schema.importers.protobuf_files import Files

MAX_NAMED = 10
_FILE = "google.protobuf.FileDescriptorProto"


def left_out(files: Files) -> tuple[str, ...]:
    """A note for services and one for custom options, if the file or set itself has some."""
    services = [f"service {name}" for file in files.own for name in file.services_by_name]
    options = list(dict.fromkeys(name for file in files.own for name in _options(file)))
    found = [*services, *(f"option {name}" for name in options)]
    if not found:
        return ()
    more = f" and {len(found) - MAX_NAMED:,} more" if len(found) > MAX_NAMED else ""
    return (f"left out, no part of a message: {', '.join(found[:MAX_NAMED])}{more}",)


def _options(file: Any) -> Iterator[str]:
    """The custom options of a file. They are extensions of the messages in descriptor.proto."""
    from google.protobuf import message_factory  # noqa: PLC0415

    try:
        kind = file.pool.FindMessageTypeByName(_FILE)
    except KeyError:  # custom options need an import of descriptor.proto
        return
    yield from _extensions(message_factory.GetMessageClass(kind).FromString(file.serialized_pb))


def _extensions(message: Any) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.is_extension:
            yield f"({field.full_name})"
        elif field.message_type is not None:
            for one in value if field.is_repeated else (value,):
                yield from _extensions(one)
