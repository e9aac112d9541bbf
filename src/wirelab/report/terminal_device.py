"""A device's codecs in a terminal, below the ranked rows."""

from __future__ import annotations

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
    heads = device_table.headings(run)
    kept = [at for at, head in enumerate(heads) if not head.startswith(_LONG)]
    rows = [device_table.texts(run, row) for row in run.measured]
    columns = [
        Column(
            heads[at].replace(", ", ",\n"),
            [Text(row[at]) for row in rows],
            1 if heads[at].startswith("energy") else place and place + 1,
            right=place > 0,
        )
        for place, at in enumerate(kept)
    ]
    if rows:
        print_table(console, columns)
    for line in wrapped([*device_table.remarks(run), *device_table.sources(run)], console.width):
        console.print(Text(line))
