"""The claims of `describe`, and the schema of every line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import jsonschema  # type: ignore[import-untyped]
import pytest
from harness import Peer, Server, distinct_messages
from pair import ROOT, Pair
from pairs import PAIRS
from trial import Trial, prepare_keys

from wirelab.lab.protocols import Protocol, protocols
from wirelab.model.errors import BadInput
from wirelab.system.binaries import find


def schema(name: str) -> jsonschema.Draft202012Validator:
    text = (ROOT / "docs" / "contracts" / f"{name}.schema.json").read_text()
    return jsonschema.Draft202012Validator(json.loads(text))


def test_describe_needs_no_server_and_names_every_tested_level(
    pair: Pair, launch: Callable[[Pair], Peer]
) -> None:
    peer = launch(pair)
    peer.tell("describe")
    described = peer.wait("described")
    offered = {level["name"]: level["delivery"] for level in described["qos"]}
    assert pair.qos.items() <= offered.items()
    assert bool(described["servers"]) == (pair.has_server or pair.brokerless)
    assert described["max_message"] == 0 or described["max_message"] >= pair.largest
    assert set(described["roles"]) >= {"publisher", "subscriber"}
    peer.tell("describe")
    assert peer.wait("described") == described


LIBRARIES = [(known, library) for known in protocols().values() for library in known.libraries]


@pytest.mark.parametrize(
    ("known", "library"), LIBRARIES, ids=[f"{known.name} {library}" for known, library in LIBRARIES]
)
def test_the_manifest_agrees_with_the_description(known: Protocol, library: str) -> None:
    program, *arguments = known.libraries[library]
    try:
        peer = Peer([find(program), *arguments])
    except BadInput as error:
        pytest.skip(error.sentence)
    try:
        peer.tell("describe")
        described = peer.wait("described")
    finally:
        peer.kill()
    assert known.name in (described["protocol"], *described.get("protocols", []))
    promised = {level["name"]: level["delivery"] for level in described["qos"]}
    if library == next(iter(known.libraries)):
        assert promised == dict(known.qos)
    else:
        assert promised.items() <= known.qos.items()
    assert "transport" in described["options"] or len(known.transports) == 1


@pytest.mark.once_per("connection")
def test_every_line_of_a_trial_follows_its_schema(
    pair: Pair, server: Server | None, trial: Callable[..., Trial]
) -> None:
    both = trial(pair, server, next(iter(pair.qos)), distinct_messages(5, 50))
    for peer in both.peers.values():
        peer.tell("describe")
    both.start(kind="interval", interval_ns=1_000_000, count=5, duration_ns=None)
    both.settle()
    both.drain(5)
    both.end()
    for peer in both.peers.values():
        for event in peer.seen:
            schema("event").validate(event)
    assert {event["event"] for event in both.peers["publisher"].seen} >= {
        "prepared",
        "started",
        "settled",
        "stopped",
    }


@pytest.mark.parametrize(
    "schedule",
    [
        {"kind": "interval", "interval_ns": 5, "count": 1, "duration_ns": None},
        {"kind": "flood", "count": None, "duration_ns": 7},
        {"kind": "times", "times": "/x/times"},
    ],
)
def test_commands_of_the_contract_follow_their_schema(schedule: dict[str, object]) -> None:
    commands = [
        {"cmd": "describe"},
        {"cmd": "prepare", **prepare_keys(PAIRS[0], None, "0", ROOT / "messages", "publisher")},
        {"cmd": "start", "at_ns": 5, "schedule": schedule},
        {"cmd": "stop"},
    ]
    for command in commands:
        schema("command").validate(command)


@pytest.mark.parametrize(
    "command",
    [
        {"cmd": "begin"},
        {"cmd": "start"},
        {"cmd": "start", "at_ns": 5, "schedule": {"kind": "flood", "count": None, "duration_ns": None}},
        {"cmd": "prepare", "role": "publisher"},
    ],
)
def test_other_commands_do_not(command: dict[str, object]) -> None:
    assert list(schema("command").iter_errors(command))


@pytest.mark.once_per("server")
@pytest.mark.usefixtures("pair")
def test_a_server_reports_that_it_listens_with_its_version_and_limits(server: Server | None) -> None:
    assert server is not None
    assert server.ready is not None
    schema("ready").validate(server.ready)
    assert server.ready["limits"]
    assert server.ready["listen"] == f"127.0.0.1:{server.port}"


@pytest.mark.once_per("server")
@pytest.mark.usefixtures("pair")
def test_a_server_with_a_taken_port_exits_with_3_and_a_message(server: Server | None) -> None:
    assert server is not None
    ended = subprocess.run(
        server.process.args, stdin=subprocess.PIPE, capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 3
    assert f"127.0.0.1:{server.port}" in ended.stderr.decode()
    assert len(ended.stderr.decode().splitlines()) == 1


@pytest.mark.once_per("server")
@pytest.mark.parametrize("way", ["end of input", "SIGTERM"])
@pytest.mark.usefixtures("pair")
def test_a_server_ends_on_a_signal_or_end_of_input(own_server: Server | None, way: str) -> None:
    assert own_server is not None
    if way == "SIGTERM":
        own_server.process.terminate()
    elif own_server.process.stdin:
        own_server.process.stdin.close()
    assert own_server.process.wait(30) == 0
