"""`wirelab devices`: the cost of a message on microcontrollers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wirelab.cli.options import grouped_command, option, out_option, quiet_option, view_option
from wirelab.cli.study_options import levels, study_options
from wirelab.model.study import DEVICE, LOAD, MATRIX

if TYPE_CHECKING:
    from wirelab.devices.device_matrix import DeviceMatrix
    from wirelab.model.device import DeviceRun

_DIRECTORY = click.Path(path_type=Path)


@grouped_command("devices")
@click.argument("payload", type=click.Path(path_type=Path))
@study_options("schema", "proto_path", "input_format", "lenient", "narrow_floats")
@option(
    "--device",
    "names",
    group=MATRIX,
    default="",
    metavar="DEVICE,...",
    help="Devices, see `wirelab list devices` [default: all].",
)
@option(
    "--format",
    "formats",
    group=MATRIX,
    default="",
    metavar="FORMAT,...",
    help="Formats or codecs [default: all].",
)
@option(
    "--radio",
    "radios",
    group=DEVICE,
    metavar="RADIO,...",
    default="cc1200,wifi",
    show_default=True,
    help="Radios: cc1200, wifi, lte-m, nb-iot, lora, ble, custom.",
)
@option("--nj-per-byte", group=DEVICE, type=float, metavar="NJ", help="Energy per byte of --radio custom.")
@option(
    "--overhead",
    group=DEVICE,
    default=0.0,
    show_default=True,
    metavar="BYTES",
    help="Protocol overhead per message on air.",
)
@option(
    "--opt-level",
    group=DEVICE,
    type=click.Choice(("Os", "O2")),
    default="Os",
    show_default=True,
    help="Compiler optimisation: Os for size, O2 for speed.",
)
@option(
    "--rate", group=LOAD, default="", metavar="RATE", help="Messages per time (1/min), for the battery life."
)
@option(
    "--battery",
    group=DEVICE,
    default="",
    metavar="MWH",
    help="Energy of the battery in mWh: about 660 for a CR2032, 7500 for two AA.",
)
@option("--nanopb-dir", group=DEVICE, metavar="DIR", type=_DIRECTORY, help="Sources of nanopb.")
@option("--tinycbor-dir", group=DEVICE, metavar="DIR", type=_DIRECTORY, help="Sources of tinycbor.")
@option("--mpack-dir", group=DEVICE, metavar="DIR", type=_DIRECTORY, help="Sources of MPack.")
@option("--arduinojson-dir", group=DEVICE, metavar="DIR", type=_DIRECTORY, help="Sources of ArduinoJson.")
@option(
    "--fetch",
    group=DEVICE,
    is_flag=True,
    help="Download pinned releases of MPack and ArduinoJson from GitHub and keep them.",
)
@out_option("devices")
@view_option
@quiet_option
def command(
    payload: Path,
    given: dict[str, Any],
    names: str,
    formats: str,
    radios: str,
    nj_per_byte: float | None,
    overhead: float,
    opt_level: str,
    rate: str,
    battery: str,
    nanopb_dir: Path | None,
    tinycbor_dir: Path | None,
    mpack_dir: Path | None,
    arduinojson_dir: Path | None,
    fetch: bool,
    out: Path | None,
    view: str,
    quiet: bool,
) -> int:
    """Measure cycles or instructions, flash, RAM, stack and energy per message in PAYLOAD on
    simulated microcontrollers.
    """
    from msgspec.structs import replace

    from wirelab.devices import energy, libraries
    from wirelab.devices.answer_adapter import runs
    from wirelab.devices.device_matrix import MatrixRequest, measure_matrix
    from wirelab.devices.download import RELEASES
    from wirelab.devices.download import fetch as fetch_library
    from wirelab.lab.environment import origin
    from wirelab.model.trial import State
    from wirelab.schema import numerals
    from wirelab.schema.check import typed_messages
    from wirelab.schema.kinds import NONE
    from wirelab.studies.preparation import read_subject
    from wirelab.studies.toml_reader import from_table

    if fetch:
        for name in RELEASES:
            fetch_library(name, libraries.library_folder())
    found = libraries.find(
        {"nanopb": nanopb_dir, "tinycbor": tinycbor_dir, "mpack": mpack_dir, "arduinojson": arduinojson_dir}
    )
    wish = MatrixRequest(
        levels(names),
        levels(formats),
        tuple(energy.radio(name, nj_per_byte) for name in levels(radios)),
        opt_level,
        _overhead(overhead),
        *_battery(rate, battery),
    )
    study = from_table({"payload": str(payload), **given}, "devices")
    subject = read_subject(replace(study, kinds=NONE))
    messages = list(typed_messages(numerals.exact(subject.corpus, subject.schema), subject.schema))
    report = None if quiet else _progress
    result = measure_matrix(payload.name, subject.schema, messages, found, wish, progress=report)
    _show(replace(result, origin=origin()), runs(result, wish), out, view)
    return 0 if any(row.verdict.state is State.VALID for row in result.rows) else 2


def _show(result: DeviceMatrix, found: tuple[DeviceRun, ...], out: Path | None, view: str) -> None:
    """Print one view; with `out` write all of them there."""
    import json

    import msgspec

    from wirelab.cli.output import show_views
    from wirelab.report import device_html, devices, terminal
    from wirelab.report.terminal_device import print_devices

    console, origin = terminal.plain_console(), result.origin

    def show_text() -> None:
        print_devices(result.payload, found, console)
        terminal.print_origin(origin, console)

    files = {
        "md": lambda: devices.markdown(result.payload, found, origin),
        "csv": lambda: devices.csv_text(found, origin),
        "json": lambda: json.dumps(msgspec.to_builtins(result), indent=1) + "\n",
        "html": lambda: device_html.page(result.payload, found, origin),
    }
    show_views("devices", view, out, show_text, files)


def _progress(done: int, total: int) -> None:
    import sys

    if sys.stderr.isatty():
        click.echo(f"\r{done} of {total} builds measured", nl=done == total, err=True)


def _overhead(value: float) -> float:
    from wirelab.model.errors import BadInput

    if not 0 <= value <= 65_535:
        raise BadInput(
            f"overhead {value:g}", "not between 0 and 65,535 bytes", "give bytes per message, like 45"
        )
    return value


def _battery(rate: str, battery: str) -> tuple[float | None, float | None]:
    """Messages per second and battery energy in mWh, both or neither. Raises BadInput."""
    from wirelab.model.errors import BadInput
    from wirelab.model.units import count, rate_hz

    if not rate and not battery:
        return None, None
    if not rate or not battery or rate == "max":
        raise BadInput(
            "battery life", "needs a rate and a battery", "give both, like --rate 1/min --battery 660"
        )
    return rate_hz(rate), float(count(battery))
