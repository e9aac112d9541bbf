"""Ports for servers on a shared address."""

from __future__ import annotations

import socket

import pytest

from wirelab.lab import ports


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_port_whose_neighbour_is_taken_is_not_given(
    kind: socket.SocketKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = ports.free_port()
    block = (taken - ports.FIRST) // ports.NEIGHBOURS
    drawn = iter([block, block + 1, block + 2, block + 3])
    monkeypatch.setattr("secrets.randbelow", lambda _: next(drawn))
    with socket.socket(type=kind) as other:
        other.bind(("127.0.0.1", taken + 3))
        assert ports.free_port() > taken + 3


def test_no_client_ever_gets_one_of_these_ports() -> None:
    for _ in range(20):
        assert 20_000 <= ports.free_port() < 32_000


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(OSError, match="assign"):
        ports.free_port("192.0.2.1")
