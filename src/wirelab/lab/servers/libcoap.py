"""libcoap's server (servers/libcoap): a relay over UDP or DTLS, or the car park, the application and its server in one."""

from __future__ import annotations

from wirelab.lab.binaries import find
from wirelab.lab.servers.built_in import served
from wirelab.lab.servers.server import Server, Site
from wirelab.model.errors import BadInput

PROGRAM = "wirelab-server-libcoap"


class Libcoap:
    """Without an application it notifies observers of every update."""

    name = "libcoap"
    weight = 1

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """The program's path. Raises BadInput."""
        try:
            return find(PROGRAM)
        except BadInput:
            raise BadInput("libcoap", "its server is not built", "run make peers") from None

    def version(self, protocol: str) -> str:  # noqa: ARG002
        """Only a running one tells."""
        return ""

    def start(self, site: Site) -> Server:
        """Start it and wait for its line."""
        words = ["--listen", f"{site.address}:{site.port}"]
        if site.application:
            words += ["--application", site.application]
        if site.certificates is not None:
            words += ["--certificate", str(site.certificates.server), "--key", str(site.certificates.key)]
        return served(site.launch([self.find(site.protocol), *words]), site)
