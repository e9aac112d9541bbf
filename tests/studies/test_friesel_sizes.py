"""Bytes of the objects of friesel2021, against bytes counted by hand from the specifications."""

from __future__ import annotations

import json

import pytest

from wirelab.schema import payload
from wirelab.schema.check import typed_messages
from wirelab.schema.inference import infer
from wirelab_reproductions.friesel2021.measurement import Cell, xdr_size
from wirelab_reproductions.friesel2021.sizes import Object, mean_sizes


def sizes(text: str) -> dict[str, float]:
    corpus = payload.parse(text.encode(), "one.json")
    schema = infer(corpus)
    (message,) = typed_messages(corpus, schema)
    return mean_sizes([Object("one", schema, message)])


@pytest.mark.matrix
def test_bson_and_ubjson_have_the_bytes_of_their_specifications() -> None:
    # BSON: the example of bsonspec.org. UBJSON: { i 5 hello S i 5 world }
    hello = sizes('{"hello":"world"}')
    assert (hello["bson"], hello["ubjson"]) == (22, 1 + 2 + 5 + 3 + 5 + 1)
    listed = sizes('{"BSON":[5,1986]}')
    assert listed["bson"] == 4 + 1 + 5 + (4 + (1 + 2 + 4) + (1 + 2 + 4) + 1) + 1
    assert sizes('{"a":5}')["ubjson"] == 1 + 3 + 2 + 1


def test_thrift_spends_three_bytes_on_every_field_and_one_on_the_end() -> None:
    assert sizes('{"a":5}')["thrift"] == 3 + 4 + 1
    assert sizes('{"a":[1,2],"b":"xy"}')["thrift"] == 3 + 5 + 8 + 3 + 4 + 2 + 1


def test_capnp_of_one_small_number_is_a_segment_table_a_pointer_and_a_word() -> None:
    # Packed, each word has a byte for its tag: table 1 + 1, pointer 1 + 1, data 1 + 1.
    assert sizes('{"a":5}')["capnp"] == 2 + 2 + 2


def test_the_formats_of_the_preview_are_encoded_too() -> None:
    found = sizes('{"a":5}')
    assert {name: found[name] for name in ("json", "cbor", "msgpack", "protobuf", "avro")} == {
        "json": len(json.dumps({"a": 5}, separators=(",", ":"))),
        "cbor": 1 + 2 + 1,
        "msgpack": 1 + 2 + 1,
        "protobuf": 2,
        "avro": 1,
    }


def test_the_bytes_of_xdr_are_those_measured_where_all_objects_ran() -> None:
    cells = [
        Cell("avr", "xdr/wirelab", "cycles", 10, 11, bytes=40.0),
        Cell("arm", "protobuf/nanopb", "cycles", 11, 11, bytes=41.0),
        Cell("arm", "xdr/wirelab", "cycles", 11, 11, bytes=45.0),
    ]
    assert xdr_size(cells) == {"xdr": 45.0}
    assert xdr_size(cells[:2]) == {}
