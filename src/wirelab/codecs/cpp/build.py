"""Build C++ packs and cache them: `cpp-<key>/libpack.so`, and object files that packs share.

Only the selected codecs are compiled. The key of an object file depends on its sources, the
version of its library and the compiler. A pack is linked from objects and appears by an atomic
rename.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from wirelab.codecs.cpp import model, toolchain
from wirelab.codecs.cpp.generator import Unit, pack, unit
from wirelab.codecs.cpp.registry import NEEDS, CppCodec
from wirelab.codecs.cpp.toolchain import Need
from wirelab.codecs.description import describe
from wirelab.codecs.file_lock import hold_lock
from wirelab.codecs.pack import Pack, described
from wirelab.codecs.pack_key import code, digest
from wirelab.model.schema import Schema

Progress = Callable[[str], None]
Job = tuple[str, Callable[[], Path]]
LIBRARY = "libpack.so"
_AT_ONCE = 2
_RUNTIME = ("any.cpp", "decimal.cpp", "values.cpp")
"""The sources in packs/cpp/wirelab, compiled once for all schemas."""
_FORMAT = "the format's compiler"
_OURS = "please report the schema"


def build_cpp_pack(
    schema: Schema, codecs: Sequence[CppCodec], cache: Path, progress: Progress | None = None
) -> Pack:
    """The compiled pack of a schema with these codecs, from the cache or built now.

    A build takes 5 to 20 s per codec. One process builds at a time. Raises BadInput if g++, a
    library or a format's compiler is missing, or if a compiler rejects the schema.
    """
    toolchain.require(NEEDS[codec.unit] for codec in codecs)
    builder = _Builder(schema, tuple(codecs), cache.absolute(), progress)
    home = builder.home
    if not (home / LIBRARY).exists():
        with hold_lock(builder.cache / "cpp-lock", progress):
            if not (home / LIBRARY).exists():
                builder.build()
    return described(str(home / LIBRARY), builder.describe)


class _Builder:
    def __init__(
        self, schema: Schema, codecs: tuple[CppCodec, ...], cache: Path, progress: Progress | None
    ) -> None:
        self.schema, self.codecs, self.cache, self.progress = schema, codecs, cache, progress
        self.compiler = toolchain.compiler()
        self.versions = toolchain.versions(
            package for codec in codecs for package in (codec.package, *NEEDS[codec.unit].packages)
        )
        self.header = model.header(schema)
        self.describe = describe("cpp", schema, codecs, self.versions, self.compiler)
        self.main = pack(codecs, self.describe)
        self.units = {codec.name: unit(schema, codec) for codec in codecs}
        self.runtime = digest([self.compiler, *toolchain.FLAGS, *_runtime()])
        self.base = digest([self.runtime, self.header])
        texts = [self.base, self.main, *(self.key(codec) for codec in codecs)]
        self.home = cache / f"cpp-{digest(texts)}"

    def key(self, codec: CppCodec) -> str:
        one = self.units[codec.name]
        header = (toolchain.SOURCES / "codecs" / f"{codec.unit}.hpp").read_text(encoding="utf-8")
        return digest([self.base, header, one.source, *self.generated(codec)])

    def generated(self, codec: CppCodec) -> list[str]:
        """What the sources of the format's compiler depend on."""
        need = NEEDS[codec.unit]
        versions = [self.versions.get(package, "") for package in need.packages]
        return [self.units[codec.name].text, repr(need), *versions]

    def build(self) -> None:
        """Compile the missing objects, then link."""
        objects = self.cache / "cpp-objects"
        objects.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-", dir=self.cache) as name:
            folder = Path(name)
            (folder / "model.hpp").write_text(self.header, encoding="utf-8")
            (folder / "pack.cpp").write_text(self.main, encoding="utf-8")
            jobs: list[Job] = [
                ("pack", partial(self.compile, folder, "pack.cpp", digest([self.base, self.main])))
            ]
            jobs += [
                (name, partial(self.compile, folder, name, digest([self.runtime, name]))) for name in _RUNTIME
            ]
            jobs += self.schema_jobs(folder)
            jobs += [(codec.name, partial(self.codec, folder, codec)) for codec in self.codecs]
            made = self.all(jobs)
            self.link(folder, made)

    def all(self, jobs: list[Job]) -> list[Path]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            waiting = [
                pool.submit(self.tell, f"{what} in C++ ({number} of {len(jobs)})", job)
                for number, (what, job) in enumerate(jobs, 1)
            ]
            return [job.result() for job in waiting]

    def tell(self, what: str, job: Callable[[], Path]) -> Path:
        if self.progress is not None:
            self.progress(f"compiling {what}")
        return job()

    def schema_jobs(self, folder: Path) -> list[Job]:
        """Run the formats' compilers, once per schema. Returns the sources to compile."""
        jobs: list[Job] = []
        for codec in self.codecs:
            one = self.units[codec.name]
            if not one.schema or (folder / one.schema).exists():
                continue
            (folder / one.schema).write_text(one.text, encoding="utf-8")
            for path in _generated(folder, one, NEEDS[codec.unit]):
                key = digest([self.base, path, *self.generated(codec)])
                jobs.append((path, partial(self.compile, folder, path, key, theirs=True)))
        return jobs

    def codec(self, folder: Path, codec: CppCodec) -> Path:
        file = f"{codec.name.replace('/', '-')}.cpp"
        (folder / file).write_text(self.units[codec.name].source, encoding="utf-8")
        return self.compile(folder, file, self.key(codec), NEEDS[codec.unit].flags)

    def compile(
        self, folder: Path, file: str, key: str, flags: Iterable[str] = (), *, theirs: bool = False
    ) -> Path:
        made = self.cache / "cpp-objects" / f"{key}.o"
        if made.exists():
            return made
        source = toolchain.SOURCES / "wirelab" / file if file in _RUNTIME else folder / file
        words = ["g++", *toolchain.FLAGS, *flags, f"-I{folder}", *(["-w", "-Wno-error"] if theirs else [])]
        output = folder / f"{key}.o"
        toolchain.run(
            "C++ codec pack", [*words, "-x", "c++", "-c", str(source), "-o", str(output)], folder, _OURS
        )
        return output.rename(made)

    def link(self, folder: Path, objects: Sequence[Path]) -> None:
        fresh = folder / "pack"
        fresh.mkdir()
        libraries = dict.fromkeys(name for codec in self.codecs for name in NEEDS[codec.unit].libraries)
        words = ["g++", "-shared", "-Wl,-z,defs", "-o", str(fresh / LIBRARY), *map(str, objects), *libraries]
        toolchain.run("C++ codec pack", words, folder, _OURS)
        (fresh / "describe.json").write_text(self.describe, encoding="utf-8")
        if self.home.exists():
            shutil.rmtree(self.home)
        fresh.rename(self.home)


def _generated(folder: Path, one: Unit, need: Need) -> list[str]:
    """Run a format's compiler on a schema in the folder. Returns the sources it wrote."""
    stem, _, kind = one.schema.rpartition(".")
    arguments, made = {
        "proto": (["--cpp_out=.", one.schema], [f"{stem}.pb.cc"]),
        "fbs": (["--cpp", one.schema], []),
        "capnp": (["compile", "-I/usr/include", "-oc++", one.schema], [f"{one.schema}.c++"]),
        "thrift": (["--gen", "cpp:no_skeleton", "-out", ".", one.schema], [f"{stem}_types.cpp"]),
    }[kind]
    toolchain.run(_FORMAT, [need.compiler, *arguments], folder)
    return made


def _runtime() -> list[str | bytes]:
    """The checked-in sources of every pack, and the code that compiles them."""
    files = [*sorted((toolchain.SOURCES / "wirelab").glob("*.[hc]pp")), *sorted(toolchain.ABI.glob("*.h"))]
    named: list[str | bytes] = [part for path in files for part in (path.name, path.read_bytes())]
    return [*named, *code(sys.modules[__name__], toolchain)]
