"""Tables of protocols, servers and formats, from their manifests and declarations."""

from __future__ import annotations

from collections.abc import Iterable

from wirelab.codecs.cpp.registry import CPP
from wirelab.codecs.formats import formats
from wirelab.codecs.java.registry import JAVA
from wirelab.codecs.registry import RUST
from wirelab.lab import manifests
from wirelab.lab.protocols import protocols
from wirelab.model.study import FORMATS

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Header and rows."""


def code(words: Iterable[str]) -> str:
    """Words as code; `-` where there are none."""
    return ", ".join(f"`{word}`" for word in words if word) or "-"


def carried(transports: tuple[str, ...]) -> str:
    """Transports as code; `default` is the one without a name, where there is a choice."""
    return code(one or "default" for one in transports) if any(transports) else "-"


def protocol_table() -> Table:
    """Every protocol with its levels; the first of each is the default."""
    rows = [
        (
            f"`{one.name}`",
            f"[{one.title}]({one.page}.md)",
            ", ".join(f"`{name}` {promise}" for name, promise in one.qos.items()),
            code(one.libraries),
            code(one.servers),
            carried(one.transports),
        )
        for one in protocols().values()
    ]
    return (
        "`--protocol`",
        "title",
        "QoS and what it promises",
        "client libraries",
        "servers",
        "transports",
    ), rows


def server_table() -> Table:
    """Every kind of server with what it serves and how to get it."""
    rows = []
    for name, kind in manifests.servers().items():
        title = f"[{kind.title}]({kind.page}.md)" if kind.page else kind.title
        served = []
        for one in kind.serves:
            limits = [carried(one.transports)] if any(one.transports) else []
            limits += [f"QoS {code(one.qos)}"] if one.qos else []
            served.append(f"`{one.protocol}`" + (f" ({'; '.join(limits)})" if limits else ""))
        line = kind.install_line.removeprefix("run ") if kind.install or kind.packages else "make peers"
        rows.append((f"`{name}`", title, ", ".join(served), f"`{line}`"))
    return ("`--server`", "title", "protocols and transports", "install with"), rows


def format_table() -> Table:
    """Every format with its codecs in each language; the first is the default."""
    rows = []
    for name, one in formats().items():
        libraries = [
            code(codec.library for codec in known if codec.format == name) for known in (RUST, CPP, JAVA)
        ]
        rows.append((f"`{name}`", one.title, *libraries))
    return ("`--format`", "title", "Rust", "C++", "Java"), rows


def supported_table() -> Table:
    """What is supported of each kind, by title: formats that are compared by default come first."""
    known = formats()
    names = dict.fromkeys([*FORMATS, *known])
    titles = {
        "formats": [known[name].title for name in names],
        "protocols": [one.title for one in protocols().values() if one.listed],
        "servers": [kind.title for kind in manifests.servers().values()],
    }
    rows = [(kind, ", ".join(found), f"`wirelab list {kind}`") for kind, found in titles.items()]
    return ("kind", "supported", "details"), rows
