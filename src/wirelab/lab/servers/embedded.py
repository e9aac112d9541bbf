"""Servers that embed in a JVM (java/servers): a library, and a main class that says `ready` as the built-in servers do."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wirelab.lab.jvm_cds import archive
from wirelab.lab.servers.built_in import served
from wirelab.lab.servers.server import Server, Site, Watcher, program
from wirelab.model.errors import BadInput

JARS = Path(__file__).resolve().parents[4] / "target" / "servers"
# Started for one trial: a JVM that collects with one thread takes less CPU from the peers beside it.
JAVA = (
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-Djava.net.preferIPv4Stack=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)


class Embedded(Struct):
    """A server in a JVM: its name, `main` class, and the jar whose name ends in its version.

    `transports` are what it listens by; `heap` is java's -Xmx; `opened` the packages of the JDK that its libraries reach into.
    `tells`: it counts what waits at it. `asks` are, by protocol, the options of peers that speak to it, where their own defaults are another server's.
    """

    name: str
    main: str
    jar: str
    transports: tuple[str, ...]
    heap: str = "1g"
    opened: tuple[str, ...] = ()
    tells: bool = False
    asks: dict[str, dict[str, str]] = {}
    # They take 1 to 4 s of CPU to start, and some 100 MB.
    weight: int = 2

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """The library's jar. Raises BadInput."""
        program("java", "apt install openjdk-17-jre-headless")
        found = sorted((JARS / self.name).glob(f"{self.jar}-[0-9]*.jar"))
        if not found or not (JARS / self.name / f"wirelab-{self.name}.jar").exists():
            raise BadInput(self.name, "its jars are not here", f"run make {self.name}")
        return str(found[-1])

    def version(self, protocol: str) -> str:
        """From the name of its jar."""
        return Path(self.find(protocol)).stem.rpartition("-")[2]

    def start(self, site: Site) -> Server:
        """Start it with a folder of its own, and wait for its line."""
        self.find(site.protocol)
        if site.transport not in self.transports:
            raise BadInput(
                f"transport {site.transport}", f"{self.name} has it not", f"name {', '.join(self.transports)}"
            )
        folder = JARS / self.name
        opened = [word for package in self.opened for word in ("--add-opens", f"{package}=ALL-UNNAMED")]
        classes = f"{folder / f'wirelab-{self.name}.jar'}{os.pathsep}{folder}/*"
        # Native libraries unpack themselves there: a JVM that is killed leaves nothing behind.
        unpacked = [f"-D{name}.tmpdir={site.data()}" for name in ("java.io", "jna")]
        kept = archive(folder / "classes.jsa")
        java = ["java", f"-Xmx{self.heap}", *kept, *JAVA, *unpacked, *opened, "-cp", classes, self.main]
        if not (self.tells and site.watched):
            return served(site.launch([*java, *_arguments(site)]), site)
        waiting = site.folder / "waiting"
        server = served(site.launch([*java, *_arguments(site), "--waiting", str(waiting)]), site)
        # It writes what waits down by itself.
        return replace(server, watcher=Watcher(server.process, waiting))


def _arguments(site: Site) -> list[str]:
    words = ["--listen", f"{site.address}:{site.port}"]
    if site.application:
        words += ["--application", site.application]
    if site.transport:
        words += ["--protocol", site.protocol, "--transport", site.transport, "--data", str(site.data())]
    if site.certificates is not None:
        words += ["--certificate", str(site.certificates.server), "--key", str(site.certificates.key)]
    return words


EMBEDDED = (
    Embedded(
        "californium", "wirelab.servers.Californium", "californium-core", ("", "dtls"), heap="512m", weight=1
    ),
    Embedded("artemis", "wirelab.servers.Artemis", "artemis-server", ("tcp", "tls", "ws", "wss"), tells=True),
    Embedded(
        "qpid",
        "wirelab.servers.Qpid",
        "qpid-broker-core",
        ("tcp", "tls"),
        tells=True,
        asks={"amqp10": {"address": "amq.direct/{topic}"}},
    ),
    Embedded(
        "hivemq",
        "wirelab.servers.HiveMq",
        "hivemq-community-edition-embedded",
        ("tcp", "tls", "ws", "wss"),
        opened=("java.base/java.lang", "java.base/java.nio", "java.base/sun.nio.ch"),
    ),
)
