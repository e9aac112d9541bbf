"""Build Rust packs and cache them: one directory per schema, sources and toolchain.

The cache holds `<key>/libpack.so` with `describe.json`, `work/` (the workspace of the current
build), `target/` (compiled dependencies, shared by all schemas) and `lock`. A pack appears by an
atomic rename: a reader sees a whole pack or none, whenever a build dies.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from wirelab.codecs.description import ABI, describe
from wirelab.codecs.file_lock import hold_lock
from wirelab.codecs.generator import compiled, generate
from wirelab.codecs.pack import Pack, described
from wirelab.codecs.pack_key import code, digest, program_version
from wirelab.codecs.registry import MODULES, codecs_for, select
from wirelab.codecs.rust import RUST_VERSION
from wirelab.codecs.rust.declaration import PackModule
from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.system.data_root import data_root

Progress = Callable[[str], None]

SOURCES = data_root() / "packs" / "rust"
LIBRARY = "libpack.so"
DEPENDENCIES = b"\n[dependencies]\n"
_NETWORK = ("download", "registry", "network", "resolve host", "offline")


def default_cache() -> Path:
    """`$XDG_CACHE_HOME/wirelab/packs`, or under `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "wirelab" / "packs"


def build_pack(
    schema: Schema, cache: Path | None = None, progress: Progress | None = None, asked: Sequence[str] = ()
) -> Pack:
    """The compiled pack of a schema, from the cache or built now (10 to 30 s).

    One process builds at a time. The pack holds the codecs that `asked` selects, in the words of
    `registry.select`. Only their libraries are compiled. `progress` gets what is compiled,
    and the compiler's warnings.
    Raises BadInput for an unsupported schema, and if cargo, the network (first build only) or disk
    space is missing.
    """
    if not (SOURCES / "Cargo.lock").exists():
        raise BadInput(
            f"pack sources {SOURCES}", "not found", "reinstall wirelab, or set WIRELAB_DATA to a checkout"
        )
    root = (cache or default_cache()).absolute()
    toolchain = _toolchain()
    known = {codec.name: codec for codec in codecs_for(schema)}
    wanted = select(asked, tuple(known))
    codecs = tuple(codec for name, codec in known.items() if name in wanted)
    modules = {name: MODULES[name] for name in sorted({codec.module for codec in codecs})}
    crates = _crates(modules)
    description = describe("rust", schema, codecs, _versions() | _exact(crates), toolchain)
    sources = generate(schema, codecs, description)
    home = root / _key({**sources, **crates}, toolchain, modules)
    if not (home / LIBRARY).exists():
        try:
            with hold_lock(root / "lock", progress):
                if not (home / LIBRARY).exists():
                    _build(root, home, {**sources, **compiled(sources)}, description, modules, progress)
        except OSError as error:
            raise BadInput(
                f"pack cache {root}", error.strerror or str(error), "free some space or set XDG_CACHE_HOME"
            ) from error
    return described(str(home / LIBRARY), description)


def _build(
    root: Path,
    home: Path,
    sources: Mapping[str, str | bytes],
    description: str,
    modules: Mapping[str, PackModule],
    progress: Progress | None,
) -> None:
    work = root / "work"
    crates = _crates(modules)
    _lay_out(work, sources, crates)
    _cargo(
        work, root / "target", [name for name, module in modules.items() if not module.code], crates, progress
    )
    with tempfile.TemporaryDirectory(prefix="new-", dir=root) as folder:
        fresh = Path(folder) / "pack"
        fresh.mkdir()
        shutil.copy(root / "target" / "release" / "libwirelab_pack.so", fresh / LIBRARY)
        (fresh / "describe.json").write_text(description, encoding="utf-8")
        shutil.copytree(work / "pack" / "src", fresh / "src")
        if home.exists():
            shutil.rmtree(home)
        fresh.rename(home)


def _lay_out(work: Path, sources: Mapping[str, str | bytes], crates: Mapping[str, str]) -> None:
    """Write the workspace: checked-in and generated sources. Unchanged files stay untouched.

    `crates` are added to what the pack depends on.

    cargo compares modification times only. A changed file is therefore written again, not copied
    with its time: its source may be older than the last build (another version or copy).
    """
    checked_in = (path for path in SOURCES.rglob("*") if path.is_file() and "target" not in path.parts)
    wanted = {path.relative_to(SOURCES): path.read_bytes() for path in checked_in}
    for name, text in sources.items():
        wanted[Path("pack", "src", name)] = text if isinstance(text, bytes) else text.encode()
    added = "".join(f"{name} = {value}\n" for name, value in crates.items()).encode()
    manifest = Path("pack", "Cargo.toml")
    wanted[manifest] = wanted[manifest].replace(DEPENDENCIES, DEPENDENCIES + added)
    for path in [path for path in work.rglob("*") if path.is_file()]:
        if path.relative_to(work) not in wanted:
            path.unlink()
    for inner, data in wanted.items():
        path = work / inner
        if not (path.is_file() and path.read_bytes() == data):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _cargo(
    work: Path, target: Path, features: Sequence[str], crates: Mapping[str, str], progress: Progress | None
) -> None:
    command = ["cargo", "build", "--release", "-p", "wirelab-pack", "--target-dir", str(target)]
    command += ["--features", ",".join(features)]
    # The lock file has no crates of other packages.
    command += [] if crates else ["--locked"]
    unset = ("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET")
    env = {key: value for key, value in os.environ.items() if key not in unset}
    lines: list[str] = []
    with subprocess.Popen(
        command,
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_die_with_parent,  # noqa: PLW1509  (one call, no lock is taken)
    ) as cargo:
        try:
            for line in cargo.stderr or ():
                lines.append(line.rstrip())
                _tell(progress, line)
        except BaseException:
            cargo.kill()
            raise
    if cargo.returncode != 0:
        raise _failure(lines)


def _die_with_parent() -> None:
    """Let the kernel end cargo when wirelab dies, by prctl's PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _failure(lines: list[str]) -> BadInput:
    errors = [line for line in lines if line.startswith("error")]
    text = " ".join(lines).lower()
    if not any("Compiling" in line for line in lines) and any(word in text for word in _NETWORK):
        why = errors[0].removeprefix("error: ") if errors else "cargo could not fetch the libraries"
        return BadInput(
            "codec pack", why, "the first build downloads the format libraries: connect to the network once"
        )
    shown = " | ".join(errors[:3]) or " | ".join(lines[-3:])
    return BadInput("codec pack", f"the generated code did not compile: {shown}", "please report the schema")


def _toolchain() -> str:
    """For example `rustc 1.95.0`. Raises BadInput without Rust."""
    try:
        answer = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout
        if shutil.which("cargo") is None:
            raise FileNotFoundError
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(
            "rustc and cargo",
            "not found",
            f"install Rust {RUST_VERSION} or later: codec packs are compiled with it",
        ) from error
    return " ".join(answer.split()[:2])


def _key(sources: Mapping[str, str], toolchain: str, modules: Mapping[str, PackModule]) -> str:
    checked_in = sorted(path for path in SOURCES.rglob("*") if path.is_file() and "target" not in path.parts)
    compilers = [module.compiler for module in modules.values() if module.compiler]
    makers = {compiler.run.__module__ for compiler in compilers}
    parts: list[str | bytes] = [f"{toolchain} abi {ABI}", *code(sys.modules[__name__])]
    parts += code(*(sys.modules[name] for name in sorted(makers)))
    parts += [program_version(compiler.program) for compiler in compilers]
    for path in checked_in:
        parts += [str(path.relative_to(SOURCES)), path.read_bytes()]
    for name, text in sorted(sources.items()):
        parts += [name, text]
    return digest(parts)


def _versions() -> dict[str, str]:
    """Package -> version in the lock file."""
    locked = tomllib.loads((SOURCES / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    return {package["name"]: package["version"] for package in locked}


def _crates(modules: Mapping[str, PackModule]) -> dict[str, str]:
    """The crates that modules of other packages add: name -> value in Cargo.toml."""
    return {name: value for module in modules.values() for name, value in module.crates.items()}


def _exact(crates: Mapping[str, str]) -> dict[str, str]:
    """Crate -> version, for crates with an exact version."""
    found = {name: re.search(r'"=([^"]+)"', value) for name, value in crates.items()}
    return {name: match[1] for name, match in found.items() if match}


def _tell(progress: Progress | None, line: str) -> None:
    """Say which library cargo compiles, and what it warns of."""
    words = line.split()
    if progress is None or not words:
        return
    if line.startswith("warning"):
        progress(line.rstrip())
    elif words[0] == "Compiling":
        ours = words[1] == "wirelab-pack"
        what = "the generated code" if ours else f"{words[1]} {words[2].removeprefix('v')}"
        progress(f"compiling {what} in Rust")
