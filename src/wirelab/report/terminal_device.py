"""A device's codecs in a terminal, below the ranked rows."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from wirelab.model.device import DeviceRun
from wirelab.report import device_table, devices
from wirelab.report.terminal_text import headed, plain_table, wrapped

# Left to the report: the ranked rows say some of it, and the rest is what memory is made of.
_LONG = ("deserialize, modelled", "data", "bss", "stack", "battery")


def print_device(run: DeviceRun, console: Console) -> None:
    """What each codec takes on the chip, and what to know about it."""
    headed(console, f"On {devices.title(run)}")
    heads = device_table.headings(run)
    kept = [at for at, head in enumerate(heads) if not head.startswith(_LONG)]
    table = plain_table(1)
    for at in kept:
        table.add_column(heads[at].replace(", ", ",\n"), justify="right" if at else "left", overflow="fold")
    for row in run.measured:
        texts = device_table.texts(run, row)
        table.add_row(*(Text(texts[at]) for at in kept))
    if run.measured:
        console.print(table)
    for line in wrapped([*device_table.remarks(run), *device_table.sources(run)], console.width):
        console.print(Text(line))
