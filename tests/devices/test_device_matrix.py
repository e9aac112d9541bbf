"""A payload over devices and codecs: the views, the command, the cost by format."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from wirelab.cli.commands.devices import command
from wirelab.devices import energy
from wirelab.devices.answer_adapter import one_device, runs
from wirelab.devices.catalog import Device
from wirelab.devices.device_matrix import MatrixRequest, measure_matrix
from wirelab.devices.libraries import Libraries
from wirelab.model.device import DeviceRun
from wirelab.model.errors import BadInput
from wirelab.report import device_html, device_table, devices
from wirelab.report.terminal_device import print_devices
from wirelab.schema import payload
from wirelab.schema.check import typed_messages
from wirelab.schema.inference import infer

LINES = b'{"id":7,"t":21.5}\n{"id":8,"t":-3.25}\n'


@pytest.fixture(scope="module")
def result(chip: Callable[[str], Device], found: Libraries, cache: Path) -> tuple[DeviceRun, ...]:
    chip("atmega328p"), chip("stm32f4")
    corpus = payload.parse(LINES, "t.jsonl")
    schema = infer(corpus)
    wish = MatrixRequest(
        ("atmega328p", "stm32f4"),
        ("xdr", "protobuf", "msgpack", "avro"),
        (energy.radio("cc1200"),),
        per_second=1 / 60,
        battery_mwh=660.0,
    )
    messages = list(typed_messages(corpus, schema))
    only = {name: library for name, library in found.items() if name == "nanopb"}
    return runs(measure_matrix("t.jsonl", schema, messages, only, wish, cache), wish)


def text(result: tuple[DeviceRun, ...]) -> str:
    """The text view with its line breaks taken out."""
    out = io.StringIO()
    print_devices("t.jsonl", result, Console(file=out, width=120))
    return " ".join(out.getvalue().split())


def test_every_column_of_counts_names_its_unit(result: tuple[DeviceRun, ...]) -> None:
    avr, cortex = (device_table.headings(run) for run in result)
    assert avr[1:3] == ["serialize, cycles", "deserialize, cycles"]
    assert cortex[1:5] == [
        "serialize, instructions",
        "deserialize, instructions",
        "serialize, modelled cycles",
        "deserialize, modelled cycles",
    ]


def test_a_skipped_codec_says_how_to_get_it(result: tuple[DeviceRun, ...]) -> None:
    assert "msgpack/mpack: skipped: fetch it once with wirelab devices --fetch" in text(result)


def test_a_format_without_a_c_codec_is_shown_with_its_size_and_the_reason(
    result: tuple[DeviceRun, ...],
) -> None:
    # varint id 1 byte, double 8 bytes
    assert "avro: 9.0 B per message, size only: no maintained C implementation" in text(result)


def test_the_flip_point_is_shown_in_every_view(result: tuple[DeviceRun, ...]) -> None:
    flip = "per byte on, protobuf/nanopb costs less than xdr/wirelab"
    assert flip in text(result)
    assert flip in devices.markdown("t.jsonl", result)
    assert flip in device_html.page("t.jsonl", result)


def test_csv_holds_the_figures_with_their_units(result: tuple[DeviceRun, ...]) -> None:
    rows = list(csv.DictReader(io.StringIO(devices.csv_text(result))))
    first = result[0].rows[0]
    assert [row["codec"] for row in rows] == [row.codec for run in result for row in run.rows]
    assert (rows[0]["counted"], rows[0]["bytes"]) == ("cycles", "12.0")
    assert float(rows[0]["serialize_count"]) == first.serialize
    # 1.275 nJ a cycle, 7,500 nJ a byte; 660 mWh are 2,376 J, one message a minute.
    nj = first.serialize * 1.275 + 12 * 7_500
    assert float(rows[0]["energy_cc1200_nj"]) == pytest.approx(nj)
    assert float(rows[0]["battery_cc1200_days"]) == pytest.approx(2_376 / (nj * 1e-9) / 1440)


def test_markdown_is_a_table(result: tuple[DeviceRun, ...]) -> None:
    assert "| codec | serialize, cycles |" in devices.markdown("t.jsonl", result)


def test_names_from_outside_stay_text_in_the_page(result: tuple[DeviceRun, ...]) -> None:
    assert "<script>" not in device_html.page("<script>alert(1)</script>", result)


def test_the_costs_of_a_device_include_the_overhead_on_the_link(
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


def test_all_views_are_written_into_a_directory(chip: Callable[[str], Device], tmp_path: Path) -> None:
    chip("atmega328p")
    ran = run(tmp_path, "--device", "atmega328p", "--format", "xdr", "-o", str(tmp_path / "out"))
    assert (ran.return_value, ran.exception) == (0, None)
    names = {"devices.html", "devices.md", "devices.csv", "devices.json"}
    assert {file.name for file in (tmp_path / "out").iterdir()} == names


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
def test_bad_flags_are_reported_before_anything_is_built(
    tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    ran = run(tmp_path, *arguments)
    assert isinstance(ran.exception, BadInput)
    assert why in str(ran.exception)
