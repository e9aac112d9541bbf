"""Servers as plain child processes inside a lab.

Each has a manifest, `server.toml`, that names its driver.
"""

from __future__ import annotations

import functools
from importlib import import_module

from wirelab.lab import manifests
from wirelab.lab.manifests import NO_SERVER, ServerManifest
from wirelab.lab.servers.external import External, Outside, is_external
from wirelab.lab.servers.queue_depth import seen
from wirelab.lab.servers.server import Driver, Server, Site
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest


def start(name: str, site: Site) -> Server | None:
    """Start the server `name` on the host `server`; None if the protocol has none.

    Raises BadInput if it is not installed or does not support the site, MeasurementFailed if it
    does not become ready.
    """
    if name == NO_SERVER:
        return None
    driver = kind(name)
    if not is_external(name):
        _check_support(driver.manifest, site)
    return driver.start(site)


def check(name: str, protocol: str) -> None:
    """Check that a server is installed. Raises BadInput with the command that installs it."""
    if name != NO_SERVER:
        kind(name).find(protocol)


@functools.cache
def kind(name: str) -> Driver:
    """The kind of server called `name`, or the one at the address it gives. Raises BadInput."""
    if is_external(name):
        return External(name)
    known = manifests.servers()
    if name not in known:
        raise BadInput(f"server '{name}'", "unknown", nearest(name, known))
    manifest = known[name]
    module, _, attribute = manifest.driver.partition(":")
    try:
        driver: type[Driver] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(
            f"server '{name}'", f"its driver {manifest.driver}: {error}", "correct server.toml"
        ) from None
    return driver(manifest)


def kinds() -> dict[str, Driver]:
    """All kinds of servers by name, the built-in one first. Raises BadInput."""
    return {name: kind(name) for name in manifests.servers()}


def is_known(name: str) -> bool:
    """Whether a kind of server has this name."""
    return name in manifests.servers()


def peer_options(name: str, protocol: str) -> dict[str, str]:
    """Options of peers for a server, which replace defaults for another server."""
    served = manifests.servers()[name].served(protocol) if is_known(name) else None
    return dict(served.peer_options) if served else {}


def responds(name: str) -> bool:
    """Whether a server carries out scripts, so that it needs no responder."""
    return is_known(name) and manifests.servers()[name].responds


def slots(name: str) -> int:
    """The slots of a trial on this server."""
    return manifests.servers()[name].slots if is_known(name) else 1


def _check_support(manifest: ServerManifest, site: Site) -> None:
    """Check that a server supports protocol, transport and qos. Raises BadInput."""
    served = manifest.served(site.protocol)
    if served is None:
        names = ", ".join(part.protocol for part in manifest.serves)
        raise BadInput(f"protocol {site.protocol}", f"not supported by {manifest.name}", f"it serves {names}")
    for factor, level, offered in (
        ("transport", site.transport, served.transports),
        ("qos", site.qos, served.qos),
    ):
        if level and offered and level not in offered:
            why = f"not supported by {manifest.name} for {site.protocol}"
            raise BadInput(f"{factor} {level}", why, _alternatives(manifest.name, site, offered))


def _alternatives(name: str, site: Site, offered: tuple[str, ...]) -> str:
    others = [
        other
        for other, manifest in manifests.servers().items()
        if other != name
        and (part := manifest.served(site.protocol)) is not None
        and (not site.transport or site.transport in part.transports)
        and (not site.qos or not part.qos or site.qos in part.qos)
    ]
    levels = f"choose {' or '.join(level or 'the default' for level in offered)}"
    return levels + (f", or use --server {' or '.join(others)}" if others else "")


__all__ = [
    "Driver",
    "Outside",
    "Server",
    "Site",
    "check",
    "is_external",
    "is_known",
    "kind",
    "kinds",
    "peer_options",
    "responds",
    "seen",
    "slots",
    "start",
]
