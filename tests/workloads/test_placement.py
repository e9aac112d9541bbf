"""Placements: valid texts and errors."""

from __future__ import annotations

import pytest

from wirelab.model.errors import BadInput
from wirelab.model.host_port import HostPort
from wirelab.workloads.placement import Placement, Post, parse


def test_each_text_is_a_node_but_for_a_server_elsewhere() -> None:
    placed = parse(("publishers=2, server", "publishers=3,subscriber", "subscriber"))
    assert placed == Placement((Post(2, server=True), Post(3, subscriber=True), Post(subscriber=True)))
    assert placed.publishers == [0, 0, 1, 1, 1]
    assert placed.subscribers == [1, 2]
    assert parse(("publishers=1,subscriber", "server=broker.example:1883")) == Placement(
        (Post(1, subscriber=True),), HostPort("broker.example", 1883)
    )


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (("publishers=2,server",), "no subscriber on any node"),
        (("server,subscriber",), "no publishers on any node"),
        (("publishers=2,subscriber",), "no server on any node"),
        (("publishers=1,server,subscriber", "server"), "several servers"),
        (("publishers=1,server", "subscriber", "server=10.0.0.1:1883"), "several servers"),
        (("publisher=2,server,subscriber",), "'publisher' is not a role; did you mean publishers"),
        (("publishers=0,server,subscriber",), "'publishers=0' is not a part"),
        (("publishers,server,subscriber",), "'publishers' is not a part"),
        (("publishers=1,server,subscriber=2",), "'subscriber=2' is not a part"),
        (("publishers=1,publishers=1,server,subscriber",), "duplicate 'publishers'"),
        (("publishers=65,server,subscriber",), "more than 64 publishers"),
        (("publishers=1,subscriber", "server=broker"), "not HOST:PORT"),
        (("publishers=1,subscriber", "server=broker:99999"), "not HOST:PORT"),
    ],
)
def test_an_invalid_placement_is_refused(texts: tuple[str, ...], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        parse(texts)
