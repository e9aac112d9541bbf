"""Java packs for all tests in this folder.

Without Java (`make deps` installs it) they are skipped.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Session
from wirelab.codecs.java.bench import JavaBench
from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.capnp import GENERATOR
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.model.schema import Schema

Verdicts = dict[str, dict[str, Any]]
Exchanged = tuple[Session, list[bytes], list[bytes]]


@pytest.fixture(scope="session", autouse=True)
def _java() -> None:
    if shutil.which("javac") is None or shutil.which("mvn") is None:
        pytest.skip("no JDK or Maven: make deps")


def build(schema: Schema, root: Path) -> Pack:
    """The pack of a schema with every codec that supports it."""
    return build_java_pack(schema, java_codecs(schema)[0], root / "target" / "test-packs")


@pytest.fixture(scope="session")
def ugly_pack(root: Path) -> Pack:
    """The pack of a schema with everything that is hard for generators."""
    return build(pack_schemas.UGLY, root)


@pytest.fixture(scope="session")
def golden_pack(root: Path) -> Pack:
    """The pack of a schema with the field numbers and keys of the specifications' examples."""
    return build(pack_schemas.GOLDEN, root)


@pytest.fixture
def verify(tmp_path: Path) -> Callable[..., Verdicts]:
    """Check the round trip of messages: codec -> verdict. `foreign`: bytes of another program."""

    def run(
        pack: Pack, messages: list[Any] | bytes, *names: str, foreign: list[bytes] | None = None
    ) -> Verdicts:
        corpus = write_corpus(tmp_path, messages)
        options: list[str] = []
        if foreign is not None:
            file = tmp_path / "foreign"
            file.write_bytes(b"".join(len(one).to_bytes(4, "little") + one for one in foreign))
            options = ["--bytes", str(file)]
        infos = [pack.codec(name) for name in names] or list(pack.codecs)
        lines = map(json.loads, JavaBench(pack, str(corpus)).run("verify", infos, *options))
        return {line["codec"]: line for line in lines}

    return run


@pytest.fixture
def encode(tmp_path: Path) -> Callable[[Pack, list[Any] | bytes, str], list[bytes]]:
    """Encode messages with a Java codec."""

    def run(pack: Pack, messages: list[Any] | bytes, name: str) -> list[bytes]:
        file = tmp_path / "encoded"
        corpus = write_corpus(tmp_path, messages)
        JavaBench(pack, str(corpus)).run("encode", [pack.codec(name)], "--bytes", str(file))
        data, encoded = file.read_bytes(), []
        while data:
            length = int.from_bytes(data[:4], "little")
            encoded.append(data[4 : 4 + length])
            data = data[4 + length :]
        return encoded

    return run


@pytest.fixture
def exchange(verify: Callable[..., Verdicts], encode: Callable[..., list[bytes]]) -> Callable[..., Exchanged]:
    """Encode messages in Java and in Rust, and check that Java reads what Rust wrote.

    Returns the Rust session, the bytes of Java and those of Rust.
    """

    def run(java: Pack, rust: Library, names: tuple[str, str], messages: list[Any] | bytes) -> Exchanged:
        ours, theirs = names
        if ours.startswith("capnp") and shutil.which(GENERATOR) is None:
            pytest.skip("capnpc-java is not installed")
        count = len(messages.splitlines() if isinstance(messages, bytes) else messages)
        session = rust.session(theirs)
        foreign = [session.encode(index) for index in range(count)]
        verdict = verify(java, messages, ours, foreign=foreign)[ours]
        assert (verdict["equal"], verdict["losses"]) == (count, [])
        assert verdict["checksum"] == f"{sum(map(session.decode, foreign)) % 2**64:016x}"
        return session, encode(java, messages, ours), foreign

    return run


def write_corpus(folder: Path, messages: list[Any] | bytes) -> Path:
    """Write the messages as JSON Lines, or lines as they are."""
    path = folder / "corpus.jsonl"
    if isinstance(messages, bytes):
        path.write_bytes(messages)
    else:
        path.write_text("\n".join(json.dumps(message, ensure_ascii=False) for message in messages))
    return path
