"""An installed package adds a format with its codec in Rust."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKED = tomllib.loads((ROOT / "packs/rust/Cargo.lock").read_text())["package"]
# A library that the pack's lock file has, so that nothing is downloaded.
VERSION = next(package["version"] for package in LOCKED if package["name"] == "serde_json")

ACME = '''
from wirelab.codecs.formats import Format
from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.schema.losses import SELF_DESCRIBING

CODE = """
use serde::Deserialize;
use wirelab_pack_runtime::{Failure, Serde};

use crate::generated::model::Message;

pub struct Acme;

impl Serde for Acme {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        buffer.push(b'#');
        Ok(acme_json::to_writer(buffer, native)?)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let text = bytes.strip_prefix(b"#").ok_or("no # at the start")?;
        Ok(Message::deserialize(&mut acme_json::Deserializer::from_slice(text))?)
    }
}
"""
FORMAT = Format("Acme text", SELF_DESCRIBING)
MODULE = PackModule(
    codecs=(
        RustCodec("acme", "acme-json", "acme_json", "SerdeCodec<acme::Acme>", BOUND, {"buffer": "reused"}),
    ),
    code=CODE,
    crates={"acme_json": '{ package = "serde_json", version = "=VERSION" }'},
)
NUMBER = 3
'''.replace("VERSION", VERSION)
ENTRIES = """
[wirelab.formats]
acme = acme_format:FORMAT

[wirelab.rust_codecs]
acme = acme_format:MODULE
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with an installed package, as pip leaves it."""
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (tmp_path / "acme_format.py").write_text(ACME)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    return tmp_path


def run(package: Path, code: str) -> subprocess.CompletedProcess[str]:
    """The JSON output of a program with the package installed."""
    path = os.pathsep.join([str(package), str(ROOT), *sys.path])
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


LIST = "from wirelab.cli import main; main()"


def listed(package: Path) -> list[dict[str, Any]]:
    """The formats that `wirelab list` shows."""
    code = f"import sys; sys.argv = ['wirelab', 'list', 'formats', '--output-format', 'json']; {LIST}"
    done = run(package, code)
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["formats"]
    return rows


def test_its_format_is_listed_with_its_library(package: Path) -> None:
    (acme,) = [row for row in listed(package) if row["format"] == "acme"]
    assert acme["format"] == "acme"
    assert "acme-json" in json.dumps(acme)


def test_its_codec_is_built_into_a_pack_with_the_crate_it_names(package: Path, pack_cache: Path) -> None:
    done = run(
        package,
        f"""
import json
from pathlib import Path
from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.build import build_pack

pack = build_pack(pack_schemas.GOLDEN, Path({str(pack_cache)!r}), asked=("acme",))
session = Library(pack.path, [{{"a": 150}}]).session("acme/acme-json")
try:
    session.decode(b'{{"a":150}}')
    refused = ""
except Refused as error:
    refused = str(error)
codecs = [(codec.name, codec.version) for codec in pack.codecs]
print(json.dumps([codecs, session.encode(0).decode(), session.message(b'#{{"a":151}}'), refused]))
""",
    )
    assert done.returncode == 0, done.stderr
    codecs, written, read, refused = json.loads(done.stdout)
    assert codecs == [["acme/acme-json", VERSION]]
    assert (written, read) == ('#{"a":150}', {"a": 151})
    assert "no # at the start" in refused


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("acme = acme_format:NUMBER", "entry point acme of wirelab.rust_codecs: not a PackModule"),
        (
            "acme = acme_format:GONE",
            "entry point acme of wirelab.rust_codecs: acme_format:GONE does not load",
        ),
        ("cbor = acme_format:MODULE", "entry point cbor of wirelab.rust_codecs: a duplicate"),
    ],
)
def test_a_broken_entry_point_is_refused_by_its_name(package: Path, line: str, complaint: str) -> None:
    (package / "acme-1.0.dist-info" / "entry_points.txt").write_text(f"[wirelab.rust_codecs]\n{line}\n")
    done = run(package, f"import sys; sys.argv = ['wirelab', 'list', 'formats']; {LIST}")
    assert done.returncode == 3
    assert complaint in done.stderr
