"""VLAN tags: the kernel removes them before the emulator reads the frame."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

from tests.link.labs import Lab
from tests.link.udp_probe import in_host

pytestmark = pytest.mark.lab

SOL_PACKET = 263
PACKET_AUXDATA = 8
ETH_P_ALL = 3
TP_STATUS_VLAN_VALID = 1 << 4
TAG = bytes.fromhex("8100 2007")
# An EtherType for local experiments (IEEE 802), and a payload that needs no padding.
REST = bytes.fromhex("88b5") + bytes(range(100))


def _listen(host: str) -> socket.socket:
    listener = _raw(host)
    listener.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    listener.settimeout(30)
    return listener


def _raw(host: str) -> socket.socket:
    in_host(host).close()
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    raw.bind(("eth0", 0))
    return raw


def _main(sending: str, listening: str) -> None:
    """Send a frame without and one with a tag; print what came: the frame from its EtherType on,
    and whether the kernel knows of a tag.
    """
    listener, sender = _listen(listening), _raw(sending)
    addresses = b"\xff" * 6 + sender.getsockname()[4]
    seen = []
    for tag in (b"", TAG):
        sender.send(addresses + tag + REST)
        frame, auxiliary, _, _ = listener.recvmsg(2048, 256)
        status = next(int.from_bytes(data[:4], sys.byteorder) for _, _, data in auxiliary)
        seen.append([frame[12:].hex(), bool(status & TP_STATUS_VLAN_VALID)])
    print(json.dumps(seen))


def test_a_tagged_frame_arrives_without_its_tag_and_otherwise_whole(lab: Lab) -> None:
    links = {"device": "delay=1ms", "server": "ideal"}
    done = lab.run(links, f"{sys.executable} -m tests.link.test_tags device server")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[REST.hex(), False], [REST.hex(), False]]
    assert lab.accounting()["hosts"]["device"]["up"]["l3_bytes"] == 2 * 100


def test_without_the_emulator_the_kernel_still_knows_the_tag(link: str) -> None:
    probe = [sys.executable, "-m", "tests.link.test_tags", "client", "server"]
    argv = [link, "run", "--backend", "none", "ideal", "--", *probe]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[REST.hex(), False], [REST.hex(), True]]


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2])
