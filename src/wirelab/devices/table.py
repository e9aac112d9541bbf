"""A survey as people and programs read it: text, Markdown, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import msgspec

from wirelab.devices.result import Measured
from wirelab.devices.survey import Cost, Survey

VIEWS = ("text", "json", "csv", "md")


def render(survey: Survey, view: str) -> str:
    """The survey in one of `VIEWS`."""
    if view == "json":
        return json.dumps(msgspec.to_builtins(survey), indent=1) + "\n"
    if view == "csv":
        return _csv(survey)
    return "\n".join(_blocks(survey, markdown=view == "md")) + "\n"


def _energy(nj: float) -> str:
    for unit, scale in (("J", 1e9), ("mJ", 1e6), ("uJ", 1e3)):
        if nj >= scale:
            return f"{nj / scale:.3g} {unit}"
    return f"{nj:.3g} nJ"


def _days(days: float) -> str:
    if days > 36_525:
        return "over 100 years"
    return f"{days / 365.25:.1f} years" if days >= 730 else f"{days:.0f} days"


def _headings(survey: Survey, counts: str) -> list[str]:
    modelled = ["serialize, modelled cycles"] if counts == "instructions and modelled cycles" else []
    unit = counts.split(maxsplit=1)[0]
    radios = [f"energy, {radio.name}" for radio in survey.radios]
    life = [f"battery, {radio.name}" for radio in survey.radios] if _has_battery(survey) else []
    return [
        "codec", f"serialize, {unit}", f"deserialize, {unit}", *modelled,
        "bytes", "text B", "data B", "bss B", "stack B", "RAM B", *radios, *life,
    ]  # fmt: skip


def _has_battery(survey: Survey) -> bool:
    return any(cost.battery_days is not None for costs in survey.costs for cost in costs)


def _blocks(survey: Survey, markdown: bool) -> Iterator[str]:
    yield f"{survey.payload}: {len(survey.messages)} messages measured, means per message; sizes without the baseline image"
    for chip in survey.devices:
        rows = [
            (row, costs)
            for row, costs in zip(survey.rows, survey.costs, strict=True)
            if row.device == chip.name
        ]
        measured = [(row, costs) for row, costs in rows if row.messages]
        is_modelled = any(row.messages[0].serialize_cycles for row, _ in measured)
        counts = "instructions and modelled cycles" if is_modelled else chip.counts
        yield ""
        yield f"{'## ' if markdown else ''}{chip.title}: {counts}; stack {chip.stack}; {chip.note}".rstrip(
            "; "
        )
        if markdown:
            yield ""
        if measured:
            cells = [_cells(row, costs, is_modelled, survey) for row, costs in measured]
            yield from _aligned([_headings(survey, counts), *cells], markdown)
        for row, _ in rows:
            if not row.messages:
                yield f"  {row.codec}: {row.verdict}"
        yield from _remarks(survey, [row for row, _ in measured], chip.name)
    for only in survey.sizes_only:
        size = f"{only.bytes:.1f} B per message, " if only.bytes is not None else ""
        yield f"{only.format}: {size}size only: {only.reason}"
    for radio in survey.radios:
        span = f"{radio.low:g}" if radio.low == radio.high else f"{radio.low:g} to {radio.high:g}"
        yield f"radio {radio.name}: {span} nJ per byte ({radio.source})"
    if _has_battery(survey):
        yield "battery life counts serializing and sending the messages alone: no sleep, no receiving, no connection"
    for chip in survey.devices if survey.radios else ():
        yield f"{chip.name}: {chip.energy.nj_per_cycle:g} nJ per cycle ({chip.energy.source})"


def _remarks(survey: Survey, rows: list[Measured], device: str) -> Iterator[str]:
    if rows:
        base = rows[0].baseline
        yield f"  baseline image of the first: text {base.text}, data {base.data}, bss {base.bss} B; {rows[0].compiler}, -{rows[0].optimise}"
    for row in rows:
        for note in row.notes:
            yield f"  {row.codec}: {note}"
    for flip in survey.flips.get(device, ()):
        yield f"  from {_energy(flip.nj_per_byte)} per byte on, {flip.after} costs less than {flip.before}"


def _cells(row: Measured, own: tuple[Cost, ...], is_modelled: bool, survey: Survey) -> list[str]:
    cells = [f"{row.codec} {row.version}", f"{row.mean('serialize'):,.0f}", f"{row.mean('deserialize'):,.0f}"]
    if is_modelled:
        bands = [m.serialize_cycles for m in row.messages if m.serialize_cycles]
        low, high = (sum(band[i] for band in bands) / len(bands) for i in (0, 1))
        cells.append(f"{low:,.0f}..{high:,.0f}")
    cells += [
        f"{row.mean('size'):.1f}",
        *(f"{n:,}" for n in (row.sizes.text, row.sizes.data, row.sizes.bss + row.heap)),
    ]
    cells += [f"{row.stack:,}", f"{row.ram:,}"]
    cells += [_energy(cost.nj) for cost in own]
    if _has_battery(survey):
        cells += [_days(cost.battery_days) if cost.battery_days is not None else "" for cost in own]
    return cells


def _aligned(rows: list[list[str]], markdown: bool) -> Iterator[str]:
    if markdown:
        yield "| " + " | ".join(rows[0]) + " |"
        yield "|" + "|".join(["---", *["---:"] * (len(rows[0]) - 1)]) + "|"
        yield from ("| " + " | ".join(row) + " |" for row in rows[1:])
        yield ""
        return
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        first, *rest = (
            cell.ljust(w) if at == 0 else cell.rjust(w)
            for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        yield "  " + "  ".join([first, *rest]).rstrip()


def _csv(survey: Survey) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["device", "codec", "version", "verdict", "counted", "serialize_count", "deserialize_count",
            "serialize_cycles_low", "serialize_cycles_high", "bytes", "text_bytes", "data_bytes", "bss_bytes", "heap_bytes",
            "stack_bytes", "ram_bytes", "compiler", "optimise"]  # fmt: skip
    writer.writerow([*head, *(f"energy_{radio.name}_nj" for radio in survey.radios)])
    for row, costs in zip(survey.rows, survey.costs, strict=True):
        figures: list[object] = []
        if row.messages:
            bands = [m.serialize_cycles for m in row.messages if m.serialize_cycles]
            band = [sum(b[i] for b in bands) / len(bands) for i in (0, 1)] if bands else ["", ""]
            figures = [row.mean("serialize"), row.mean("deserialize"), *band, row.mean("size"), row.sizes.text,
                       row.sizes.data, row.sizes.bss, row.heap, row.stack, row.ram, row.compiler, row.optimise]  # fmt: skip
        cells = [row.device, row.codec, row.version, str(row.verdict), row.counts, *figures]
        writer.writerow([*cells, *[""] * (len(head) - len(cells)), *(cost.nj for cost in costs)])
    return out.getvalue()
