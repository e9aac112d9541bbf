"""Manifests: files next to the code of a peer or server that describe it (reference/manifests.md).

wirelab's manifests are in its data root and in this package. Another installed package adds its
own by an entry point of the group `wirelab.peers` or `wirelab.servers`, whose value is the package
that holds `peer.toml` or `server.toml`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.system.data_root import data_root, in_checkout

T = TypeVar("T", bound="Manifest")

PEER, SERVER = "peer.toml", "server.toml"
FOLDERS = ("crates/*", "servers/*", "java/*", "java/servers/*")
NO_SERVER = "none"


class Manifest(Struct, frozen=True, kw_only=True):
    """The base of all manifests. `folder` is that of the file, and not a key in it."""

    folder: str = ""

    def program_path(self, name: str) -> str:
        """The path of a program: the file of that name in the manifest's folder, else the name
        itself.
        """
        own = Path(self.folder, name)
        return str(own) if own.is_file() else name


class ProtocolFacts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A protocol, defined in the manifest of its first peer.

    The first level of a factor is the default. `qos` maps each level to its delivery guarantee
    (docs/contracts/peer.md). `server` is the default server. `transports` can carry the protocol
    ("" if there is no choice); `encrypted` are those that need certificates. `external`: one
    forwarded TCP connection reaches a server outside the lab. `page` is the page under
    docs/reference/protocols. The other keys are those of `wirelab.lab.protocols.Protocol`.
    """

    title: str
    page: str
    qos: dict[str, str]
    port: int
    server: str = NO_SERVER
    transports: tuple[str, ...] = ("",)
    encrypted: tuple[str, ...] = ()
    external: bool = False
    responder_listens: bool = False
    linger_s: dict[str, float] = {}
    fleeting: tuple[str, ...] = ()
    one_by_one: tuple[str, ...] = ()
    listed: bool = True
    floor: bool = False


class Speaks(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One protocol of a peer: its library, and the arguments of the program."""

    protocol: str
    library: str
    arguments: tuple[str, ...] = ()


class PeerManifest(Manifest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A program that speaks the peer contract.

    `packages` are the Debian packages that it is built with. `slots` is the number of slots that a
    trial with it takes. `loads` are the languages of the codec packs that it can load.
    """

    program: str
    slots: int = 1
    loads: tuple[str, ...] = ("rust", "cpp")
    speaks: tuple[Speaks, ...]
    protocol: dict[str, ProtocolFacts] = {}
    packages: tuple[str, ...] = ()


class Serves(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One protocol of a server, with its transports and qos (all if none is named).

    `program` and `folder` come from the manifest. `peer_options` replace defaults of peers that are
    meant for another server.
    """

    protocol: str
    transports: tuple[str, ...] = ("",)
    qos: tuple[str, ...] = ()
    peer_options: dict[str, str] = {}
    program: str = ""


class ServerManifest(Manifest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A kind of server. Manifests of one name are merged: the built-in server has one per program.

    `driver` is the class that starts it, as `module:Class`; `settings` are for the driver. `slots`
    is the number of slots that a trial takes, by the CPU time of the start. `install` is the
    command that installs it, apt by default. `responds`: it carries out scripts, so that it needs
    no responder. `single_process`: it ends with the process that started it, so that it may run
    outside a lab.
    """

    name: str
    driver: str
    title: str
    serves: tuple[Serves, ...]
    page: str = ""
    slots: int = 1
    packages: tuple[str, ...] = ()
    install: str = ""
    program: str = ""
    responds: bool = False
    single_process: bool = False
    settings: dict[str, Any] = {}

    def served(self, protocol: str) -> Serves | None:
        """Its entry for a protocol; None if it does not serve it."""
        return next((one for one in self.serves if one.protocol == protocol), None)

    @property
    def install_line(self) -> str:
        """The command that installs it."""
        return in_checkout(self.install) if self.install else f"apt install {' '.join(self.packages)}"


@functools.cache
def peers() -> tuple[PeerManifest, ...]:
    """The manifests of all peers, those of wirelab first. Raises BadInput."""
    return tuple(_read(path, PeerManifest) for path in _paths(PEER, "wirelab.peers"))


@functools.cache
def servers() -> Mapping[str, ServerManifest]:
    """The kinds of servers by name. Raises BadInput."""
    found: dict[str, ServerManifest] = {}
    for path in _paths(SERVER, "wirelab.servers"):
        one = _read(path, ServerManifest)
        program = one.program_path(one.program) if one.program else ""
        one = replace(one, serves=tuple(replace(part, program=program) for part in one.serves))
        found[one.name] = _merged(found[one.name], one) if one.name in found else one
    return dict(sorted(found.items(), key=lambda item: (item[0] != "built-in", item[0])))


def _merged(first: ServerManifest, other: ServerManifest) -> ServerManifest:
    for part in other.serves:
        if first.served(part.protocol):
            why = f"its manifest {other.folder}/{SERVER} serves {part.protocol}, which {first.folder}/{SERVER} does"
            raise BadInput(f"server '{first.name}'", why, "give it another name")
    return replace(first, serves=first.serves + other.serves, packages=first.packages + other.packages)


def _paths(name: str, group: str) -> Iterator[Path]:
    own = Path(__file__).resolve().parent
    for folder in FOLDERS:
        yield from sorted(data_root().glob(f"{folder}/{name}"))
    yield from sorted(own.glob(f"servers/*/{name}"))
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        yield _in_package(point.value, name, f"entry point {point.name} of {group}")


def _in_package(package: str, name: str, what: str) -> Path:
    """The file `name` of a package, which is not imported. Raises BadInput."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    for folder in (spec.submodule_search_locations if spec else None) or ():
        if (path := Path(folder, name)).is_file():
            return path
    raise BadInput(
        what, f"no {name} in package {package}", "correct or uninstall the package that has this entry point"
    )


def _read(path: Path, kind: type[T]) -> T:
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, ValueError) as error:
        raise BadInput(f"manifest {path}", str(error), "see docs/reference/manifests.md") from None
    return replace(found, folder=str(path.parent))
