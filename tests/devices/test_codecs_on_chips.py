"""Codecs on the chips: literal bytes, and values checked there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wirelab.devices import catalog
from wirelab.devices.result import Measured

pytestmark = pytest.mark.first_case

DEVICES = tuple(catalog.devices())
CODECS = ("xdr/wirelab", "protobuf/nanopb", "cbor/tinycbor")
WIDE = tuple(name for name, chip in catalog.devices().items() if chip.double_bits == 64)
Cost = Callable[..., Measured]

PLAIN = b'{"id":300,"on":true,"name":"abc","low":-2}\n'
BYTES = {
    "xdr/wirelab": "0000012c 00000001 00000003 61626300 fffffffe",
    "protobuf/nanopb": "08ac02 1001 1a03616263 2003",
    "cbor/tinycbor": "a4 626964 19012c 626f6e f5 646e616d65 63616263 636c6f77 21",
}

# Everything at once: absent, null, both, lists, an empty list, sub-objects, lists of objects, a
# map, a list of lists, 64 bits.
RICH = (
    b'{"a":1,"b":null,"c":[1,-2,3],"d":[],"e":{"x":1,"y":[{"z":"q"},{"z":""}]},'
    b'"m":{"2020-01-01":4,"2020-01-02":5,"2020-01-03":6},"n":[[1],[],[2,3]],"big":18446744073709551615,"t":"z"}\n'
    b'{"a":70000,"b":"there","c":[],"d":[],"e":{"x":0,"y":[]},"m":{"2020-01-04":0},"n":[],"big":0,"t":"\\u00e9 ?\\"\\\\","o":null}\n'
    b'{"a":0,"b":"","c":[0],"d":[],"e":{"x":255,"y":[{"z":"w"}]},"m":{},"n":[[9,9,9]],"big":1,"t":"","o":7}\n'
)


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("device", DEVICES)
def test_every_chip_writes_the_same_literal_bytes(cost: Cost, device: str, codec: str) -> None:
    measured = cost(device, codec, PLAIN)
    assert str(measured.verdict) == "valid"
    assert measured.messages[0].bytes == BYTES[codec].replace(" ", "")


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("device", DEVICES)
def test_rich_messages_come_back_with_every_value(cost: Cost, device: str, codec: str) -> None:
    measured = cost(device, codec, RICH)
    assert str(measured.verdict) == "valid"
    assert len(measured.messages) == 3


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("device", WIDE)
def test_64_bit_floats_are_exact_where_a_double_has_64_bits(cost: Cost, device: str, codec: str) -> None:
    measured = cost(device, codec, b'{"v":0.1}\n')
    assert str(measured.verdict) == "valid"
    assert (
        "3fb999999999999a" in measured.messages[0].bytes or "9a9999999999b93f" in measured.messages[0].bytes
    )
    assert measured.notes == ()


@pytest.mark.parametrize(
    ("codec", "bytes_"),
    [
        ("xdr/wirelab", "3fb99999a0000000"),
        ("protobuf/nanopb", "09000000a09999b93f"),
        ("cbor/tinycbor", "a16176fa3dcccccd"),
    ],
)
def test_an_avr_writes_its_32_bit_value_with_a_note(cost: Cost, codec: str, bytes_: str) -> None:
    measured = cost("atmega328p", codec, b'{"v":0.1}\n')
    assert measured.messages[0].bytes == bytes_
    assert measured.notes == ("float digits beyond 32 bits are lost: double has 32 bits on this chip",)


def test_a_list_as_message_is_carried(cost: Cost) -> None:
    assert cost("atmega328p", "xdr/wirelab", b"[1,2,3]\n[4]\n").messages[1].bytes == "0000000100000004"


def test_a_record_without_keys_takes_the_int_that_xdr_needs(cost: Cost) -> None:
    assert cost("atmega328p", "xdr/wirelab", b'{"a":{}}\n').messages[0].bytes == "00000000"


@pytest.mark.parametrize(
    ("codec", "bytes_"),
    [
        ("xdr/wirelab", ["0000000100000000", "0000000100000000", "000000010000000100000000"]),
        ("protobuf/nanopb", ["0801", "0801", "08011000"]),
        ("cbor/tinycbor", ["a1616101", "a26161016162f6", "a2616101616200"]),
    ],
)
def test_absent_null_and_zero_are_written_apart_where_the_format_can(
    cost: Cost, codec: str, bytes_: list[str]
) -> None:
    measured = cost("atmega328p", codec, b'{"a":1}\n{"a":1,"b":null}\n{"a":1,"b":0}\n')
    assert [message.bytes for message in measured.messages] == bytes_


@pytest.mark.parametrize(
    ("codec", "bytes_"),
    [
        ("xdr/wirelab", "00000172d36c7f41 0000000100000001 ffffffff7ffffffe 404a428fa0000000"),
        ("protobuf/nanopb", "08 c1feb19bad2e 10 8180808010 18 8380808010 21 000000a08f424a40"),
        (
            "cbor/tinycbor",
            "a4 6174 1b00000172d36c7f41 626964 1b0000000100000001 616e 3a80000001 6161 fa4252147d",
        ),
    ],
)
def test_an_avr_keeps_every_bit_of_whole_numbers_and_names_the_digits_a_float_loses(
    cost: Cost, codec: str, bytes_: str
) -> None:
    line = b'{"t":1592685002561,"id":4294967297,"n":-2147483650,"a":52.520008}\n'
    measured = cost("atmega328p", codec, line)
    assert str(measured.verdict) == "valid"
    assert measured.messages[0].bytes == bytes_.replace(" ", "")
    assert measured.notes == ("float digits beyond 32 bits are lost: double has 32 bits on this chip",)
