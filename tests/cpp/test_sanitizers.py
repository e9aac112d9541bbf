"""The runtime and the codecs under sanitizers, with arbitrary bytes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.cpp.test_recursion import MESSAGES, TREE
from wirelab.codecs.cpp import build, toolchain
from wirelab.codecs.cpp.registry import CPP, NEEDS
from wirelab.model.schema import Schema

pytestmark = pytest.mark.matrix

# Thrift's headers load a damaged type into an enum before they check it.
SANITIZERS = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize=enum", "-fno-sanitize-recover=all")
OURS = ("json/rapidjson", "bson/libbson", "xdr/generated-cpp")
EACH = (
    *OURS,
    "json/jsoncpp",
    "msgpack/msgpack-cxx",
    "protobuf/protobuf-cpp-dom",
    "flatbuffers/flatbuffers-cpp",
)
FREE = {
    "extra": [{"b": [1, 0.5], "a": "x"}, None, True],
    "amount": 273.15,
    "rest": ["text"],
    "prices": {"a": 1e-7},
}
EACH += ("thrift/thrift-cpp-compact", "capnp/capnp-cpp")


@pytest.mark.parametrize(
    ("schema", "message", "names"),
    [
        pytest.param(pack_schemas.UGLY, pack_schemas.FULL, OURS, id="every type"),
        pytest.param(pack_schemas.MIXED, pack_schemas.MIXED_REPORT, EACH, id="unions"),
        pytest.param(pack_schemas.FREE, FREE, [name for name in EACH if name != "json/jsoncpp"], id="any"),
        pytest.param(TREE, MESSAGES[3], (*OURS, "flatbuffers/flatbuffers-cpp"), id="recursion"),
    ],
)
def test_damaged_bytes_are_refused_without_a_fault_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: Schema, message: Any, names: Sequence[str]
) -> None:
    codecs = [codec for codec in CPP if codec.name in names]
    flags = [*toolchain.FLAGS, *SANITIZERS]
    monkeypatch.setattr(toolchain, "FLAGS", tuple(flags))
    program, needs = tmp_path / "driver", [NEEDS[codec.unit] for codec in codecs]

    def link(_: object, folder: Path, objects: Sequence[Path]) -> None:
        libraries = dict.fromkeys(library for need in needs for library in need.libraries)
        driver = Path(__file__).parent / "driver.cpp"
        subprocess.run(["g++", *flags, driver, *objects, "-o", program, *libraries], check=True)

    monkeypatch.setattr(build._Builder, "link", link)
    build._Builder(schema, tuple(codecs), tmp_path, None).build()
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(message))
    env = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1"}
    done = subprocess.run([program, corpus, *names], capture_output=True, text=True, check=False, env=env)
    # libprotobuf logs texts that are not UTF-8.
    faults = [line for line in done.stderr.splitlines() if not line.startswith("[libprotobuf")]
    assert (done.returncode, faults) == (0, [])
    refused = dict(line.split() for line in done.stdout.splitlines())
    assert refused.keys() == set(names)
    assert all(int(refused[name]) > 500 for name in names), refused
