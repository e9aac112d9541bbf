"""NATS: core and JetStream, over TCP and TLS."""

from __future__ import annotations

import json
import re
import subprocess

from wirelab.lab.process import listens
from wirelab.lab.servers.queue_depth import watch
from wirelab.lab.servers.server import Driver, Server, Site, program, wait_until
from wirelab.model.result import ServerInfo

# docs.nats.io, "Configuration". These raise defaults that reject large messages (1MB), or drop a
# subscriber with 64MB unread or with a link that stalls for 10 s. JetStream's are of the server,
# not of a stream.
LIMITS: dict[str, int | str] = {
    "max_payload": 64 << 20,
    "max_pending": 4 << 30,
    "write_deadline": "24h",
    "jetstream.max_memory_store": 8 << 30,
    "jetstream.max_file_store": 64 << 30,
}
# Of 2 s by default. Over a slow link a handshake takes longer.
HANDSHAKE_S = 3600
# The qos at which the server counts messages; at the other the backlog is bytes of a connection.
STORED = "jetstream"


class Nats(Driver):
    """The server of Debian's package nats-server."""

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """Its path. Raises BadInput."""
        return program("nats-server", self.manifest.install_line)

    def version(self, protocol: str) -> str:
        """From its own output."""
        told = subprocess.run(
            [self.find(protocol), "--version"], capture_output=True, text=True, check=False
        ).stdout
        found = re.search(r"v(\d\S*)", told)
        return found[1] if found else ""

    def start(self, site: Site) -> Server:
        """Start it with its own store, which it uses only if the qos needs it."""
        configuration = site.folder / "nats.conf"
        configuration.write_text(json.dumps(_configuration(site)))
        process = site.launch([self.find(site.protocol), "-c", str(configuration)])
        wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        told = {key: str(value) for key, value in LIMITS.items()}
        watcher = watch(site, "nats", site.port + 1) if site.qos == STORED else None
        return Server(ServerInfo(self.name, self.version(site.protocol), told), process, watcher=watcher)


def _configuration(site: Site) -> dict[str, object]:
    """Its configuration file, in JSON."""
    jetstream = {key.partition(".")[2]: value for key, value in LIMITS.items() if "." in key}
    told: dict[str, object] = {
        "host": site.address,
        "port": site.port,
        **{key: value for key, value in LIMITS.items() if "." not in key},
        "jetstream": {"store_dir": str(site.data()), **jetstream},
    }
    if site.qos == STORED:
        told["http"] = f"127.0.0.1:{site.port + 1}"
    if site.certificates is not None:
        told["tls"] = {
            "cert_file": str(site.certificates.server),
            "key_file": str(site.certificates.key),
            "timeout": HANDSHAKE_S,
        }
    return told
