"""Manifests: the tables derived from them, and errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wirelab.lab import manifests, servers
from wirelab.lab.protocols import protocol, protocols
from wirelab.model.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]
PEER = """\
program = "own-peer"

[[speaks]]
protocol = "{protocol}"
library = "{library}"
"""
DEFINED = """
[protocol.own]
title = "Own"
page = "own"
qos = { once = "at-most-once" }
port = 7
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data root."""
    monkeypatch.setenv("WIRELAB_DATA", str(tmp_path))
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    for cached in (manifests.peers, manifests.servers, protocols, servers.kind):
        cached.cache_clear()


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_a_protocol_takes_its_libraries_and_servers_from_all_manifests_the_defaults_first() -> None:
    mqtt = protocol("mqtt")
    assert list(mqtt.libraries) == ["rumqttc", "paho", "hivemq"]
    assert mqtt.libraries["paho"] == ("wirelab-peer-java", "mqtt")
    assert mqtt.servers[0] == "built-in"
    assert set(mqtt.servers) >= {"artemis", "hivemq", "mosquitto", "rabbitmq"}
    assert mqtt.encrypted == ("tls", "wss")
    assert protocol("amqp").servers[0] == "rabbitmq"
    assert protocol("zmq").servers == ("none",)


def test_the_built_in_server_is_one_kind_with_a_program_for_each_protocol() -> None:
    kind = manifests.servers()["built-in"]
    programs = {part.protocol: part.program for part in kind.serves}
    assert programs["mqtt5"] == "wirelab-server-mqtt"
    assert programs["quic"] == "wirelab-server-quic"


def test_the_start_of_a_server_or_a_jvm_takes_slots() -> None:
    assert servers.slots("kafka") == 4
    assert servers.slots("mosquitto") == 1
    assert protocol("coap").peer_slots("californium") == 4
    assert protocol("coap").peer_slots("default") == 1


def test_every_driver_loads_and_every_page_and_debian_package_exists() -> None:
    known = (ROOT / "apt.txt").read_text().split()
    for kind in servers.kinds().values():
        assert set(kind.manifest.packages) <= set(known), kind.name
        page = kind.manifest.page
        assert not page or (ROOT / "docs/reference/protocols" / f"{page}.md").exists(), kind.name
    for peer in manifests.peers():
        assert set(peer.packages) <= set(known), peer.program
    for each in protocols().values():
        assert (ROOT / "docs/reference/protocols" / f"{each.page}.md").exists(), each.name
        assert set(each.encrypted) <= set(each.transports), each.name


def test_a_folder_with_a_manifest_is_a_protocol(data: Path) -> None:
    write(data / "crates/peer-own", "peer.toml", PEER.format(protocol="own", library="mine") + DEFINED)
    write(data / "java/peers", "peer.toml", PEER.format(protocol="own", library="other"))
    own = protocol("own")
    assert own.libraries == {"mine": ("own-peer",), "other": ("own-peer",)}
    assert own.servers == ("none",)
    assert dict(own.qos) == {"once": "at-most-once"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (PEER.format(protocol="none", library="x"), "no peer defines protocol 'none'"),
        (PEER.format(protocol="own", library="x") + DEFINED + 'colour = "red"\n', "unknown field `colour`"),
        (
            PEER.format(protocol="own", library="x") + DEFINED + 'server = "no"\n',
            "its server 'no' does not serve it",
        ),
        (PEER.format(protocol="own", library="x").replace("library", "") + DEFINED, "peer.toml"),
    ],
)
def test_a_manifest_that_is_wrong_is_refused_with_its_path(data: Path, text: str, complaint: str) -> None:
    write(data / "crates/peer-own", "peer.toml", text)
    with pytest.raises(BadInput) as refused:
        protocols()
    assert complaint in refused.value.sentence


def test_two_peers_with_one_library_or_one_protocol_are_refused(data: Path) -> None:
    write(data / "crates/peer-a", "peer.toml", PEER.format(protocol="own", library="x") + DEFINED)
    write(data / "crates/peer-b", "peer.toml", PEER.format(protocol="own", library="x"))
    with pytest.raises(BadInput, match="peer-b/peer.toml: library 'x' of own has a peer already"):
        protocols()
    forget()
    write(data / "crates/peer-b", "peer.toml", PEER.format(protocol="own", library="y") + DEFINED)
    with pytest.raises(BadInput, match="peer-b/peer.toml: protocol 'own' is defined by another peer"):
        protocols()


ACME_SERVER = '''
from wirelab.lab.servers import Driver


class Acme(Driver):
    """A server of a third party."""

    def find(self, protocol):
        return "/opt/acme"

    def version(self, protocol):
        return "7.5"

    def start(self, site):
        raise NotImplementedError
'''
ACME_MANIFEST = """\
name = "acme-broker"
driver = "acme:Acme"
title = "Acme"

[[serves]]
protocol = "mqtt"
transports = ["tcp"]
"""


def test_an_installed_package_adds_a_protocol_with_its_peer_and_a_server(tmp_path: Path) -> None:
    package, info = tmp_path / "acme", tmp_path / "acme-1.0.dist-info"
    write(package, "__init__.py", ACME_SERVER)
    write(package, "server.toml", ACME_MANIFEST)
    defined = DEFINED.replace("page", 'server = "none"\npage')
    write(package, "peer.toml", PEER.format(protocol="own", library="mine") + defined)
    peer = ROOT / "tests/contract/minimal_peer.py"
    write(package, "own-peer", f'#!/bin/sh\nexec {sys.executable} {peer} "$@"\n')
    (package / "own-peer").chmod(0o755)
    write(info, "METADATA", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    write(info, "entry_points.txt", "[wirelab.peers]\nacme = acme\n\n[wirelab.servers]\nacme = acme\n")
    protocols, servers = listed(tmp_path, "protocols"), listed(tmp_path, "servers")
    assert protocols["own"] == {
        "protocol": "own",
        "qos": ["once"],
        "client_library": {"mine": "3"},
        "server": ["none"],
        "transport": ["default"],
    }
    assert servers["acme-broker"] == {
        "server": "acme-broker", "protocols": ["mqtt"], "version": "7.5", "missing": ""
    }  # fmt: skip
    assert "acme-broker" in protocols["mqtt"]["server"]


def listed(path: Path, kind: str) -> dict[str, dict[str, Any]]:
    """What `wirelab list` shows with a folder of installed packages, by name."""
    seen = os.pathsep.join([str(path), *sys.path])
    words = [
        sys.executable,
        "-c",
        "from wirelab.cli import main; main()",
        "list",
        kind,
        "--output-format",
        "json",
    ]
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": seen}
    )
    rows: list[dict[str, Any]] = json.loads(done.stdout)[kind]
    return {next(iter(row.values())): row for row in rows}


def test_an_entry_point_without_a_manifest_is_refused_with_its_name(tmp_path: Path) -> None:
    write(tmp_path / "acme-1.0.dist-info", "METADATA", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    write(tmp_path / "acme-1.0.dist-info", "entry_points.txt", "[wirelab.peers]\nacme = acme\n")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        listed(tmp_path, "protocols")
    assert failed.value.returncode == 3
    assert "entry point acme of wirelab.peers: no peer.toml in package acme" in failed.value.stderr
