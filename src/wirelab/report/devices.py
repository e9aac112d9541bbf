"""The costs of a payload on devices, as Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from wirelab.model.device import DeviceRun, OnDevice, battery_days
from wirelab.model.origin import Origin
from wirelab.report import device_table as table
from wirelab.report.csv import origin_columns
from wirelab.report.markdown import origin_line
from wirelab.report.markdown_text import bullets, escape
from wirelab.report.markdown_text import table as markdown_table


def markdown(payload: str, runs: Sequence[DeviceRun], origin: Origin | None = None) -> str:
    """A table for each chip, with remarks and sources. Names from outside are escaped."""
    blocks = [f"{escape(payload)}: {runs[0].messages} messages measured, means per message."]
    for run in runs:
        blocks += [f"## {escape(title(run))}", *section(run)]
    return "\n\n".join([*blocks, bullets(table.sources(runs[0])), *origin_line(origin)]) + "\n"


def section(run: DeviceRun) -> list[str]:
    """One chip's table and remarks in Markdown."""
    rows, heads = [table.texts(run, row) for row in run.measured], table.headings(run)
    drawn = [markdown_table(heads, rows, right=range(1, len(heads)))] if rows else []
    return [*drawn, bullets(table.remarks(run))]


def title(run: DeviceRun) -> str:
    """The chip, the unit of its figures, and how its stack is measured."""
    name = f"{run.title}: {table.counted(run)}; stack {run.stack}"
    return f"{name}; {run.note}" if run.note else name


def csv_text(runs: Sequence[DeviceRun], origin: Origin | None = None) -> str:
    """One line per chip and codec, the unit in each heading; empty where not measured."""
    out = io.StringIO()
    names = [radio.name for radio in runs[0].radios]
    days = [f"battery_{name}_days" for name in names] if runs[0].per_second else []
    measured = origin_columns(origin)
    head = [*_COLUMNS, *(f"energy_{name}_nj" for name in names), *days, *measured]
    writer = csv.DictWriter(out, head, restval="", lineterminator="\n")
    writer.writeheader()
    for run in runs:
        for row in run.rows:
            writer.writerow(_values(run, row) | measured)
    return out.getvalue()


_COLUMNS = (
    "device", "codec", "version", "verdict", "counted", "serialize_count", "deserialize_count",
    "serialize_cycles_low", "serialize_cycles_high", "deserialize_cycles_low", "deserialize_cycles_high",
    "bytes", "text_bytes", "data_bytes", "bss_bytes", "stack_bytes", "ram_bytes", "compiler", "optimise",
)  # fmt: skip


def _values(run: DeviceRun, row: OnDevice) -> dict[str, object]:
    found: dict[str, object] = {
        "device": run.device, "codec": row.codec, "version": row.version, "verdict": str(row.verdict), "counted": run.counted,
    }  # fmt: skip
    if not row.size:
        return found
    for direction in ("serialize", "deserialize"):
        found[f"{direction}_count"] = getattr(row, direction)
        for end, value in zip(("low", "high"), getattr(row, f"{direction}_cycles") or (), strict=False):
            found[f"{direction}_cycles_{end}"] = value
    found |= {"bytes": row.size, "compiler": run.compiler, "optimise": run.optimise}
    found |= {f"{name}_bytes": getattr(row, name) for name in ("text", "data", "bss", "stack", "ram")}
    for radio in run.radios:
        nj = row.message_nj(radio, run.overhead)
        found[f"energy_{radio.name}_nj"] = nj
        if run.per_second and run.battery_mwh:
            found[f"battery_{radio.name}_days"] = battery_days(nj, run.per_second, run.battery_mwh)
    return found
