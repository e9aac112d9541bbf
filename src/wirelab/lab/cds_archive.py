"""Build the class data sharing archive of Java peers or of a server in the JVM.

`python -m wirelab.lab.cds_archive peers|kafka|artemis|...` starts them once for this.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from wirelab.lab import servers
from wirelab.lab.hosts import Loopback
from wirelab.lab.jvm_cds import KEEP
from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import (
    Address,
    Describe,
    Described,
    MessagesPayload,
    Prepare,
    Prepared,
    Role,
)
from wirelab.lab.ports import free_port
from wirelab.lab.protocols import protocols
from wirelab.lab.servers import embedded, kafka, kinds
from wirelab.model.errors import MeasurementFailed
from wirelab.system.binaries import find
from wirelab.system.data_root import data_root

ANSWER_TIMEOUT_S = 60.0
JAVA = "wirelab-peer-java"
# The jars and the archive of each JVM.
HOMES = {
    "peers": data_root() / "java" / "peers" / "target",
    "kafka": kafka.JARS,
    **{name: embedded.JARS / name for name, kind in kinds().items() if isinstance(kind, embedded.Embedded)},
}


def keep(name: str) -> None:
    """Start and end it, and install its archive. Raises BadInput, MeasurementFailed."""
    with tempfile.TemporaryDirectory(prefix="wirelab-") as folder:
        peers(Path(folder)) if name == "peers" else server(name, Path(folder))
    for made in HOMES[name].glob("*.jsa.new"):
        made.replace(made.with_suffix(""))


def peers(folder: Path) -> None:
    """Run a publisher of every Java library on a port without a server.

    It loads most of its classes before the connect fails.
    """
    for protocol in protocols().values():
        for argv in protocol.libraries.values():
            if argv[0] == JAVA:
                _refused(argv, list(protocol.qos)[-1], folder)


def _refused(argv: tuple[str, ...], qos: str, folder: Path) -> None:
    process = subprocess.Popen([find(argv[0]), *argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    peer = Peer(argv[-1], process)
    message = folder / "message"
    message.write_bytes(bytes([1, 0, 0, 0, 0]))
    with contextlib.suppress(MeasurementFailed):
        peer.ask(Describe(), Described, ANSWER_TIMEOUT_S)
        prepare = Prepare(
            role=Role.PUBLISHER,
            server=Address("127.0.0.1", free_port()),
            qos=qos,
            options={"connect_timeout_s": "1"},
            topic="wirelab/classes",
            client="classes",
            payload=MessagesPayload(str(message)),
            samples=str(folder / "samples"),
            capacity=1,
        )
        peer.ask(prepare, Prepared, ANSWER_TIMEOUT_S)
    # End of input ends a peer that did connect, or does not answer.
    assert process.stdin is not None
    process.stdin.close()
    process.wait()


def server(name: str, folder: Path) -> None:
    """Run a server until it is ready, then end it. Raises BadInput, MeasurementFailed."""
    protocol = next(one for one in protocols().values() if name in one.servers)
    site = servers.Site(protocol.name, free_port(), Loopback(), folder, protocol.transports[0])
    running = servers.start(name, site)
    assert running is not None
    # `stop` would kill it after 2 s, while it writes its archive.
    running.process.terminate()
    running.process.wait()


if __name__ == "__main__":
    os.environ[KEEP] = "1"
    for wanted in sys.argv[1:]:
        keep(wanted)
