"""Messages and schemas as devices and services publish them: data/field of ../shared.

`FIELD.md` there says for each file where it comes from, what is odd about it and what is right.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from wirelab.cli import group
from wirelab.codecs.preview import preview_sizes
from wirelab.model.errors import BadInput
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import read
from wirelab.schema.importers.book import Given
from wirelab.schema.numerals import unkept_digits
from wirelab.schema.text import dump

INFERRED = [
    ("06-rtl433.jsonl", ['id = "int 209..11524|string"', 'channel = "int 2..2|string?"']),
    ("06b-rtl433-digits-only.jsonl", ['temperature_C = "float"']),
    ("07-ocpp-frames.jsonl", ["tuple<int 2..2, string, string, ", "tuple<int 3..3, string, "]),
    ("08-ngsi-offstreet-parking.json", ['"@context" = "tuple<string, Context>"']),
    (
        "08b-ngsi-without-context.json",
        [
            'value = "int 3..3"',
            'coordinates = "list<list<list<float>>>"',
            '"@type" = "string"',
            "requiredPermit",
        ],
    ),
    ("10-geojson-mixed.json", ['coordinates = "list<float|list<float|list<float>>>"']),
    ("11-zigbee2mqtt-nul.json", ['value_on = "bool?"', 'value_on = "string"']),
    ("12-trailing-nul.jsonl", []),
    ("14-case-keys-binance.jsonl", ["\ne = ", "\nE = "]),
    ("15-ebusd-numeric-keys.jsonl", ['fields = "map<Field>"', 'value = "float|string|null"']),
    ("17-concatenated.json", []),
    ("19-fhir-decimals.jsonl", ['_status = "Status?"', 'effectiveDateTime = "string"', 'value = "float"']),
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


def found(name: str, schema: str = "") -> Given:
    return read.read(name, schema)


def sizes(given: Given, form: str) -> list[int]:
    messages = list(typed_messages(given.messages, given.schema))
    return [size for one in preview_sizes(messages, given.schema, [form]) for size in one.per_message]


@pytest.mark.usefixtures("field")
@pytest.mark.parametrize(
    ("messages", "schema", "expected"),
    [
        (*FIT[0][:2], [61, 38]),
        (*FIT[2][:2], [82]),
        (*FIT[4][:2], [20, 13]),
    ],
)
def test_messages_have_the_bytes_of_the_official_library(
    messages: str, schema: str, expected: list[int]
) -> None:
    # The sizes are those of Google's library: json_format.Parse(line), SerializeToString(). A feed
    # has those of its file.
    assert sizes(found(messages, schema), "protobuf") == expected


@pytest.mark.usefixtures("field")
def test_fields_that_only_one_branch_requires_are_optional() -> None:
    record = found(*FIT[5][:2]).schema.record("Vehicle")
    optional = {field.key for field in record.fields if field.optional}
    assert {"lat", "lon", "station_id"} <= optional
    assert "vehicle_id" not in optional


@pytest.mark.usefixtures("field")
@pytest.mark.parametrize(
    ("name", "notes"),
    [
        ("06b-rtl433-digits-only.jsonl", ["comes back as 6.4 (and 2 more); JSON is 47 bytes smaller"]),
        (
            "19-fhir-decimals.jsonl",
            [
                "0.1234567890123456789 at valueQuantity.value comes back as",
                "1.00 at",
                "JSON is 4 bytes smaller",
            ],
        ),
    ],
)
def test_digits_that_floats_do_not_keep_are_named(name: str, notes: list[str]) -> None:
    given = found(name)
    said = " ".join(unkept_digits(given.messages, given.schema))
    assert [note for note in notes if note not in said] == []


@pytest.mark.usefixtures("field")
def test_minus_zero_among_floats_keeps_its_sign() -> None:
    given = found("06b-rtl433-digits-only.jsonl")
    signs = [math.copysign(1, one["temperature_C"]) for one in typed_messages(given.messages, given.schema)]
    assert signs.count(-1) == 1


@pytest.mark.usefixtures("field")
def test_the_largest_integer_is_uint64_and_its_rounding_a_float_if_a_schema_says_so(
    tmp_path: Path,
) -> None:
    lines = Path("03-solana-rent-epoch.jsonl").read_text()
    exact = tmp_path / "exact.jsonl"
    exact.write_text(lines.replace("18446744073709552000", "18446744073709551615"))
    text = dump(found(str(exact)).schema)
    assert 'rentEpoch = "int 18446744073709551615..18446744073709551615"' in text
    floats = tmp_path / "floats.toml"
    floats.write_text(re.sub('rentEpoch = "[^"]*"', 'rentEpoch = "float"', text))
    given = found("03-solana-rent-epoch.jsonl", str(floats))
    assert len(list(typed_messages(given.messages, given.schema))) == 2
