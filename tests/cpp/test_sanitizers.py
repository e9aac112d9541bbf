"""The runtime and our own codecs under sanitizers, with arbitrary bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from wirelab.codecs.cpp import model, toolchain
from wirelab.codecs.cpp.generator import pack, unit
from wirelab.codecs.cpp.registry import CPP, NEEDS

pytestmark = pytest.mark.matrix

OURS = ("json/rapidjson", "bson/libbson", "xdr/generated-cpp")


def test_damaged_bytes_are_refused_without_a_fault_of_memory(tmp_path: Path) -> None:
    codecs = [codec for codec in CPP if codec.name in OURS]
    (tmp_path / "model.hpp").write_text(model.header(pack_schemas.UGLY))
    (tmp_path / "pack.cpp").write_text(pack(codecs, "{}"))
    sources = [tmp_path / "pack.cpp", toolchain.SOURCES / "wirelab" / "values.cpp"]
    sources.append(Path(__file__).parent / "driver.cpp")
    for codec in codecs:
        sources.append(tmp_path / f"{codec.library}.cpp")
        sources[-1].write_text(unit(pack_schemas.UGLY, codec).source)
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(pack_schemas.FULL))
    flags = [*toolchain.FLAGS, "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    needs = [NEEDS[codec.unit] for codec in codecs]
    flags += [flag for need in needs for flag in need.flags]
    libraries = [library for need in needs for library in need.libraries]
    program = tmp_path / "driver"
    subprocess.run(["g++", *flags, f"-I{tmp_path}", *sources, "-o", program, *libraries], check=True)
    done = subprocess.run([program, corpus, *OURS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    refused = dict(line.split() for line in done.stdout.splitlines())
    assert all(int(refused[name]) > 1000 for name in OURS)
