"""Servers that are killed and started again, and a TCP relay whose connections can be cut."""

from __future__ import annotations

import contextlib
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

from pairs import MOSQUITTO

from wirelab.lab import servers
from wirelab.lab.hosts import Loopback
from wirelab.lab.ports import free_port
from wirelab.lab.process import listens
from wirelab.lab.servers import kafka
from wirelab.lab.servers.embedded import Embedded
from wirelab.lab.servers.server import Server, Site, wait_until
from wirelab.model.result import ServerInfo

# With a store: what the lab starts has none. It is saved when the broker ends, and every second. Of
# messages that it loads without a limit of those in flight, 2.0.11 forgets how far their exchange
# was, and sends those of QoS 2 twice.
STORING = (
    MOSQUITTO.replace("max_inflight_messages 0", "max_inflight_messages 65534")
    + """\
persistence true
persistence_location {store}/
autosave_interval 1
"""
)


class Broker:
    """A server that keeps port and store over its restarts."""

    def __init__(self, name: str, protocol: str, folder: Path, storing: str = STORING) -> None:
        self.name = name
        self._mosquitto = storing
        self.port = free_port()
        # Where a relay to it has to listen, and to connect: Kafka tells its clients by which
        # address they have to come.
        self.relayed = (self.port + 3, self.port + 2) if name == "kafka" else (0, self.port)
        # Servers in the JVM need the signal.
        transport = "tcp" if isinstance(servers.kind(name), Embedded) else ""
        self._site = Site(protocol, self.port, Loopback(), folder, transport)
        self._running = self._launch()

    def _launch(self) -> Server:
        if self.name == "mosquitto":
            return self._storing()
        if self.name == "kafka":
            return self._advertising()
        running = servers.start(self.name, self._site)
        assert running is not None
        return running

    def _storing(self) -> Server:
        kind, site = servers.kind("mosquitto"), self._site
        file = site.folder / "mosquitto.conf"
        file.write_text(self._mosquitto.format(port=site.port, store=site.data()))
        process = site.launch([kind.find(site.protocol), "-c", str(file)])
        wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        return Server(ServerInfo(self.name, kind.version(site.protocol), {}), process)

    def _advertising(self) -> Server:
        own = kafka.settings(self._site)
        near, far = (f"RELAYED://127.0.0.1:{port}" for port in self.relayed)
        told = {
            "listeners": f"{own['listeners']},{far}",
            "advertised.listeners": f"{own['advertised.listeners']},{near}",
            "listener.security.protocol.map": f"{own['listener.security.protocol.map']},RELAYED:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
        }
        driver = servers.kind("kafka")
        assert isinstance(driver, kafka.Kafka)
        return driver.run(self._site, {**own, **told})

    def stores(self, topic: str) -> None:
        """Wait until what it keeps over a kill has the subscription to this topic.

        RabbitMQ grants a subscription over MQTT before its store has it: Erlang's disk_log writes
        what it is given up to two seconds later. A kill in between may leave the queue without the
        binding, and then nothing reaches it any more.
        """
        if (self.name, self._site.protocol) != ("rabbitmq", "mqtt"):
            return
        key = topic.replace("/", ".").encode()
        written = b"m" + len(key).to_bytes(4) + key
        node = next(self._site.data().glob("mnesia/*/LATEST.LOG")).parent

        def has(name: str) -> bool:
            # The log is renamed when it is worked into the table's own files.
            with contextlib.suppress(FileNotFoundError):
                return written in (node / name).read_bytes()
            return False

        files = ("LATEST.LOG", *(f"rabbit_durable_route.{kind}" for kind in ("DCL", "DCD")))
        wait_until(lambda: any(map(has, files)), self.name, self._running.process, self._site.log)

    def end(self, how: signal.Signals) -> None:
        """End its process by this signal, and the processes that it needs."""
        self._running.process.send_signal(how)
        self._running.process.wait(30)
        self._running.stop()

    def again(self) -> None:
        """Start it again."""
        self._running = self._launch()

    def stop(self) -> None:
        """End it for good."""
        self._running.stop()


class Cutter:
    """A relay to a TCP server: `cut` breaks every connection and refuses new ones, until `mend`."""

    def __init__(self, server_port: int, port: int = 0) -> None:
        self._to = ("127.0.0.1", server_port)
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._broken = False
        self._refused = threading.Semaphore(0)
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections at once, with messages in flight."""
        with self._lock:
            self._broken = True
            for end in self._ends:
                _reset(end)
            self._ends.clear()

    def mend(self) -> None:
        """Let connections pass again."""
        with self._lock:
            self._broken = False

    def refused(self, times: int) -> None:
        """Wait until `times` attempts to connect have failed."""
        for _ in range(times):
            assert self._refused.acquire(timeout=20), "nobody tries to come back"

    def close(self) -> None:
        """End it."""
        # Closed alone it would listen on, as long as the thread waits in it.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._broken:
                    _reset(client)
                    self._refused.release()
                    continue
                try:
                    server = socket.create_connection(self._to)
                except OSError:
                    _reset(client)
                    continue
                self._ends |= {client, server}
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        with self._lock:
            for end in {source, target} & self._ends:
                self._ends.discard(end)
                _reset(end)


def _reset(end: socket.socket) -> None:
    # Lingering for 0 s makes closing a reset: what the socket still holds is gone, as on a path
    # that has broken.
    with contextlib.suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextlib.contextmanager
def cutter(server_port: int, port: int = 0) -> Iterator[Cutter]:
    """A relay, which listens at `port`, and its end."""
    relay = Cutter(server_port, port)
    try:
        yield relay
    finally:
        relay.close()
