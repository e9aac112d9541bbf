"""Protobuf's descriptors of a .proto, which the official compiler reads, or of a FileDescriptorSet.

Imports are looked up in the folders of `--proto-path`, beside the file, then in the folders above.
"""

from __future__ import annotations

import importlib
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.schema.importers.book import source
from wirelab.schema.importers.protobuf_fields import SPECIAL
from wirelab.schema.importers.protobuf_suffixes import SET_SUFFIXES
from wirelab.system.python_programs import find_python_program

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FileDescriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

MAX_SET_BYTES = 32 * 2**20
MAX_SECONDS = 60
_NOT_FOUND = ": File not found."
_LIBRARY = "google/protobuf/"
_WHOLE_SET = "write the set with protoc --include_imports"


class Files(Struct, frozen=True):
    """Descriptors of a .proto or set at `path`: its own files, and all with the imported ones."""

    path: Path
    own: tuple[Any, ...]
    every: tuple[Any, ...]

    def root(self, name: str) -> Descriptor:
        """The message of that name (or full name, or its end); imported ones count too.

        Of several with one name, that which is inside no other is taken.
        Without a name it is the only message of the own files that no other uses. Raises BadInput.
        """
        every = {message.full_name: message for message in _messages_of(self.every)}
        if name:
            fit = [m for full, m in every.items() if name == full or full.endswith(f".{name}")]
            exact = [message for message in fit if message.full_name == name]
            outer = [message for message in fit if message.containing_type is None]
            for found in (exact, outer, fit):
                if len(found) == 1:
                    return found[0]
            if fit:
                choice = ", ".join(message.full_name for message in fit)
                raise BadInput(f"{self.path}:{name}", f"several messages: {choice}", "give the full name")
            raise BadInput(f"{self.path}:{name}", "there is no such message", nearest(name, every))
        used = {
            field.message_type.full_name
            for message in every.values()
            for field in message.fields
            if field.message_type is not None and field.message_type.full_name != message.full_name
        }
        own = [message.full_name for message in _messages_of(self.own)]
        free = [full for full in own if full not in used and every[full].containing_type is None]
        if len(free) != 1:
            choice = ", ".join((free or own or list(every))[:20]) or "none"
            raise BadInput(
                str(self.path),
                f"which message is one payload message? ({choice})",
                f"name it: {self.path}:NAME",
            )
        return every[free[0]]


def compiled(path: Path) -> FileDescriptor:
    """The descriptor of a .proto. Raises BadInput."""
    file: FileDescriptor = read(path).own[0]
    return file


def read(path: Path, proto_path: Sequence[str] = ()) -> Files:
    """The descriptors of a .proto and its imports, or of a FileDescriptorSet. Raises BadInput."""
    if path.suffix in SET_SUFFIXES:
        files, own = _set(source(path, MAX_SET_BYTES), path), ""
    else:
        source(path)
        files, own = _compile(path, proto_path)
    loaded = _load(files, path)
    imported = {name for file in files.file for name in file.dependency}
    _check_library(_messages_of(loaded.values()), path)
    names = [own] if own else [file.name for file in files.file if file.name not in imported]
    return Files(path, tuple(loaded[name] for name in names), tuple(loaded.values()))


def _compile(path: Path, proto_path: Sequence[str]) -> tuple[FileDescriptorSet, str]:
    """What protoc makes of a file and its imports, and the file's name in it."""
    from google.protobuf import descriptor_pb2  # noqa: PLC0415

    resolved = path.resolve()
    given = [Path(folder).resolve() for folder in proto_path]
    for folder in given:
        if not folder.is_dir():
            raise BadInput(f"--proto-path {folder}", "no such folder", "give the folder of the imports")
    folders = dict.fromkeys((*given, *resolved.parents))
    with tempfile.TemporaryDirectory(prefix="wirelab-proto-") as room:
        out = Path(room, "set")
        command = [str(find_python_program("protoc")), *(f"-I{folder}" for folder in folders)]
        command += ["--include_imports", f"--descriptor_set_out={out}", str(resolved)]
        try:
            done = subprocess.run(
                command,
                cwd=resolved.parent,
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=MAX_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise BadInput(str(path), f"protoc takes over {MAX_SECONDS} s", "reduce the schema") from None
        if done.returncode != 0:
            raise _refusal(path, done.stderr.decode(errors="replace"))
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
        return files, files.file[-1].name  # imports precede their users


def _refusal(path: Path, said: str) -> BadInput:
    lines = said.strip().splitlines() or ["protoc refuses it"]
    missing = [line.removesuffix(_NOT_FOUND) for line in lines if line.endswith(_NOT_FOUND)]
    if missing:
        why = f"the import {missing[0]} is neither beside the file nor in a folder above it"
        return BadInput(str(path), why, "name its folder with -I, or give a FileDescriptorSet")
    return BadInput(str(path), lines[0].removeprefix(f"{path.resolve().parent}/"), "correct the .proto")


def _set(data: bytes, path: Path) -> FileDescriptorSet:
    from google.protobuf import descriptor_pb2, message  # noqa: PLC0415

    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(data)
        named = bool(files.file) and all(map(_is_named, files.file))
    except (message.DecodeError, UnicodeDecodeError):
        named = False
    if not named:
        step = "write one with protoc --include_imports --descriptor_set_out=FILE"
        raise BadInput(str(path), "not a FileDescriptorSet", step)
    return files


def _is_named(file: FileDescriptorProto) -> bool:
    """Whether a file and its imports have names. One that is not UTF-8 is bytes."""
    return bool(file.name) and all(isinstance(name, str) for name in (file.name, *file.dependency))


def _check_library(messages: Iterable[Descriptor], path: Path) -> None:
    """Raises BadInput for a message of Protobuf itself that has other fields than there."""
    for message in messages:
        module = SPECIAL.get(message.full_name)
        if module is None:
            continue
        own = importlib.import_module(f"google.protobuf.{module}_pb2").DESCRIPTOR
        if _shape(message) != _shape(own.message_types_by_name[message.name]):
            why = f"{message.full_name} has other fields than Protobuf's"
            raise BadInput(str(path), why, "name your message in a package of your own")


def _shape(message: Descriptor) -> list[tuple[Any, ...]]:
    return [(field.name, field.number, field.type, field.is_repeated) for field in message.fields]


def _load(files: FileDescriptorSet, path: Path) -> dict[str, FileDescriptor]:
    """The descriptors of a set by file name, each after those that it imports. Raises BadInput."""
    from google.protobuf import descriptor_pool  # noqa: PLC0415

    pool = descriptor_pool.DescriptorPool()
    ordered = _importing_last(files, path)
    try:
        for proto in ordered:
            pool.Add(proto)
        return {proto.name: pool.FindFileByName(proto.name) for proto in ordered}
    except (TypeError, KeyError, UnicodeDecodeError) as error:
        raise BadInput(str(path), f"no valid set of descriptors: {error}", _WHOLE_SET) from None


def _importing_last(files: FileDescriptorSet, path: Path) -> list[FileDescriptorProto]:
    """All files, each after those that it imports.

    Raises BadInput if one is missing or imports itself.
    """
    by_name = {file.name: file for file in files.file}
    imports: dict[str, list[str]] = {}
    pending = list(by_name)
    while pending:
        name = pending.pop()
        if name not in by_name:
            by_name[name] = _of_library(name, path)
        if name not in imports:
            imports[name] = list(by_name[name].dependency)
            pending += imports[name]
    try:
        return [by_name[name] for name in TopologicalSorter(imports).static_order()]
    except CycleError as error:
        raise BadInput(str(path), f"{error.args[1][0]} imports itself", "correct the imports") from None


def _of_library(name: str, path: Path) -> FileDescriptorProto:
    """A file that comes with Protobuf, such as google/protobuf/timestamp.proto."""
    from google.protobuf import descriptor_pb2  # noqa: PLC0415

    proto = descriptor_pb2.FileDescriptorProto()
    module = name.removeprefix(_LIBRARY).removesuffix(".proto")
    missing = BadInput(str(path), f"the imported file {name} is not in the set", _WHOLE_SET)
    if not name.startswith(_LIBRARY) or not module.replace("_", "").isalnum():
        raise missing
    try:
        importlib.import_module(f"google.protobuf.{module}_pb2").DESCRIPTOR.CopyToProto(proto)
    except ImportError:
        raise missing from None
    return proto


def _messages_of(files: Iterable[FileDescriptor]) -> Iterator[Descriptor]:
    for file in files:
        yield from _messages(file.message_types_by_name.values())


def _messages(found: Iterable[Descriptor]) -> Iterator[Descriptor]:
    for message in found:
        if not message.GetOptions().map_entry:
            yield message
            yield from _messages(message.nested_types)
