"""The JVM, and the one Maven project behind all Java packs: built once, then used without Maven or network."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from wirelab.codecs.file_lock import alone
from wirelab.lab.child_guard import tied
from wirelab.model.errors import BadInput

PROJECT = Path(__file__).resolve().parents[4] / "java"
_INSTALL = "apt install openjdk-17-jdk-headless maven"
_STAMP = ".built"


def require(program: str) -> str:
    """The path of a program. Raises BadInput with the line that installs it."""
    found = shutil.which(program)
    if found is None:
        packages = {"thrift": "apt install thrift-compiler", "capnp": "apt install capnproto"}
        raise BadInput(program, "not found", packages.get(program, _INSTALL))
    return found


def version() -> str:
    """`openjdk 17.0.15`. Raises BadInput where there is no JDK."""
    require("javac")
    # On standard error it may speak of options in its environment first.
    answer = subprocess.run([require("java"), "--version"], capture_output=True, text=True, check=False)
    return " ".join(answer.stdout.split()[:2]) or "java"


def module(name: str) -> Path:
    """The built Maven module (`codecs`, `peers`): `wirelab-NAME.jar` and `lib/` in this folder.

    Built now where its sources changed. Raises BadInput where JDK or Maven are missing, or Maven fails.
    """
    folder = PROJECT / name / "target"
    key = _sources_key(name)
    if _is_built(folder, key):
        return folder
    with alone(PROJECT.parent / "target" / "java-lock"):
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
    """What java's -cp takes to run a module."""
    folder = module(name)
    return f"{folder / f'wirelab-{name}.jar'}{os.pathsep}{folder / 'lib'}/*"


def versions(name: str) -> dict[str, str]:
    """Artifact -> version of the libraries of a module."""
    found = {}
    for jar in (module(name) / "lib").glob("*.jar"):
        artifact, _, number = jar.stem.rpartition("-")
        if artifact.endswith("-java8") or not number[:1].isdigit():
            continue
        found[artifact] = number
    return found


def _sources_key(name: str) -> str:
    digest = hashlib.sha256()
    poms = [PROJECT / "pom.xml", PROJECT / name / "pom.xml"]
    for path in [*poms, *sorted((PROJECT / name / "src" / "main").rglob("*.java"))]:
        digest.update(f"{path.relative_to(PROJECT)}\0{path.read_text(encoding='utf-8')}\0".encode())
    return digest.hexdigest()


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        module(wanted)
