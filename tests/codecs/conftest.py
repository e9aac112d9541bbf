"""Packs shared by all tests here: each is built once and kept beside the other build products."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from wirelab.codecs.build import build_pack
from wirelab.codecs.pack import Pack
from wirelab.model.schema import Schema, String

BORROWED = (
    "json/serde_json[strings=borrowed]",
    "json/sonic-rs[strings=borrowed]",
    "cbor/cbor4ii[strings=borrowed]",
    "postcard/postcard[strings=borrowed]",
    "avro/serde_avro_fast[strings=borrowed]",
    "smile/serde-smile[strings=borrowed]",
)


@pytest.fixture(scope="session")
def pack_cache(root: Path) -> Path:
    """The cache of test packs."""
    return root / "target" / "test-packs"


def built(schema: Schema, cache: Path, asked: Sequence[str] = ("all",)) -> Pack:
    """The pack of a schema, whose code compiles without a warning."""

    def heed(line: str) -> None:
        assert "warning" not in line, line

    return build_pack(schema, cache, heed, asked)


@pytest.fixture(scope="session")
def golden_pack(pack_cache: Path) -> Pack:
    """Fields whose numbers and keys are those of the specifications' examples."""
    return built(pack_schemas.GOLDEN, pack_cache)


@pytest.fixture(scope="session")
def ugly_pack(pack_cache: Path) -> Pack:
    """Everything that breaks generators."""
    return built(pack_schemas.UGLY, pack_cache, ("all", *BORROWED))


@pytest.fixture(scope="session")
def text_pack(pack_cache: Path) -> Pack:
    """Messages that are one string."""
    return built(Schema(String()), pack_cache)


@pytest.fixture(scope="session")
def wide_pack(pack_cache: Path) -> Pack:
    """A record of more fields than serde's derived code is used for."""
    return built(pack_schemas.WIDE, pack_cache, ("all", *BORROWED))


@pytest.fixture(scope="session")
def chain_pack(pack_cache: Path) -> Pack:
    """A record that holds itself or nothing."""
    return built(pack_schemas.CHAIN, pack_cache)


@pytest.fixture(scope="session")
def recursive_pack(pack_cache: Path) -> Pack:
    """Records that contain themselves in every way."""
    return built(pack_schemas.RECURSIVE, pack_cache)


@pytest.fixture(scope="session")
def mixed_pack(pack_cache: Path) -> Pack:
    """Unions and tuples."""
    return built(pack_schemas.MIXED, pack_cache)


@pytest.fixture(scope="session")
def free_pack(pack_cache: Path) -> Pack:
    """Values of any type and decimals."""
    return built(pack_schemas.FREE, pack_cache)


@pytest.fixture(scope="session")
def nonfinite_pack(pack_cache: Path) -> Pack:
    """Floats that may be NaN or an infinity."""
    return built(pack_schemas.NONFINITE, pack_cache)
