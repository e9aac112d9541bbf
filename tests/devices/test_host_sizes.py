"""Sizes in formats without a C codec here, against bytes counted by hand."""

from wirelab.devices import host_sizes
from wirelab.devices.capnp_size import packed_size
from wirelab.schema import payload
from wirelab.schema.check import typed_messages
from wirelab.schema.inference import infer


def size(name: str, text: bytes) -> int:
    corpus = payload.parse(text, "one.json")
    schema = infer(corpus)
    (only,) = host_sizes.sizes(name, schema, list(typed_messages(corpus, schema)))
    return only


def test_bson_of_hello_world_has_the_22_bytes_of_its_specification() -> None:
    assert size("bson", b'{"hello":"world"}') == 22


def test_bson_writes_a_list_as_a_document_with_numbers_for_keys() -> None:
    assert size("bson", b'{"BSON":[5,1986]}') == 4 + 1 + 5 + (4 + (1 + 2 + 4) + (1 + 2 + 4) + 1) + 1


def test_ubjson_spends_a_marker_on_every_value() -> None:
    # { U 1 a U 5 } : 1 + 2+1 + 2 + 1
    assert size("ubjson", b'{"a":5}') == 7
    assert size("ubjson", b'{"a":"bc"}') == 1 + 3 + 1 + 2 + 2 + 1


def test_thrift_spends_three_bytes_on_every_field_and_one_on_the_end() -> None:
    assert size("thrift", b'{"a":5}') == 3 + 4 + 1
    assert size("thrift", b'{"a":[1,2],"b":"xy"}') == 3 + 5 + 8 + 3 + 4 + 2 + 1


def test_xdr_pads_to_four_bytes() -> None:
    assert size("xdr", b'{"a":5,"b":"abcde"}') == 4 + 4 + 8


def test_capnp_packing_follows_the_example_of_its_specification() -> None:
    assert packed_size(bytes.fromhex("0800000003000200" + "19000000aa010000")) == 8


def test_capnp_packing_joins_zero_words_and_full_words() -> None:
    assert packed_size(bytes(32)) == 2
    assert packed_size(b"\x01" * 24) == 1 + 8 + 1 + 16


def test_capnp_of_one_small_number_is_a_segment_table_a_pointer_and_a_word() -> None:
    # table: 0, 2 words -> tag + 1; root pointer 4, 1 data word, 0 pointers -> tag + 2... ; data 5 -> tag + 1
    assert size("capnp", b'{"a":5}') == 2 + 3 + 2
