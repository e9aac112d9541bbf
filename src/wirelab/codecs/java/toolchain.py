"""The JVM and the Maven project java/: built once, then used without Maven or a network."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from wirelab.codecs.file_lock import hold_lock
from wirelab.model.errors import BadInput
from wirelab.system.child_guard import tied
from wirelab.system.data_root import data_root

PROJECT = data_root() / "java"
_INSTALL = "apt install openjdk-17-jdk-headless maven"
_STAMP = ".built"
_USES = {"peers": ("servers/common", "codecs"), "actors": ("codecs",), "jmh": ("codecs",)}
"""Module -> the modules that it is compiled against."""


def require(program: str) -> str:
    """The path of a program. Raises BadInput with the command that installs it."""
    found = shutil.which(program)
    if found is None:
        packages = {"thrift": "apt install thrift-compiler", "capnp": "apt install capnproto"}
        raise BadInput(program, "not found", packages.get(program, _INSTALL))
    return found


def version() -> str:
    """For example `openjdk 17.0.15`. Raises BadInput without a JDK."""
    require("javac")
    # Standard error may contain a note about options in the environment.
    answer = subprocess.run([require("java"), "--version"], capture_output=True, text=True, check=False)
    return " ".join(answer.stdout.split()[:2]) or "java"


def module(name: str) -> Path:
    """The folder of a built Maven module (`codecs`, `peers`), with `wirelab-NAME.jar` and `lib/`.

    Builds the module if its sources changed. Raises BadInput if the JDK or Maven is missing, or if
    Maven fails.
    """
    folder = PROJECT / name / "target"
    key = _sources_key(name)
    if _is_built(folder, key):
        return folder
    with hold_lock(PROJECT.parent / "target" / "java-lock"):
        if not _is_built(folder, key):
            _maven(name)
            (folder / _STAMP).write_text(key)
    return folder


def _is_built(folder: Path, key: str) -> bool:
    stamp = folder / _STAMP
    return stamp.exists() and stamp.read_text() == key


def _maven(name: str) -> None:
    require("javac")
    maven = [require("mvn"), "-q", "-B", "-ntp", "package", "-DskipTests", "-pl", name, "-am"]
    done = subprocess.run(maven, cwd=PROJECT, capture_output=True, text=True, check=False, preexec_fn=tied())
    if done.returncode != 0:
        errors = [line.strip() for line in done.stdout.splitlines() if "ERROR" in line]
        why = " | ".join(errors[:2]) or "mvn failed"
        raise BadInput(
            f"Java module {name}", why, "the first build downloads libraries: connect to the network once"
        )


def class_path(name: str) -> str:
    """The class path of a module, for java's -cp."""
    folder = module(name)
    return f"{folder / f'wirelab-{name}.jar'}{os.pathsep}{folder / 'lib'}/*"


def versions(name: str) -> dict[str, str]:
    """The libraries of a module: artifact -> version."""
    found = {}
    for jar in (module(name) / "lib").glob("*.jar"):
        artifact, _, number = jar.stem.rpartition("-")
        if artifact.endswith("-java8") or not number[:1].isdigit():
            continue
        found[artifact] = number
    return found


def _sources_key(name: str) -> str:
    digest = hashlib.sha256()
    paths = [PROJECT / "pom.xml"]
    for folder in (name, *_USES.get(name, ())):
        paths += [PROJECT / folder / "pom.xml", *sorted((PROJECT / folder / "src" / "main").rglob("*.java"))]
    for path in paths:
        digest.update(f"{path.relative_to(PROJECT)}\0{path.read_text(encoding='utf-8')}\0".encode())
    return digest.hexdigest()


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        module(argument)
