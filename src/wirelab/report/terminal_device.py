"""A device's codecs in a terminal, below the ranked rows."""

from __future__ import annotations

import textwrap

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirelab.model.device import DeviceRun
from wirelab.report import device_table, devices

# Left to the report: the ranked rows say some of it, and the rest is what memory is made of.
_LONG = ("deserialize, modelled", "data", "bss", "stack", "battery")


def print_device(run: DeviceRun, console: Console) -> None:
    """What each codec takes on the chip, and what to know about it."""
    console.print()
    console.print(Text(f"On {devices.title(run)}", style="bold"))
    heads = device_table.headings(run)
    kept = [at for at, head in enumerate(heads) if not head.startswith(_LONG)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for at in kept:
        table.add_column(heads[at].replace(", ", ",\n"), justify="right" if at else "left", overflow="fold")
    for row in run.measured:
        texts = device_table.texts(run, row)
        table.add_row(*(Text(texts[at]) for at in kept))
    if run.measured:
        console.print(table)
    for line in (*device_table.remarks(run), *device_table.sources(run)):
        console.print(Text(textwrap.fill(line, console.width, initial_indent=" - ", subsequent_indent="   ")))
