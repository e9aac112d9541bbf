"""Send a numbered burst of datagrams between hosts of a lab; print the numbers that arrived as
JSON.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path

CLONE_NEWNET = 0x40000000


def in_host(host: str, kind: socket.SocketKind = socket.SOCK_DGRAM) -> socket.socket:
    """A socket in the network namespace of a host."""
    with open(f"/run/wirelab/ns/{host}") as namespace:
        _setns(namespace.fileno())
    return socket.socket(socket.AF_INET, kind)


def _setns(descriptor: int) -> None:
    import ctypes

    if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def ask(command: str, **keys: int) -> dict[str, object]:
    """One request on the control socket."""
    with socket.socket(socket.AF_UNIX) as control:
        control.connect("/run/wirelab/link.sock")
        control.sendall(json.dumps({"cmd": command, **keys}).encode() + b"\n")
        answer: dict[str, object] = json.loads(control.makefile().readline())
        return answer


def burst(source: str, destination: str, count: int, gap_s: float, idle_s: float) -> list[int]:
    """Send `count` datagrams so far apart, or a little more; collect until `idle_s` passes without
    any.
    """
    hosts = json.loads(Path("/run/wirelab/lab.json").read_text())["hosts"]
    receiver, sender = in_host(destination), in_host(source)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    receiver.bind(("0.0.0.0", 5683))
    receiver.settimeout(idle_s)
    child = os.fork()
    if child == 0:
        for number in range(count):
            sender.sendto(number.to_bytes(4, "little") + bytes(60), (hosts[destination]["address"], 5683))
            time.sleep(gap_s)
        os._exit(0)
    came: list[int] = []
    try:
        while len(came) < count:
            came.append(int.from_bytes(receiver.recv(2048)[:4], "little"))
    except TimeoutError:
        pass
    os.waitpid(child, 0)
    return came


if __name__ == "__main__":
    source, destination, count, epochs, gap = sys.argv[1:]
    runs = []
    for _ in range(int(epochs)):
        ask("epoch")
        runs.append(burst(source, destination, int(count), float(gap), idle_s=1.0))
    print(json.dumps({"runs": runs, "snapshot": ask("snapshot")}))
