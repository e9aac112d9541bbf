"""C++ packs shared by all tests here; skipped only where the libraries are not installed, which
`make deps` does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from wirelab.codecs.cpp import toolchain
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import CPP, NEEDS
from wirelab.codecs.pack import Pack
from wirelab.model.errors import BadInput


@pytest.fixture(scope="session", autouse=True)
def _libraries() -> None:
    try:
        toolchain.require(NEEDS[codec.unit] for codec in CPP)
    except BadInput as error:
        pytest.skip(f"{error}: make deps")


@pytest.fixture(scope="session")
def ugly_pack(root: Path) -> Pack:
    """Everything that breaks generators, in every C++ codec."""
    return build_cpp_pack(pack_schemas.UGLY, CPP, root / "target" / "test-packs")
