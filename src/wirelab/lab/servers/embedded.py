"""Servers that embed in a JVM (java/servers): a library, and a main class that writes one line when
it is ready.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wirelab.lab.jvm_cds import archive
from wirelab.lab.manifests import ServerManifest
from wirelab.lab.servers.program import served_by
from wirelab.lab.servers.server import Driver, Server, Site, Watcher, program
from wirelab.model.errors import BadInput
from wirelab.system.data_root import data_root

JARS = data_root() / "target" / "servers"
# The JVM runs for one trial. Garbage collection with one thread takes less CPU time from peers.
JAVA = (
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-Djava.net.preferIPv4Stack=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The table `settings` of the manifest: the main class, and the jar whose name ends in the
    version of the server.

    `heap` is java's -Xmx. `opened` are packages of the JDK that its libraries access.
    `counts_waiting`: it reports its queue depth.
    """

    main: str
    jar: str
    heap: str = "1g"
    opened: tuple[str, ...] = ()
    counts_waiting: bool = False


class Embedded(Driver):
    """A server in a JVM of its own."""

    def __init__(self, manifest: ServerManifest) -> None:
        super().__init__(manifest)
        try:
            self.settings = msgspec.convert(manifest.settings, Settings)
        except msgspec.ValidationError as error:
            raise BadInput(
                f"manifest {manifest.folder}/server.toml", str(error), "correct settings"
            ) from None

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """The library's jar. Raises BadInput."""
        program("java", "apt install openjdk-17-jre-headless")
        found = sorted((JARS / self.name).glob(f"{self.settings.jar}-[0-9]*.jar"))
        if not found or not (JARS / self.name / f"wirelab-{self.name}.jar").exists():
            raise BadInput(self.name, "its jars are not built", self.manifest.install_line)
        return str(found[-1])

    def version(self, protocol: str) -> str:
        """From the name of its jar."""
        return Path(self.find(protocol)).stem.rpartition("-")[2]

    def start(self, site: Site) -> Server:
        """Start it with its own folder, and wait for its line."""
        self.find(site.protocol)
        folder, settings = JARS / self.name, self.settings
        opened = [word for package in settings.opened for word in ("--add-opens", f"{package}=ALL-UNNAMED")]
        classes = f"{folder / f'wirelab-{self.name}.jar'}{os.pathsep}{folder}/*"
        # Native libraries are unpacked there, so that a killed JVM leaves no files.
        unpacked = [f"-D{name}.tmpdir={site.data()}" for name in ("java.io", "jna")]
        kept = archive(folder / "classes.jsa")
        java = ["java", f"-Xmx{settings.heap}", *kept, *JAVA, *unpacked, *opened, "-cp", classes]
        words = [*java, settings.main, *_arguments(site)]
        if not (settings.counts_waiting and site.watched):
            return served_by(site.launch(words), site)
        waiting = site.folder / "waiting"
        server = served_by(site.launch([*words, "--waiting", str(waiting)]), site)
        # It writes its queue depth by itself.
        return replace(server, watcher=Watcher(server.process, waiting))


def _arguments(site: Site) -> list[str]:
    words = ["--listen", f"{site.address}:{site.port}", *site.responding]
    if site.transport:
        words += ["--protocol", site.protocol, "--transport", site.transport, "--data", str(site.data())]
    if site.certificates is not None:
        words += ["--certificate", str(site.certificates.server), "--key", str(site.certificates.key)]
    return words
