"""`wirelab list`: what flags and study files can name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from wirelab.cli.options import grouped_command, view_option
from wirelab.model.errors import BadInput
from wirelab.model.study import FORMATS
from wirelab.system.binaries import BUILD

KINDS = ("formats", "protocols", "servers", "links", "devices")
Rows = list[dict[str, Any]]


@grouped_command("list")
@click.argument("kind", type=click.Choice(KINDS), required=False)
@view_option
def command(kind: str | None, view: str) -> None:
    """List the formats, protocols, servers, links and devices that flags and study files can name."""
    if view == "csv" and kind is None:
        raise BadInput(
            "list", "CSV holds one table", f"name one: wirelab list {KINDS[0]} --output-format csv"
        )
    found = {each: LISTS[each]() for each in ((kind,) if kind else KINDS)}
    SHAPES[view](found)


def _json(found: dict[str, Rows]) -> None:
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())


def _csv(found: dict[str, Rows]) -> None:
    import csv
    import sys

    for rows in found.values():
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(_headings(rows))
        writer.writerows([_cell(value) for value in row.values()] for row in rows)


def _markdown(found: dict[str, Rows]) -> None:
    from wirelab.report.markdown_text import table

    for kind, rows in found.items():
        drawn = table(_headings(rows), [[_cell(value) for value in row.values()] for row in rows])
        click.echo(f"## {kind}\n\n{drawn}\n")


def _text(found: dict[str, Rows]) -> None:
    from rich.text import Text

    from wirelab.report.terminal_table import Column, plain_console, print_table

    console = plain_console()
    for at, (kind, rows) in enumerate(found.items()):
        if at:
            console.print()
        console.print(Text(kind, style="bold"))
        columns = [
            Column(title, [Text(_cell(row[title])) for row in rows], drop=place, wrap=place > 0)
            for place, title in enumerate(_headings(rows))
        ]
        print_table(console, columns)
        if any("(not built)" in _cell(value) for row in rows for value in row.values()):
            console.print(Text(f"not built: {BUILD}"))


def _headings(rows: Rows) -> Sequence[str]:
    return list(rows[0]) if rows else ()


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {text}".rstrip() for name, text in value.items())
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def _formats() -> Rows:
    """Every format with its codecs by language, those that are compared by default first."""
    from wirelab.codecs.cpp.registry import CPP
    from wirelab.codecs.java.registry import JAVA
    from wirelab.codecs.registry import RUST

    by_language = {"rust": RUST, "cpp": CPP, "java": JAVA}
    names = dict.fromkeys([*FORMATS, *(c.format for known in by_language.values() for c in known)])
    return [
        {
            "format": name,
            **{
                language: [codec.library for codec in known if codec.format == name]
                for language, known in by_language.items()
            },
        }
        for name in names
    ]


def _protocols() -> Rows:
    from wirelab.lab.peer import versions
    from wirelab.lab.protocols import protocols

    known = [p for p in protocols().values() if p.listed]
    version = versions([argv for p in known for argv in p.libraries.values()])
    return [
        {
            "protocol": p.name,
            "qos": list(p.qos),
            "client_library": {name: version[argv] for name, argv in p.libraries.items()},
            "server": list(p.servers),
            "transport": [name or "default" for name in p.transports],
        }
        for p in known
    ]


def _servers() -> Rows:
    from wirelab.lab.protocols import protocols_on
    from wirelab.lab.servers import kinds

    rows = []
    for name, kind in kinds().items():
        served = protocols_on(name)
        version, missing = "", ""
        try:
            kind.find(served[0])
            version = kind.version(served[0])
        except BadInput as error:
            missing = error.sentence
        rows.append({"server": name, "protocols": list(served), "version": version, "missing": missing})
    return rows


def _links() -> Rows:
    from wirelab.lab.link import profiles

    return [
        {"link": p["name"], "summary": p.get("summary", ""), "source": p.get("source", "")}
        for p in profiles()
    ]


def _devices() -> Rows:
    from wirelab.devices.catalog import devices, missing_tools

    return [
        {"device": name, "title": device.title, "missing": missing_tools(device) or ""}
        for name, device in devices().items()
    ]


SHAPES = {"json": _json, "csv": _csv, "md": _markdown, "text": _text}
LISTS = {
    "formats": _formats,
    "protocols": _protocols,
    "servers": _servers,
    "links": _links,
    "devices": _devices,
}
