"""CBOR through minicbor: bytes of RFC 8949, and messages that come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.conftest import built
from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.pack import Pack

CODEC = "cbor/minicbor"


@pytest.fixture(scope="module")
def pack(pack_cache: Path) -> Pack:
    return built(pack_schemas.GOLDEN, pack_cache, (CODEC,))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # RFC 8949, appendix A; floats keep 64 bits.
        ({"a": 1000000000000}, "a1 61 61 1b 00 00 00 e8 d4 a5 10 00"),
        ({"f": 1.5}, "a1 61 66 fb 3f f8 00 00 00 00 00 00"),
        ({"f": None}, "a1 61 66 f6"),
        ({"b": "IETF"}, "a1 61 62 64 49 45 54 46"),
        ({"e": [1, 2, 3]}, "a1 61 65 83 01 02 03"),
        ({"m": {}}, "a1 61 6d a0"),
    ],
)
def test_minicbor_writes_the_examples_of_rfc_8949_and_reads_them(
    pack: Pack, message: Any, expected: str
) -> None:
    session = Library(pack.path, [message]).session(CODEC)
    written = bytes.fromhex(expected)
    assert session.encode(0) == written
    assert session.message(written) == message


@pytest.mark.parametrize("damaged", ["a1 61 61", "a1 61 62 64 49 45 54 46 00", "80", "ff"])
def test_minicbor_refuses_a_message_that_is_cut_or_goes_on_or_is_another(pack: Pack, damaged: str) -> None:
    session = Library(pack.path, [{"a": 1}]).session(CODEC)
    with pytest.raises(Refused):
        session.decode(bytes.fromhex(damaged))
