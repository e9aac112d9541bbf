"""`any` and `decimal` on the chips: the texts and bytes of the packs, and what cannot carry them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.test_free_types import GOLDEN_BYTES, MESSAGES
from wirelab.devices import catalog, codecs
from wirelab.devices.free_text import any_text, decimal_text
from wirelab.devices.result import Measured
from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.schema.numerals import Numeral
from wirelab.schema.text import load

Cost = Callable[..., Measured]
FREE = pack_schemas.FREE
AMOUNTS = load('root = "Order"\n[record.Order]\namount = "decimal"\nprices = "list<decimal|null>?"\n')
PAIRS = {"xdr/wirelab": "xdr/rfc4506", "protobuf/nanopb": "protobuf/prost"}
EXPECTED = {
    "xdr/wirelab": "00000004 312e3030 00000000",
    "protobuf/nanopb": "0a04 312e3030",
    "msgpack/mpack": "81 a6 616d6f756e74 a4 312e3030",
    "cbor/tinycbor": "a1 66 616d6f756e74 64 312e3030",
}


@pytest.mark.parametrize("codec", PAIRS)
@pytest.mark.parametrize("device", tuple(catalog.devices()))
def test_every_chip_writes_the_bytes_of_any_and_decimal(cost: Cost, device: str, codec: str) -> None:
    golden = [(value, data) for name, value, data in GOLDEN_BYTES if name == PAIRS[codec]]
    fields = {"273.15": b'{"amount":273.15}\n', "[null,true]": b'{"extra":[null,true]}\n'}
    measured = cost(device, codec, b"".join(fields[value] for value, _ in golden), given=FREE)
    assert str(measured.verdict) == "valid"
    assert [bytes.fromhex(one.bytes) for one in measured.messages] == [bytes.fromhex(b) for _, b in golden]


@pytest.mark.parametrize("codec", PAIRS)
def test_values_of_any_type_and_maps_of_decimals_come_back(cost: Cost, codec: str) -> None:
    measured = cost("riscv32", codec, MESSAGES, given=FREE)
    assert str(measured.verdict) == "valid"
    assert len(measured.messages) == 7


@pytest.mark.parametrize("codec", EXPECTED)
def test_the_digits_of_a_decimal_are_text(cost: Cost, codec: str) -> None:
    measured = cost("riscv32", codec, b'{"amount":1.00}\n{"amount":7,"prices":[0.50,null]}\n', given=AMOUNTS)
    assert str(measured.verdict) == "valid"
    assert measured.messages[0].bytes == EXPECTED[codec].replace(" ", "")


@pytest.mark.parametrize(
    ("codec", "why"),
    [
        ("msgpack/mpack", "no structure in C holds a value of any type but as text: any at extra"),
        ("cbor/tinycbor", "no structure in C holds a value of any type but as text: any at extra"),
        ("json/arduinojson", "no structure in C holds a value of any type but as text: any at extra"),
    ],
)
def test_codecs_that_cannot_carry_any_are_refused_with_the_place(
    tmp_path: Path, codec: str, why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        generate(codec, FREE, {"extra": 1}, tmp_path)


def test_arduinojson_keeps_no_digits(tmp_path: Path) -> None:
    why = "the library does not keep the digits of a number: decimal at amount"
    with pytest.raises(BadInput, match=why):
        generate("json/arduinojson", AMOUNTS, {"amount": Numeral("1.00")}, tmp_path)


def generate(codec: str, schema: Schema, message: dict[str, Any], folder: Path) -> None:
    """Write the C files of a codec ; no library is needed."""
    codecs.generate(codecs.CODECS[codec], catalog.device("riscv32"), schema, [message], [0], {}, folder, 0)


def test_texts_are_those_of_the_packs() -> None:
    values = [None, {"a": [1e16, 1e15, 0.00001, 1e-6, -0.0, 0.1, 123456789012345678.0], "b": "é\x1f\n"}, 7]
    shown = '[null,{"a":[1e+16,1000000000000000.0,0.00001,1e-6,-0.0,0.1,1.2345678901234568e+17],'
    assert any_text(values) == shown + '"b":"é\\u001f\\n"},7]'
    assert [decimal_text(value) for value in (Numeral("12e1"), Numeral("-0.00"), 5, 1e-07)] == [
        "1.2E+2",
        "-0.00",
        "5",
        "1E-7",
    ]


def test_every_codec_on_devices_carries_or_names_them() -> None:
    assert {name for name, codec in codecs.CODECS.items() if codec.free_types} == EXPECTED.keys()
