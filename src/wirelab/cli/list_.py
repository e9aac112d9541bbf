"""`wirelab list`: what can be named."""

from __future__ import annotations

import click

from wirelab.lab.catalog import PROTOCOLS
from wirelab.model.study import FORMATS

KINDS = ("formats", "protocols", "servers", "links", "devices")


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS), required=False)
def command(kind: str | None) -> None:
    """What can be named in flags and study files: formats, protocols, servers, links, devices."""
    for each in (kind,) if kind else KINDS:
        click.echo(f"{each}:")
        for line in LISTS[each]():
            click.echo(f"  {line}")


def _formats() -> list[str]:
    return list(FORMATS)


def _protocols() -> list[str]:
    return [
        f"{p.name:<8} qos {', '.join(p.qos):<16} servers {', '.join(p.servers)}"
        for p in PROTOCOLS.values()
        if p.name != "mock"
    ]


def _servers() -> list[str]:
    from wirelab.lab.server import mosquitto_binary
    from wirelab.model.errors import BadInput

    try:
        mosquitto = mosquitto_binary()
    except BadInput as error:
        mosquitto = error.sentence
    return ["built-in  every protocol", f"mosquitto mqtt; {mosquitto}"]


def _links() -> list[str]:
    from wirelab.lab.link import profiles

    return [f"{p['name']:<14} {p.get('summary', '')}  ({p.get('source', '')})" for p in profiles()]


def _devices() -> list[str]:
    from wirelab.devices.catalog import devices, missing_tools

    return [
        f"{name:<14} {device.title}; {missing_tools(device) or 'ready'}" for name, device in devices().items()
    ]


LISTS = {
    "formats": _formats,
    "protocols": _protocols,
    "servers": _servers,
    "links": _links,
    "devices": _devices,
}
