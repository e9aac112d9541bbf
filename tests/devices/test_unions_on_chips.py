"""Unions and tuples on the chips: literal bytes, values checked there, and the bytes of Rust."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from tests.codecs.test_unions import MESSAGES
from wirelab.codecs.build import build_pack
from wirelab.devices import catalog, codecs
from wirelab.devices.result import Measured
from wirelab.schema.text import load

pytestmark = pytest.mark.first_case

DEVICES = tuple(catalog.devices())
Cost = Callable[..., Measured]

MIXED = pack_schemas.MIXED
LINES = b"".join(json.dumps(message).encode() + b"\n" for message in MESSAGES)
BYTES = {
    # The alternative's number, from 0, then the value: RFC 4506, section 4.15.
    "xdr/wirelab": ["00000000 00000007", "00000001 00000001 78000000", "00000002 00000001 00000002"],
    # A oneof in a message: field 1, 2 or 3. The list is wrapped in a message with the field 1.
    "protobuf/nanopb": ["0a02 0807", "0a03 120178", "0a05 1a03 0a01 02"],
    "cbor/tinycbor": ["a1 6176 07", "a1 6176 6178", "a1 6176 81 02"],
    "msgpack/mpack": ["81 a176 07", "81 a176 a178", "81 a176 91 02"],
    "json/arduinojson": [b'{"v":7}'.hex(), b'{"v":"x"}'.hex(), b'{"v":[2]}'.hex()],
}
PAIRS = {
    "xdr/wirelab": "xdr/rfc4506",
    "protobuf/nanopb": "protobuf/prost",
    "cbor/tinycbor": "cbor/ciborium",
    "msgpack/mpack": "msgpack/rmp-serde",
}

TWO = load("""\
root = "Message0"
[record.Point]
x = "int 0..9"
[record.Place]
x = "int 0..9"
y = "int 0..9"
[record.Message0]
v = "Point|Place"
""")


@pytest.mark.parametrize("codec", BYTES)
@pytest.mark.parametrize("device", DEVICES)
def test_every_chip_writes_the_bytes_of_a_union(cost: Cost, device: str, codec: str) -> None:
    measured = cost(device, codec, b'{"v":7}\n{"v":"x"}\n{"v":[2]}\n')
    assert str(measured.verdict) == "valid"
    assert [one.bytes for one in measured.messages] == [text.replace(" ", "") for text in BYTES[codec]]


@pytest.mark.parametrize("codec", codecs.CODECS)
@pytest.mark.parametrize("device", ["riscv32", "stm32f4", "msp430", "esp8266"])
def test_every_alternative_comes_back_as_what_it_was(cost: Cost, device: str, codec: str) -> None:
    measured = cost(device, codec, LINES, given=MIXED)
    assert str(measured.verdict) == "valid"
    assert len(measured.messages) == len(MESSAGES)


@pytest.mark.parametrize("codec", PAIRS)
def test_a_chip_writes_the_bytes_of_the_codec_in_rust(cost: Cost, root: Path, codec: str) -> None:
    pack = build_pack(MIXED, root / "target" / "test-packs", None, ("all",))
    session = Library(pack.path, MESSAGES).session(PAIRS[codec])
    measured = cost("riscv32", codec, LINES, given=MIXED)
    # ciborium writes a float in the fewest bytes that hold it, tinycbor in those of its type.
    alike = [i for i, m in enumerate(MESSAGES) if codec != "cbor/tinycbor" or "0.5" not in json.dumps(m)]
    assert [measured.messages[i].bytes for i in alike] == [session.encode(i).hex() for i in alike]
    assert len(alike) > 10


@pytest.mark.parametrize("codec", codecs.CODECS)
def test_of_two_objects_the_one_with_the_keys_of_the_message_is_read(cost: Cost, codec: str) -> None:
    measured = cost("riscv32", codec, b'{"v":{"x":1,"y":2}}\n{"v":{"x":1}}\n', given=TWO)
    assert str(measured.verdict) == "valid"
