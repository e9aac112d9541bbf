"""Apache Kafka from Maven Central: one node as broker and controller (KRaft), over TCP and TLS."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirelab.lab.host_cpu import slower
from wirelab.lab.jvm_cds import archive
from wirelab.lab.process import listens
from wirelab.lab.servers.server import Driver, Server, Site, end, program, tail, wait_until
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.result import ServerInfo
from wirelab.system.data_root import data_root

if TYPE_CHECKING:
    from wirelab.lab.certificates import Certificates

JARS = data_root() / "target" / "kafka"
JAVA = (
    "-Xmx1g",
    "-Djava.net.preferIPv4Stack=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)
FORMAT_TIMEOUT_S = 60.0
FORMAT = "kafka.tools.StorageTool"
# An arbitrary identifier of the cluster: 16 bytes in base64url.
CLUSTER = "d2lyZWxhYi1jbHVzdGVyMQ"
# Kafka's documentation, "Broker Configs". Other settings have their defaults.
LIMITS = {
    "message.max.bytes": str((64 << 20) + 65_536),
    "fetch.max.bytes": str(128 << 20),
    "connections.max.idle.ms": "86400000",
    "num.partitions": "1",
    "min.insync.replicas": "1",
}
ONE_NODE = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


class Kafka(Driver):
    """The server whose jars `make kafka` copies."""

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """The jar of the server. Raises BadInput."""
        program("java", "apt install openjdk-17-jre-headless")
        found = sorted(JARS.glob("kafka_2.13-*.jar"))
        if not found:
            raise BadInput("kafka", "its jars are not built", self.manifest.install_line)
        return str(found[-1])

    def version(self, protocol: str) -> str:
        """From the name of its jar."""
        return Path(self.find(protocol)).stem.rpartition("-")[2]

    def start(self, site: Site) -> Server:
        """Format its own store, and start the node on it."""
        return self.run(site, settings(site))

    def run(self, site: Site, settings: dict[str, str]) -> Server:
        """Start with these settings.

        An existing store of the site is kept. Raises MeasurementFailed.
        """
        version = self.version(site.protocol)
        configuration = site.folder / "kafka.properties"
        configuration.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        java = ["java", *archive(JARS / "classes.jsa"), *JAVA, "-cp", f"{JARS}/*"]
        formats = site.launch(
            [*java, FORMAT, "format", "--ignore-formatted", "-t", CLUSTER, "-c", str(configuration)]
        )
        try:
            told = formats.communicate(timeout=FORMAT_TIMEOUT_S * slower())[0]
        finally:
            end(formats)
        if formats.returncode != 0:
            why = told.decode(errors="replace").strip().splitlines()[-1:] or [tail(site.log)]
            raise MeasurementFailed(self.name, f"its store could not be formatted: {why[0]}")
        process = site.launch([*java, "kafka.Kafka", str(configuration)])
        wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        return Server(ServerInfo(self.name, version, LIMITS), process)


def settings(site: Site) -> dict[str, str]:
    """One node that listens at the site, with its store there."""
    own, controller = f"PLAINTEXT://{site.address}:{site.port}", f"127.0.0.1:{site.port + 1}"
    told = {
        **ONE_NODE,
        **LIMITS,
        "listeners": f"{own},CONTROLLER://{controller}",
        "advertised.listeners": own,
        "controller.quorum.voters": f"1@{controller}",
        "log.dirs": str(site.data() / "log"),
    }
    return told if site.certificates is None else told | _encrypted(site, site.certificates, controller)


def _encrypted(site: Site, made: Certificates, controller: str) -> dict[str, str]:
    """The differences for clients over TLS 1.3.

    The node's own connection is unencrypted, on another port.
    """
    shown = site.folder / "kafka.pem"
    shown.write_bytes(made.key.read_bytes() + made.server.read_bytes())
    own = f"SSL://{site.address}:{site.port},PLAINTEXT://127.0.0.1:{site.port + 2}"
    return {
        "listeners": f"{own},CONTROLLER://{controller}",
        "advertised.listeners": own,
        "inter.broker.listener.name": "PLAINTEXT",
        "ssl.enabled.protocols": "TLSv1.3",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(shown),
    }
