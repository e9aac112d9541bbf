"""A row of a run as files to start from."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.report import fixtures
from wirelab.lab.ports import free_port
from wirelab.lab.process import listens
from wirelab.lab.servers import check
from wirelab.lab.servers.mosquitto import LIMITS
from wirelab.lab.servers.server import program
from wirelab.model import schema as types
from wirelab.model.answer import Answer, Ranking, Record
from wirelab.model.errors import BadInput
from wirelab.model.result import Delivery, PeerInfo, ServerInfo, TrialResult
from wirelab.model.trial import Workload
from wirelab.report.adoption import Adoption, adopt
from wirelab.schema import text

OPTIONS = {
    "clean": "true", "inflight": "1000", "keep_alive_s": "60", "queue": "100", "retain": "false", "transport": "tcp",
}  # fmt: skip
PEER = PeerInfo("mqtt-rumqttc", "rumqttc", "0.25.1", "rust", OPTIONS)
SERVER = ServerInfo("mosquitto", "2.0.11", LIMITS)


def adopted(folder: Path, number: int = 1, peer: PeerInfo = PEER, **changes: Any) -> Adoption:
    schema = folder / "payload.schema"
    schema.write_text(
        text.dump(
            types.Schema(
                types.Ref(name="M"),
                (types.Record("M", (types.Field("id", "id", types.Int(low=0, high=9)),)),),
            )
        )
    )
    result = TrialResult("t", peer=peer, server=SERVER, delivery=Delivery.AT_LEAST_ONCE)
    given = fixtures.trial()
    payload = replace(given.payload, schema=str(schema), codec="protobuf/prost")
    trial = replace(
        given, **{"protocol": "mqtt", "qos": "1", "payload": payload, "server": "mosquitto", **changes}
    )
    return adopt(answered(), {"t": Record(trial, "done", 1, result)}, number)


def answered() -> Answer:
    row = replace(fixtures.ROWS[0], trials=("t",))
    return fixtures.answer(rankings=(Ranking({}, (row,), "r"),))


def test_a_row_is_its_schema_its_client_and_its_server_as_measured(tmp_path: Path) -> None:
    found = adopted(tmp_path)
    assert list(found.files) == ["schema.proto", "client.toml", "Cargo.toml", "client.rs", "mosquitto.conf"]
    assert "message M {" in found.files["schema.proto"]
    assert 'library_version = "0.25.1"' in found.files["client.toml"]
    assert 'inflight = "1000"' in found.files["client.toml"]
    assert found.files["mosquitto.conf"] == (
        "# mosquitto 2.0.11, as measured\nmax_queued_messages 1000000\nmax_inflight_messages 0\nmax_queued_bytes 0\n"
    )
    assert found.notes == ("its qos promises at-least-once",)


def test_the_program_waits_for_what_the_qos_acknowledges(tmp_path: Path) -> None:
    program = adopted(tmp_path).files["client.rs"]
    assert ".set_inflight(1000);" in program
    assert "client.publish(topic, QoS::AtLeastOnce, false, std::fs::read(file)?)?;" in program
    assert "matches!(event?, Event::Incoming(Packet::PubAck(_)))" in program


def test_a_client_without_a_program_has_its_settings_alone(tmp_path: Path) -> None:
    peer = PeerInfo("mqtt-paho", "paho", "1.2.5", "java", OPTIONS)
    assert list(adopted(tmp_path, peer=peer).files) == ["schema.proto", "client.toml", "mosquitto.conf"]


def test_our_own_server_and_a_run_without_options_are_said(tmp_path: Path) -> None:
    found = adopted(tmp_path, peer=PeerInfo("p", "rumqttc"), server="built-in")
    assert found.notes == (
        "its qos promises at-least-once",
        "it was measured with wirelab's own server: measure again with --server before you choose one",
        "the run is older than this version and has no options of the client",
    )
    assert found.markdown.startswith("# avro/serde_avro_fast mqtt qos 0\n- its qos promises")
    assert "\n`schema.proto`\n```\n" in found.markdown


def test_batches_are_said(tmp_path: Path) -> None:
    assert adopted(tmp_path, workload=Workload(batch=10)).notes[-1] == (
        "10 messages were sent as one, each behind its length as a varint (--batch)"
    )


def test_a_json_schema_is_that_of_the_sample(tmp_path: Path) -> None:
    payload = replace(
        fixtures.trial().payload, codec="json/serde_json", schema=str(tmp_path / "payload.schema")
    )
    found = adopted(tmp_path, payload=payload)
    assert next(iter(found.files)) == "schema.schema.json"
    assert (
        found.notes[-1]
        == "its schema allows the values of the sample alone: widen it before you validate with it"
    )


@pytest.mark.parametrize("number", [0, 2])
def test_a_row_that_is_not_there_is_refused(tmp_path: Path, number: int) -> None:
    with pytest.raises(BadInput, match="the run has 1 rows; name one of 1 to 1"):
        adopted(tmp_path, number)


def test_mosquitto_starts_with_the_settings(tmp_path: Path) -> None:
    try:
        check("mosquitto", "mqtt")
    except BadInput as error:
        pytest.skip(error.sentence)
    port = free_port()
    configuration = tmp_path / "mosquitto.conf"
    configuration.write_text(
        adopted(tmp_path).files["mosquitto.conf"] + f"user root\nlistener {port} 127.0.0.1\n"
    )
    with subprocess.Popen(
        [program("mosquitto", ""), "-c", str(configuration)], stderr=subprocess.DEVNULL
    ) as server:
        deadline = time.monotonic() + 30
        try:
            while not (up := listens(server.pid, port, "tcp")) and time.monotonic() < deadline:
                time.sleep(0.02)
            assert up
            assert server.poll() is None
        finally:
            server.kill()
