"""The capabilities and software of a node.

`python -m wirelab.engine.node` prints them as Ray resources for `ray start`.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from msgspec import Struct

import wirelab
from wirelab.lab.environment import environment, warnings
from wirelab.lab.protocols import protocols
from wirelab.lab.servers import check, is_known
from wirelab.model.errors import BadInput, WirelabError
from wirelab.model.trial import Trial
from wirelab.system.binaries import find

MACHINE, NAMESPACES, REALTIME = "wirelab", "namespaces", "realtime"
# A trial takes so little of a boolean resource that it never runs out.
SMALL_AMOUNT = 0.001
_PROBE_S = 20
_SPIN = bytes(1 << 20)


class Description(Struct, frozen=True):
    """The description of a node. `sources` and `programs` are SHA-256 prefixes.

    `spin_ns` is the time for a fixed piece of work.
    """

    host: str
    version: str
    sources: str
    programs: dict[str, str]
    environment: dict[str, str]
    warnings: tuple[str, ...]
    spin_ns: int


def resources() -> dict[str, float]:
    """The resources of this machine: itself, namespaces, real-time scheduling, servers and devices."""
    found = {MACHINE: 1.0}
    lab = _lab()
    if lab is not None:
        found[NAMESPACES] = 1.0
        if lab.get("realtime"):
            found[REALTIME] = 1.0
    return found | {name: 1.0 for name in (*_servers(), *_devices())}


def needs(trial: Trial) -> dict[str, float]:
    """The resources that a trial needs in addition to the machine itself."""
    wanted = {NAMESPACES: SMALL_AMOUNT}
    if is_known(trial.server) and trial.server != "built-in":
        wanted[server_resource(trial.server)] = SMALL_AMOUNT
    return wanted


def describe() -> Description:
    """The description of this machine."""
    seen = environment()
    return Description(
        socket.gethostname(),
        wirelab.__version__,
        _sources(),
        programs(),
        seen,
        tuple(warnings(seen)),
        _spin(),
    )


def differences(here: Description, there: Description, node: str) -> None:
    """Check that a node has the same wirelab and programs as this machine.

    Raises BadInput that names the difference.
    """
    step = "install the same build on every node"
    if (there.version, there.sources) != (here.version, here.sources):
        mine, its = (f"{d.version} (sources {d.sources[:8]})" for d in (here, there))
        raise BadInput(f"node {node}", f"has wirelab {its}, this machine has {mine}", step)
    for name, digest in here.programs.items():
        if there.programs.get(name) != digest:
            its = f"another {name}" if name in there.programs else f"no {name}"
            raise BadInput(f"node {node}", f"has {its} than this machine", step)


@functools.cache
def programs() -> dict[str, str]:
    """The digest of each of our programs, by name. Raises BadInput if none is built."""
    folder = Path(find("wirelab-link")).parent
    found = (
        path for path in sorted(folder.glob("wirelab-*")) if not path.suffix and os.access(path, os.X_OK)
    )
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in found}


@functools.cache
def _sources() -> str:
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"\0{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _spin() -> int:
    """ns of hashing 1 MiB, the least of 20: the machine's speed, not its load."""
    took = []
    for _ in range(20):
        began = time.perf_counter_ns()
        hashlib.sha256(_SPIN).digest()
        took.append(time.perf_counter_ns() - began)
    return min(took)


def _lab() -> dict[str, object] | None:
    """The lab.json of a lab with one host; None if no lab can be made."""
    spec = {"seed": 1, "realtime": "auto", "hosts": [{"name": "device", "link": "ideal"}]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(spec))
        file.flush()
        try:
            argv = [find("wirelab-link"), "lab", file.name, "--", "cat", "/run/wirelab/lab.json"]
            done = subprocess.run(argv, capture_output=True, timeout=_PROBE_S, check=True)
            told: dict[str, object] = json.loads(done.stdout)
        except (WirelabError, OSError, subprocess.SubprocessError, ValueError):
            return None
    return told


def server_resource(name: str) -> str:
    return f"server-{name}"


def _servers() -> list[str]:
    offered = {(name, p.name) for p in protocols().values() for name in p.servers if name != "built-in"}
    found = set()
    for name, protocol in offered:
        try:
            check(name, protocol)
        except WirelabError:
            continue
        if is_known(name):
            found.add(server_resource(name))
    return sorted(found)


def _devices() -> list[str]:
    from wirelab.devices.catalog import devices, missing_tools  # noqa: PLC0415

    return [f"device-{name}" for name, device in devices().items() if not missing_tools(device)]


if __name__ == "__main__":
    print(json.dumps(resources()))
