"""Eclipse Mosquitto: MQTT 3.1.1 and 5 over TCP, TLS and WebSocket."""

from __future__ import annotations

import re
import subprocess

from wirelab.lab.process import listens
from wirelab.lab.servers.queue_depth import watch
from wirelab.lab.servers.server import Driver, Server, Site, program, wait_until
from wirelab.model.result import ServerInfo

# mosquitto.conf(5). The default queue of 1,000 messages silently drops messages that the qos
# promises to deliver. 0 means no limit, but 2.0.2, 2.0.16 and 2.0.21 misread it for this queue
# and drop or disconnect (issues 1956, 2879 and 3244 of eclipse-mosquitto/mosquitto).
LIMITS = {"max_queued_messages": "1000000", "max_inflight_messages": "0", "max_queued_bytes": "0"}
# The qos at which it keeps messages until they are acknowledged.
KEPT = ("1", "2")


class Mosquitto(Driver):
    """The broker of Debian's package mosquitto."""

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """Its path. Raises BadInput."""
        return program("mosquitto", self.manifest.install_line)

    def version(self, protocol: str) -> str:
        """From its own output."""
        told = subprocess.run([self.find(protocol), "-h"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"mosquitto version (\S+)", told)
        return found[1] if found else ""

    def start(self, site: Site) -> Server:
        """Start it without persistence and without limits on its queues."""
        configuration = site.folder / "mosquitto.conf"
        configuration.write_text("\n".join(_lines(site)) + "\n")
        process = site.launch([self.find(site.protocol), "-c", str(configuration)])
        wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        # At QoS 0 no message is kept: the backlog is bytes in a socket.
        watcher = watch(site, "mosquitto", site.port + 1) if site.qos in KEPT else None
        return Server(ServerInfo(self.name, self.version(site.protocol), LIMITS), process, watcher=watcher)


def _lines(site: Site) -> list[str]:
    lines = [
        "user root",
        "allow_anonymous true",
        "persistence false",
        "log_dest stderr",
        "set_tcp_nodelay true",
        *(f"{key} {value}" for key, value in LIMITS.items()),
    ]
    web = site.transport in ("ws", "wss")
    if site.qos in KEPT:
        lines.append("sys_interval 1")
    if web or site.qos in KEPT:
        # 2.0.11 does not start without a listener for plain MQTT. The queue depth is read there
        # too.
        lines.append(f"listener {site.port + 1} 127.0.0.1")
    lines += [f"listener {site.port} {site.address}", *(["protocol websockets"] if web else [])]
    if site.certificates is not None:
        made = site.certificates
        lines += [f"certfile {made.server}", f"keyfile {made.key}", "tls_version tlsv1.3"]
    return lines
