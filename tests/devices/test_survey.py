"""A payload over devices and codecs: the views, the command, the cost by format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from wirelab.cli.devices_ import command
from wirelab.devices import energy
from wirelab.devices.catalog import Device
from wirelab.devices.libraries import Libraries
from wirelab.devices.offer import one_device
from wirelab.devices.survey import Survey, Wish, survey
from wirelab.devices.table import render
from wirelab.model.errors import BadInput
from wirelab.schema import payload
from wirelab.schema.check import typed_messages
from wirelab.schema.infer import infer

LINES = b'{"id":7,"t":21.5}\n{"id":8,"t":-3.25}\n'


@pytest.fixture(scope="module")
def result(chip: Callable[[str], Device], found: Libraries, cache: Path) -> Survey:
    chip("atmega328p"), chip("stm32f4")
    corpus = payload.parse(LINES, "t.jsonl")
    schema = infer(corpus)
    wish = Wish(
        ("atmega328p", "stm32f4"),
        ("xdr", "protobuf", "msgpack", "avro"),
        (energy.radio("cc1200"),),
        per_second=1 / 60,
        battery_mwh=660.0,
    )
    messages = list(typed_messages(corpus, schema))
    return survey("t.jsonl", schema, messages, {k: v for k, v in found.items() if k == "nanopb"}, wish, cache)


def test_every_column_of_counts_names_what_is_counted(result: Survey) -> None:
    text = render(result, "text")
    assert "serialize, cycles" in text
    assert "serialize, instructions" in text
    assert "serialize, modelled cycles" in text


def test_a_skipped_codec_says_how_to_get_it(result: Survey) -> None:
    assert "msgpack/mpack: skipped: get the source release of MPack" in render(result, "text")


def test_a_format_without_a_c_codec_is_shown_with_its_size_and_the_reason(result: Survey) -> None:
    # varint id 1 byte, double 8 bytes
    assert "avro: 9.0 B per message, size only: " in render(result, "text")


def test_the_flip_point_is_shown(result: Survey) -> None:
    assert "per byte on, protobuf/nanopb costs less than xdr/wirelab" in render(result, "text")


def test_json_and_csv_hold_the_same_figures(result: Survey) -> None:
    data = json.loads(render(result, "json"))
    rows = list(csv.DictReader(io.StringIO(render(result, "csv"))))
    assert [row["codec"] for row in rows] == [row["codec"] for row in data["rows"]]
    first = data["rows"][0]["messages"]
    assert float(rows[0]["serialize_count"]) == sum(m["serialize"] for m in first) / len(first)
    assert rows[0]["counted"] == "cycles"
    assert rows[0]["bytes"] == "12.0"


def test_markdown_is_a_table(result: Survey) -> None:
    assert "| codec | serialize, cycles |" in render(result, "md")


def test_a_device_s_costs_take_the_overhead_that_the_link_saw(
    chip: Callable[[str], Device], cache: Path
) -> None:
    chip("msp430")
    corpus = payload.parse(LINES, "t.jsonl")
    schema = infer(corpus)
    messages = list(typed_messages(corpus, schema))
    radio = energy.radio("custom:100")
    run = one_device("t", schema, messages, "msp430", radio, None, {}, cache)
    rows = {row.format: row for row in run.rows}
    assert rows["xdr"].message_nj(radio, 48) == rows["xdr"].compute_nj + 6_000
    assert rows["msgpack"].size == 0
    assert str(rows["msgpack"].verdict).startswith("skipped: ")


def run(tmp_path: Path, *arguments: str) -> Result:
    file = tmp_path / "t.jsonl"
    file.write_bytes(LINES)
    return CliRunner().invoke(command, [str(file), "-q", *arguments], standalone_mode=False)


def test_the_command_prints_the_table_and_ends_well(chip: Callable[[str], Device], tmp_path: Path) -> None:
    chip("atmega328p")
    ran = run(tmp_path, "--device", "atmega328p", "--format", "xdr")
    assert (ran.return_value, ran.exception) == (0, None)
    assert "xdr/wirelab RFC 4506" in ran.output


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--device", "pic16"), "device 'pic16': not known"),
        (("--radio", "zigbee"), "radio 'zigbee': not known"),
        (("--radio", "custom"), "custom:250"),
        (("--rate", "1/min"), "give both"),
        (("--overhead", "-1"), "not between"),
        (("--mpack-dir", "/nonexistent"), "no such directory"),
    ],
)
def test_bad_flags_are_said_before_anything_is_built(
    tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    ran = run(tmp_path, *arguments)
    assert isinstance(ran.exception, BadInput)
    assert why in str(ran.exception)
