"""`wirelab list`: what can be named."""

from __future__ import annotations

import click

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
    """Every format with its codecs by language, those that are compared by default first."""
    from wirelab.codecs.cpp.registry import CPP
    from wirelab.codecs.java.registry import JAVA
    from wirelab.codecs.registry import RUST

    by_language = {"rust": RUST, "cpp": CPP, "java": JAVA}
    names = dict.fromkeys([*FORMATS, *(c.format for known in by_language.values() for c in known)])
    lines = []
    for name in names:
        parts = []
        for language, known in by_language.items():
            if found := [codec.library for codec in known if codec.format == name]:
                parts.append(f"{language}: {', '.join(found)}")
        lines.append(f"{name:<12} {'; '.join(parts)}")
    return lines


def _protocols() -> list[str]:
    from wirelab.lab.peer import versions
    from wirelab.lab.protocols import protocols

    told = versions([argv for p in protocols().values() for argv in p.libraries.values()])
    lines = []
    for p in protocols().values():
        if not p.listed:
            continue
        named = ", ".join(name or "default" for name in p.transports)
        over = f"; over {named}" if any(p.transports) else ""
        lines.append(f"{p.name:<9} qos {', '.join(p.qos)}; servers {', '.join(p.servers)}{over}")
        lines.append(" " * 10 + ", ".join(f"{name} {told[argv]}" for name, argv in p.libraries.items()))
    return lines


def _servers() -> list[str]:
    from wirelab.lab.protocols import protocols_on
    from wirelab.lab.servers import kinds
    from wirelab.model.errors import BadInput

    lines = []
    for name, kind in kinds().items():
        served = protocols_on(name)
        try:
            kind.find(served[0])
            here = kind.version(served[0])
        except BadInput as error:
            here = error.sentence
        lines.append(f"{name:<11} {', '.join(served)}{'; ' if here else ''}{here}")
    return lines


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
