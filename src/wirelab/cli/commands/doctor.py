"""`wirelab doctor`: what works on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import click

from wirelab.model.errors import WirelabError


@click.command("doctor")
def command() -> int:
    """Check what works on this machine, and say how to install what is missing.

    Exit code 2: wirelab cannot measure here.
    """
    from wirelab.lab.environment import environment, warnings

    seen = environment()
    click.echo(
        f"{seen['cpu'] or seen['machine']}, {seen['cores']} cores, kernel {seen['kernel']}, {seen['user']}"
    )
    essential = [_check(name, probe) for name, probe in PROBES]
    for name, probe in [*_servers(), *OPTIONAL]:
        _check(name, probe)
    for warning in warnings(seen):
        click.echo(f"  note    {warning}")
    return 0 if all(essential) else 2


def _check(name: str, probe: Callable[[], str]) -> bool:
    try:
        click.echo(f"  ok      {name}: {probe()}")
    except WirelabError as error:
        click.echo(f"  missing {name}: {error.sentence}")
        return False
    return True


def _binaries() -> str:
    from wirelab.lab import manifests
    from wirelab.lab.protocols import protocol
    from wirelab.model import study
    from wirelab.system.binaries import find

    peers = {protocol(name).default_peer[0] for name in (*study.PROTOCOLS, "mock")}
    built_in = manifests.servers()["built-in"].serves
    servers = {part.program for part in built_in if part.protocol in study.PROTOCOLS}
    names = {"wirelab-link", "wirelab-codec", *peers, *servers}
    return f"{len([find(name) for name in sorted(names)])} programs"


def _peers() -> str:
    from wirelab.lab import manifests
    from wirelab.lab.protocols import protocols
    from wirelab.system.binaries import find

    names = {argv[0] for p in protocols().values() for argv in p.libraries.values()}
    names |= {part.program for part in manifests.servers()["built-in"].serves}
    return f"{len([find(name) for name in sorted(names)])} programs for all protocols, libraries and built-in servers"


def _lab() -> str:
    from wirelab.lab.host_cpu import cpu_time, stolen_share
    from wirelab.lab.link import check, own_lateness_us
    from wirelab.model.reason import steal_note

    before = cpu_time()
    figures = check("ideal", 1)
    stolen = steal_note(stolen_share(cpu_time(), before))
    late = f"packets leave late by {own_lateness_us(figures):.0f} us at the 99th percentile just now"
    if stolen:
        late += f", when {stolen}"
    cost = WITH_REALTIME if figures.get("realtime") else WITHOUT_REALTIME
    return f"namespaces and emulated links work, {late}; {cost} (docs/explanation/emulator.md, What privileges change)"


def _tun() -> str:
    from wirelab.model.errors import BadInput

    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise BadInput(
            "/dev/net/tun",
            "cannot be opened",
            "backend tun is not available; the default, af_packet, needs no such permission and is as exact",
        )
    return "backend tun is possible; the default, af_packet, is as exact"


def _cargo() -> str:
    from wirelab.codecs.rust import RUST_VERSION
    from wirelab.model.errors import BadInput

    cargo = shutil.which("cargo")
    if cargo is None:
        step = f"install Rust {RUST_VERSION} or later: codec packs are compiled with it"
        raise BadInput("cargo", "not found", step)
    return cargo


def _servers() -> list[tuple[str, Callable[[], str]]]:
    """One probe per third-party server."""
    from wirelab.lab.protocols import protocols_on
    from wirelab.lab.servers import Driver, kinds

    def probe(kind: Driver) -> Callable[[], str]:
        served = protocols_on(kind.name)
        return lambda: f"{kind.find(served[0])} {kind.version(served[0])}, {', '.join(served)}"

    return [(name, probe(kind)) for name, kind in kinds().items() if name != "built-in"]


def _devices() -> str:
    from wirelab.devices.catalog import devices, missing_tools
    from wirelab.model.errors import BadInput

    missing = {name: str(lacking) for name, device in devices().items() if (lacking := missing_tools(device))}
    if missing:
        raise BadInput(
            ", ".join(missing), "toolchain or simulator not found", "; ".join(dict.fromkeys(missing.values()))
        )
    return f"{len(devices())} microcontrollers can be simulated"


# As measured for docs/explanation/emulator.md, which has the commands.
WITH_REALTIME = "SCHED_FIFO: emulator wake-up latency 4.5 us under full CPU load, 1 to 268 ms without it"
WITHOUT_REALTIME = (
    "no real-time scheduling: emulator wake-up latency 27 us to 1.3 ms on an idle machine (8 us with SCHED_FIFO) "
    "and 1 to 268 ms under full CPU load (4.5 us); run as root or give CAP_SYS_NICE"
)

PROBES: list[tuple[str, Callable[[], str]]] = [("programs", _binaries), ("lab", _lab), ("compiler", _cargo)]
OPTIONAL: list[tuple[str, Callable[[], str]]] = [("tun", _tun), ("peers", _peers), ("devices", _devices)]
