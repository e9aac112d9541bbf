"""What a format cannot carry is named with its path."""

from __future__ import annotations

import pytest

from wirelab.model.errors import BadInput
from wirelab.schema.losses import FORMATS, losses
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
    assert losses(SCHEMA, format_name) == expected


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_plain_record_loses_nothing(format_name: str) -> None:
    schema = load('root = "R"\n[record.R]\na = "int 0..9?"\nfirstName = "string|null"\nb = "list<float>"\n')
    assert losses(schema, format_name) == ()


def test_a_root_that_may_be_null_or_empty_is_called_dollar() -> None:
    assert losses(load('root = "list<string>|null"'), "protobuf") == ("[] against null at $",)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(BadInput, match="format 'toml': not known; choose one of json, cbor"):
        losses(SCHEMA, "toml")
