"""A C++ pack is built once, by one process at a time, and stays readable for its users."""

from __future__ import annotations

import threading
from pathlib import Path
from types import ModuleType

import pytest

from tests.codecs import pack_schemas
from tests.codecs.fake_pack import changed, stand_in
from wirelab.codecs.cpp import build, toolchain
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import CPP

XDR = [codec for codec in CPP if codec.format == "xdr"]
COMPILES = """#!/bin/sh
[ "$1" = -dumpfullversion ] && echo 12.2.0 && exit
echo compiled >> "$COUNT"
while [ "$1" != -o ]; do shift; done
echo compiled > "$2"
"""


@pytest.fixture
def count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The calls of a fake g++, a line each."""
    stand_in(tmp_path, monkeypatch, "g++", COMPILES)
    return tmp_path / "count"


@pytest.mark.matrix
def test_builds_at_the_same_time_build_once(tmp_path: Path, count: Path) -> None:
    arguments = (pack_schemas.GOLDEN, XDR, tmp_path / "cache")
    threads = [threading.Thread(target=build_cpp_pack, args=arguments) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The codec, the pack's own source and three of the runtime; then the pack is linked.
    assert count.read_text() == "compiled\n" * 6
    pack = build_cpp_pack(*arguments)
    assert Path(pack.path).read_text() == "compiled\n"
    assert count.read_text() == "compiled\n" * 6


@pytest.mark.usefixtures("count")
@pytest.mark.parametrize("module", [build, toolchain])
def test_a_change_of_what_compiles_a_pack_is_another_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType
) -> None:
    arguments = (pack_schemas.GOLDEN, XDR, tmp_path / "cache")
    before = build_cpp_pack(*arguments)
    changed(module, tmp_path, monkeypatch)
    assert build_cpp_pack(*arguments).path != before.path
