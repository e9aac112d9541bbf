"""Messages and schemas as devices and services publish them: data/field of ../shared.

`FIELD.md` there says for each file where it comes from, what is odd about it and what is right.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from wirelab.cli import group
from wirelab.model.errors import BadInput

INFERRED = [
    ("06-rtl433.jsonl", ['id = "int 209..11524|string"', 'channel = "int 2..2|string?"']),
    ("06b-rtl433-digits-only.jsonl", ['temperature_C = "float"']),
    ("07-ocpp-frames.jsonl", ["tuple<int 2..2, string, string, ", "tuple<int 3..3, string, "]),
    ("08-ngsi-offstreet-parking.json", ['"@context" = "tuple<string, Context>"']),
    ("10-geojson-mixed.json", ['coordinates = "list<float|list<float|list<float>>>"']),
    ("12-trailing-nul.jsonl", []),
    ("14-case-keys-binance.jsonl", ["\ne = ", "\nE = "]),
    ("15-ebusd-numeric-keys.jsonl", ['fields = "map<Field>"', 'value = "float|string|null"']),
    ("17-concatenated.json", []),
    ("20-k8s-managed-fields.json", ['"f:']),
    ("21-otlp-metrics.json", ['timeUnixNano = "string"', 'timeUnixNano = "int 1544712660300000001..']),
    ("22-opcua-samples.jsonl", ['Value = "bool|int 105..105|string|list<float>"']),
    ("25-senml.json", ['root = "list<', 'v = "float?"']),
]
REFUSED = [
    ("01-awtrix-nan.jsonl", "line 2, at temperature: nan is not a JSON number"),
    ("03-solana-rent-epoch.jsonl", "at result.value.rentEpoch: 18446744073709552000 is above 2^64-1"),
    ("24-tasmota-bare.jsonl", "line 1, at $: ON is not JSON; write text in double quotes"),
]
FIT = [
    ("28-sparkplug/ddata.jsonl", "28-sparkplug/sparkplug_b.proto:Payload", "oneof"),
    ("30-chirpstack/uplink.jsonl", "30-chirpstack/integration/integration.proto:UplinkEvent", "Struct"),
    ("32-nyct/feed.pb", "32-nyct/proto/nyct-subway.proto:FeedMessage", "enums"),
    ("32-nyct/feed.pb", "32-nyct/proto/gtfs-realtime.proto:FeedMessage", "field 1001 (1 times, 13 bytes)"),
    ("33-editions/messages.jsonl", "33-editions/settings.proto:Settings", "enums"),
    ("35-gbfs/message.json", "35-gbfs/vehicle_status.json", "leaves open"),
    ("37-ocpp201/messages.jsonl", "37-ocpp201/MeterValuesRequest.json", '"0001-01-01T00:00:00Z" is not'),
]


@pytest.fixture
def field(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(shared_data / "field")
    return shared_data / "field"


@pytest.mark.usefixtures("field")
@pytest.mark.parametrize(("name", "lines"), INFERRED)
def test_messages_of_the_field_are_read(name: str, lines: list[str]) -> None:
    done = CliRunner().invoke(group, ["schema", "infer", name])
    assert done.exit_code == 0, done.output
    assert [line for line in lines if line not in done.stdout] == []


@pytest.mark.usefixtures("field")
@pytest.mark.parametrize(("name", "why"), REFUSED)
def test_what_is_no_json_or_fits_no_number_is_refused_where_it_stands(name: str, why: str) -> None:
    done = CliRunner().invoke(group, ["schema", "infer", name])
    assert isinstance(done.exception, BadInput)
    assert why in done.exception.sentence


@pytest.mark.usefixtures("field")
@pytest.mark.parametrize(("messages", "schema", "note"), FIT)
def test_messages_of_the_field_fit_the_schemas_of_their_owners(messages: str, schema: str, note: str) -> None:
    done = CliRunner().invoke(group, ["schema", "check", messages, schema])
    assert done.exit_code == 0, done.output
    assert note in done.output
