"""NaN and infinities in every Rust codec: they come back where the format has them, and as NaN
where its library writes null.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.pack import Pack
from wirelab.codecs.registry import RUST, codecs_for, skipped

NONFINITE = pack_schemas.NONFINITE
NULLED = ("json/serde_json", "json/sonic-rs")
CARRIED = tuple(codec.name for codec in RUST if codec.name not in (*NULLED, "uper/rasn"))
WHOLE: dict[str, Any] = {
    "t": "-Infinity",
    "short": "Infinity",
    "many": ["NaN", 1.5, None, "Infinity"],
    "by_name": {"a": "NaN", "b": -0.5},
    "either": "Infinity",
    "maybe": "NaN",
}
MESSAGES: list[Any] = [{"t": "NaN"}, {"t": 2.5, "either": "x", "maybe": None}, WHOLE]


@pytest.fixture(scope="module")
def library(nonfinite_pack: Pack) -> Library:
    return Library(nonfinite_pack.path, MESSAGES)


def without_null(message: Any) -> Any:
    return {key: one for key, one in message.items() if one is not None}


@pytest.mark.parametrize("codec", CARRIED)
def test_nan_and_infinities_come_back(library: Library, codec: str) -> None:
    session = library.session(codec)
    returned = [session.message(session.encode(index)) for index in range(len(MESSAGES))]
    assert list(map(without_null, returned)) == list(map(without_null, MESSAGES))


@pytest.mark.parametrize("codec", NULLED)
def test_json_writes_null_and_reads_it_as_nan(library: Library, codec: str) -> None:
    session = library.session(codec)
    assert session.encode(0) == b'{"t":null}'
    assert session.message(b'{"t":null}') == {"t": "NaN"}
    assert session.message(session.encode(2)) == {
        "t": "NaN",
        "many": [None, 1.5, None, None],
        "by_name": {"a": "NaN", "b": -0.5},
        "maybe": None,
    }


def test_the_loss_of_json_is_named_and_asn1_is_left_out(nonfinite_pack: Pack) -> None:
    infos = {info.name: info.losses for info in nonfinite_pack.codecs}
    named = tuple(loss for loss in infos["json/serde_json"] if "NaN" in loss)
    assert named[:3] == (
        "NaN and infinities at t",
        "NaN and infinities at short",
        "NaN and infinities at many[]",
    )
    assert not any("NaN" in loss for loss in infos["cbor/ciborium"])
    assert "uper/rasn" not in {codec.name for codec in codecs_for(NONFINITE)}
    assert skipped(NONFINITE)["uper/rasn"] == (
        "wirelab has no NaN and infinities for this codec: float nonfinite at t"
    )


def test_the_checksum_is_the_same_in_every_format(library: Library) -> None:
    sessions = [library.session(codec) for codec in CARRIED]
    sums = {tuple(one.decode(one.encode(index)) for one in sessions) for index in range(len(MESSAGES))}
    assert all(len(set(found)) == 1 for found in sums)


GOLDEN_BYTES = [
    ("cbor/ciborium", "a1 61 74 f97e00"),  # RFC 8949, appendix A: NaN
    ("msgpack/rmp-serde", "81 a1 74 cb 7ff8000000000000"),
    ("bson/bson", "10000000 01 7400 000000000000f87f 00"),
    ("yaml/serde-saphyr", b"t: .nan\n".hex()),
    ("protobuf/prost", "09 000000000000f87f"),
    ("postcard/postcard", "000000000000f87f 00 00 00 00 00"),
    ("xml/quick-xml", b"<Reading><t>NaN</t></Reading>".hex()),  # XML Schema, part 2, section 3.2.5
]


@pytest.mark.parametrize(("codec", "expected"), GOLDEN_BYTES)
def test_nan_has_the_bytes_of_its_format(library: Library, codec: str, expected: str) -> None:
    assert library.session(codec).encode(0).hex() == expected.replace(" ", "")


@pytest.mark.parametrize("text", ["nan", "inf", "x"])
def test_other_text_is_no_float(nonfinite_pack: Pack, text: str) -> None:
    with pytest.raises(Refused, match="a number, NaN or an infinity"):
        Library(nonfinite_pack.path, [{"t": text}])
