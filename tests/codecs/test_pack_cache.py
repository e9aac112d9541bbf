"""Packs are built once, by one process at a time, and appear whole or not at all."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from tests.codecs.fake_pack import changed, stand_in
from wirelab.codecs import build
from wirelab.codecs.build import build_pack
from wirelab.codecs.pack_key import digest
from wirelab.codecs.rust import compilers
from wirelab.model.errors import BadInput
from wirelab.model.schema import Field, Int, Record, Ref, Schema, String

SCHEMA = Schema(String())

BUILDS = """#!/bin/sh
echo built >> "$COUNT"
while [ "$1" != --target-dir ]; do shift; done
mkdir -p "$2/release" && echo library > "$2/release/libwirelab_pack.so"
"""


@pytest.fixture
def cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake cargo that counts its builds in `count`. Tests overwrite it."""
    return stand_in(tmp_path, monkeypatch, "cargo", BUILDS)


def builds(tmp_path: Path) -> int:
    count = tmp_path / "count"
    return len(count.read_text().splitlines()) if count.exists() else 0


@pytest.mark.usefixtures("cargo")
def test_a_second_call_takes_the_pack_from_the_cache(tmp_path: Path) -> None:
    first = build_pack(SCHEMA, tmp_path / "cache")
    assert build_pack(SCHEMA, tmp_path / "cache") == first
    assert builds(tmp_path) == 1
    assert Path(first.path).read_text() == "library\n"


@pytest.mark.usefixtures("cargo")
@pytest.mark.matrix
def test_another_schema_is_another_pack(tmp_path: Path) -> None:
    paths = {
        build_pack(Schema(kind), tmp_path / "cache").path for kind in (String(), Int(high=5), Int(high=2**40))
    }
    assert len(paths) == 3


@pytest.mark.usefixtures("cargo")
@pytest.mark.matrix
def test_a_source_that_changed_is_newer_than_the_last_build_and_one_that_did_not_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, runtime = tmp_path / "rust", tmp_path / "cache" / "work" / "runtime" / "src"
    shutil.copytree(build.SOURCES, sources, ignore=shutil.ignore_patterns("target"))
    monkeypatch.setattr(build, "SOURCES", sources)
    build_pack(SCHEMA, tmp_path / "cache")
    (runtime / "gone.rs").write_text("")
    for path in runtime.iterdir():
        os.utime(path, (2_000, 2_000))
    changed = sources / "runtime" / "src" / "clock.rs"
    changed.write_text(changed.read_text() + "// other\n")
    os.utime(changed, (1_000, 1_000))
    build_pack(SCHEMA, tmp_path / "cache")
    times = {path.name: path.stat().st_mtime for path in runtime.iterdir()}
    assert times.pop("clock.rs") > 2_000
    assert set(times.values()) == {2_000}
    assert "gone.rs" not in times


@pytest.mark.usefixtures("cargo")
@pytest.mark.matrix
def test_builds_at_the_same_time_build_once(tmp_path: Path) -> None:
    threads = [threading.Thread(target=build_pack, args=(SCHEMA, tmp_path / "cache")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert builds(tmp_path) == 1


def test_a_build_that_died_leaves_nothing_that_looks_like_a_pack(
    tmp_path: Path, cargo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(build, "_cargo", die)
        with pytest.raises(KeyboardInterrupt):
            build_pack(SCHEMA, tmp_path / "cache")
    assert cargo.exists()
    assert not list((tmp_path / "cache").glob("*/libpack.so"))
    assert build_pack(SCHEMA, tmp_path / "cache").codecs


def test_a_missing_network_at_the_first_build_is_reported(tmp_path: Path, cargo: Path) -> None:
    cargo.write_text("#!/bin/sh\necho 'error: failed to download `serde v1.0.0`' >&2\nexit 101\n")
    with pytest.raises(BadInput, match="failed to download.*connect to the network once"):
        build_pack(SCHEMA, tmp_path / "cache")


def test_missing_rust_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="rustc and cargo: not found; install Rust"):
        build_pack(SCHEMA, tmp_path / "cache")


def test_a_name_that_is_not_an_identifier_never_reaches_the_source(tmp_path: Path) -> None:
    schema = Schema(Ref(name="A"), (Record("A", (Field("k", "x: u8 } fn evil() {", String()),)),))
    with pytest.raises(BadInput, match="not an identifier"):
        build_pack(schema, tmp_path / "cache")


def test_a_range_that_no_64_bit_integer_holds_is_refused_by_its_field(tmp_path: Path) -> None:
    schema = Schema(Ref(name="A"), (Record("A", (Field("k", "k", Int(low=-1, high=2**64 - 1)),)),))
    with pytest.raises(BadInput, match="field 'k': no 64-bit integer holds"):
        build_pack(schema, tmp_path / "cache")


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="pack cache"):
        build_pack(SCHEMA, tmp_path / "file" / "cache")


def test_killed_mid_build_cargo_dies_too_and_the_next_build_succeeds(tmp_path: Path, cargo: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    cargo.write_text(f"#!/bin/sh\necho $$ > {started}\nexec sleep 600\n")
    program = "import sys; from pathlib import Path; from wirelab.codecs.build import build_pack;"
    program += "from wirelab.model.schema import *; build_pack(Schema(String()), Path(sys.argv[1]))"
    builder = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "cache")])
    child = os.pidfd_open(int(started.read_text()))
    try:
        builder.kill()
        builder.wait()
        ended, _, _ = select.select([child], [], [], 60)
        assert ended, "cargo outlived the build that started it"
    finally:
        os.close(child)
    assert not list((tmp_path / "cache").glob("*/libpack.so"))
    cargo.write_text(BUILDS)
    assert Path(build_pack(SCHEMA, tmp_path / "cache").path).exists()


@pytest.mark.usefixtures("cargo")
@pytest.mark.parametrize("module", [build, compilers])
def test_a_change_of_what_compiles_a_pack_is_another_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType
) -> None:
    arguments = (SCHEMA, tmp_path / "cache", None, ("thrift",))
    before = build_pack(*arguments)
    changed(module, tmp_path, monkeypatch)
    assert build_pack(*arguments).path != before.path


@pytest.mark.usefixtures("cargo")
def test_another_version_of_a_formats_compiler_is_another_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (SCHEMA, tmp_path / "cache", None, ("thrift",))
    before = build_pack(*arguments)
    monkeypatch.setattr(build, "program_version", lambda _: "Thrift version 0.99.0")
    assert build_pack(*arguments).path != before.path


def test_parts_of_a_key_do_not_run_together() -> None:
    assert digest(["ab", "c"]) != digest(["a", "bc"])
