"""Losses of a format are named with their path."""

from __future__ import annotations

import pytest

from wirelab.codecs.formats import formats
from wirelab.schema.losses import losses
from wirelab.schema.text import load

SCHEMA = load("""\
root = "Status"
[record.Status]
trips = "list<Trip>?"
marks = "map<list<int 0..1>|null>|null"
id = "int 0..18446744073709551615"
speed = "float32"
last = "Trip"
first-name = "string"
[record.Trip]
stop = "string|null?"
""")


@pytest.mark.parametrize(
    ("format_name", "expected"),
    [
        ("json", ("float digits beyond 32 bits at speed",)),
        ("cbor", ("float digits beyond 32 bits at speed",)),
        ("msgpack", ("float digits beyond 32 bits at speed",)),
        (
            "protobuf",
            (
                "[] against absent at trips",
                "null against absent at trips[].stop",
                "{} against null at marks",
                "[] against null at marks{}",
                "float digits beyond 32 bits at speed",
            ),
        ),
        (
            "flatbuffers",
            (
                "null against absent at trips[].stop",
                "float digits beyond 32 bits at speed",
                'key name "first-name" at first-name',
            ),
        ),
        (
            "avro",
            (
                "null against absent at trips[].stop",
                "integers above 2^63-1 at id",
                "float digits beyond 32 bits at speed",
            ),
        ),
    ],
)
def test_the_losses_of_a_format_are_named(format_name: str, expected: tuple[str, ...]) -> None:
    assert losses(SCHEMA, formats()[format_name].traits) == expected


@pytest.mark.parametrize("format_name", formats())
def test_a_plain_record_loses_nothing(format_name: str) -> None:
    schema = load('root = "R"\n[record.R]\na = "int 0..9?"\nfirstName = "string|null"\nb = "list<float>"\n')
    assert losses(schema, formats()[format_name].traits) == ()


def test_a_root_that_may_be_null_or_empty_is_called_dollar() -> None:
    assert losses(load('root = "list<string>|null"'), formats()["protobuf"].traits) == (
        "[] against null at $",
    )
