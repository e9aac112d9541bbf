"""Devices in a terminal: the codecs of a device below the ranked rows, and all devices of a
payload.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from wirelab.model.device import DeviceRun
from wirelab.report import device_table, devices
from wirelab.report.terminal_table import Column, print_table
from wirelab.report.terminal_text import headed, wrapped

# Left to the report: the ranked rows say some of it, and the rest is what memory is made of.
_LONG = ("deserialize, modelled", "data", "bss", "stack", "battery")


def print_device(run: DeviceRun, console: Console) -> None:
    """Print the cost of each codec on the chip, with remarks."""
    headed(console, f"On {devices.title(run)}")
    _print_table(run, console, [head for head in device_table.headings(run) if not head.startswith(_LONG)])
    _print_lines([*device_table.remarks(run), *device_table.sources(run)], console)


def print_devices(payload: str, runs: Sequence[DeviceRun], console: Console) -> None:
    """Print all figures of each chip, with remarks, and the sources."""
    console.print(Text(f"{payload}: {runs[0].messages} messages measured, means per message"))
    for run in runs:
        headed(console, devices.title(run))
        _print_table(run, console, device_table.headings(run))
        _print_lines(list(device_table.remarks(run)), console)
    console.print()
    _print_lines(list(device_table.sources(runs[0])), console)


def _print_table(run: DeviceRun, console: Console, shown: Sequence[str]) -> None:
    rows = [
        dict(zip(device_table.headings(run), device_table.texts(run, row), strict=True))
        for row in run.measured
    ]
    columns = [
        Column(
            head.replace(", ", ",\n"),
            [Text(row[head]) for row in rows],
            1 if head.startswith("energy") else place + 1 + len(shown) * head.startswith(_LONG),
            right=True,
        )
        for place, head in enumerate(shown)
        if place
    ]
    names = Column(shown[0], [Text(row[shown[0]]) for row in rows])
    if rows:
        print_table(console, [names, *columns])


def _print_lines(lines: Sequence[str], console: Console) -> None:
    for line in wrapped(lines, console.width):
        console.print(Text(line))
