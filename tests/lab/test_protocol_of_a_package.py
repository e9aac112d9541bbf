"""An installed package adds a protocol, whose peer and server run a trial in a lab."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.factories import a_payload, a_trial
from tests.lab.single_cell import outcome_of
from wirelab.lab import manifests, servers
from wirelab.lab.protocols import protocols
from wirelab.model.trial import Link, Workload

pytestmark = pytest.mark.first_case

ROOT = Path(__file__).resolve().parents[2]
PEER_MANIFEST = """\
program = "own-peer"

[[speaks]]
protocol = "own"
library = "mine"

[protocol.own]
title = "Own"
page = "own"
qos = { stream = "at-most-once" }
server = "own-relay"
port = 7400
"""
SERVER_MANIFEST = """\
name = "own-relay"
driver = "wirelab.lab.servers.program:Program"
title = "Own relay"
program = "wirelab-server-raw"

[[serves]]
protocol = "own"
"""
# The peer of the contract suite, which speaks bare TCP, under another name.
PEER = f"""\
#!{sys.executable}
source = open({str(ROOT / "tests/contract/minimal_peer.py")!r}).read()
exec(compile(source.replace('"protocol": "tcp"', '"protocol": "own"'), "own-peer", "exec"))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The installed package, as pip leaves it."""
    site, info = tmp_path / "site", tmp_path / "site" / "own-1.0.dist-info"
    files = {
        site / "own_protocol" / "__init__.py": "",
        site / "own_protocol" / "peer.toml": PEER_MANIFEST,
        site / "own_protocol" / "server.toml": SERVER_MANIFEST,
        site / "own_protocol" / "own-peer": PEER,
        info / "METADATA": "Metadata-Version: 2.1\nName: own\nVersion: 1.0\n",
        info
        / "entry_points.txt": "[wirelab.peers]\nown = own_protocol\n\n[wirelab.servers]\nown = own_protocol\n",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (site / "own_protocol" / "own-peer").chmod(0o755)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *sys.path]))
    forget()
    yield
    forget()


def forget() -> None:
    for cached in (manifests.peers, manifests.servers, protocols, servers.kind):
        cached.cache_clear()


def test_its_messages_cross_the_link_through_its_server(package: None, tmp_path: Path) -> None:
    messages = tmp_path / "messages"
    messages.write_bytes(b"".join(struct.pack("<II", 100, i) + bytes(96) for i in range(30)))
    trial = a_trial(
        payload=a_payload(corpus=str(messages), codec=""),
        protocol="own",
        qos="stream",
        link=Link("rtt=20ms"),
        workload=Workload(rate_hz=50, count=30, warmup=0),
        server="own-relay",
    )
    outcome = outcome_of(trial, tmp_path)
    assert outcome.counters["publisher"]["sent"] == 30
    assert outcome.counters["subscriber"]["received"] == 30
    assert outcome.link["hosts"]["device"]["up"]["delivered"] >= 30
