"""The types of commands and events are those of the JSON Schemas in docs/contracts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec import Struct

from wirelab.lab import peer_contract
from wirelab.lab.peer_contract import (
    Address,
    Command,
    Describe,
    MessagesPayload,
    PackPayload,
    Prepare,
    Role,
    Send,
    Start,
    Stop,
    parse_event,
)
from wirelab.workloads.schedule import Flood, Interval, OnCommand, Times

PREPARE = Prepare(
    role=Role.PUBLISHER,
    server=Address("10.77.0.2", 1883),
    qos="1",
    topic="wirelab/t",
    client="pub-1",
    payload=PackPayload("/x/libpack.so", "protobuf/prost", "/x/corpus.jsonl"),
    samples="/x/pub.samples",
    capacity=1000,
)


def schema(root: Path, name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((root / "docs" / "contracts" / f"{name}.schema.json").read_text())
    return read


def properties(whole: dict[str, Any], branch: dict[str, Any]) -> dict[str, Any]:
    """The properties of a branch, including those it refers to."""
    found = dict(branch.get("properties", {}))
    parts = list(branch.get("allOf", []))
    if "$ref" in branch:
        target: Any = whole
        for key in branch["$ref"].removeprefix("#/").split("/"):
            target = target[key]
        parts.append(target)
    for part in parts:
        found |= properties(whole, part)
    return found


def fields(whole: dict[str, Any], tag_field: str) -> dict[str, set[str]]:
    """By tag, the fields of each branch of a schema."""
    branches = [properties(whole, branch) for branch in whole["oneOf"]]
    return {branch[tag_field]["const"]: set(branch) - {tag_field} for branch in branches}


def of_types(types: tuple[type[Struct], ...]) -> dict[str, set[str]]:
    return {str(one.__struct_config__.tag): set(one.__struct_fields__) for one in types}


def test_events_have_the_fields_of_the_schema(root: Path) -> None:
    assert of_types(peer_contract.EVENTS) == fields(schema(root, "event"), "event")


def test_commands_have_the_fields_of_the_schema(root: Path) -> None:
    assert of_types(peer_contract.COMMANDS) == fields(schema(root, "command"), "cmd")


@pytest.mark.parametrize(
    "command",
    [
        Describe(),
        PREPARE,
        msgspec.structs.replace(PREPARE, server=None, payload=MessagesPayload("/x/messages")),
        Start(5, Interval(200, count=30)),
        Start(5, Flood(duration_ns=10)),
        Start(5, Times("/x/times")),
        Start(5, OnCommand(20)),
        Start(5),
        Send(7),
        Stop(),
    ],
)
def test_commands_are_valid_under_the_schema(root: Path, command: Command) -> None:
    jsonschema.validate(json.loads(peer_contract.encode(command)), schema(root, "command"))


def examples(root: Path) -> list[str]:
    """The events that the contract's page shows."""
    page = (root / "docs" / "contracts" / "peer.md").read_text()
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := page.find('{"event":', at)) >= 0:
        event, end = decoder.raw_decode(page, at)
        if event["event"] != "ready":  # a server's
            found.append(json.dumps(event))
        at = end
    return found


def test_the_events_on_the_contracts_page_are_valid_and_read_without_loss(root: Path) -> None:
    read = set()
    for line in examples(root):
        jsonschema.validate(json.loads(line), schema(root, "event"))
        event = json.loads(msgspec.json.encode(parse_event(line.encode())))
        assert {key: value for key, value in event.items() if value is not None} == json.loads(line)
        read.add(event["event"])
    assert read == {"described", "prepared", "progress", "settled", "error", "stopped"}


def test_fields_of_later_versions_are_ignored() -> None:
    assert parse_event(b'{"event":"started","since_version":2}') == peer_contract.Started()
