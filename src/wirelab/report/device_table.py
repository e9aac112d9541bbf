"""A device's codecs as rows of texts that every view shows, with remarks and sources."""

from __future__ import annotations

from collections.abc import Iterator

from wirelab.model.device import DeviceRun, OnDevice, Radio, battery_days
from wirelab.model.units import show


def counted(run: DeviceRun) -> str:
    """The unit of the chip's figures: `cycles`, `instructions`, `instructions and modelled cycles`."""
    return f"{run.counted} and modelled cycles" if _modelled(run) else run.counted


def headings(run: DeviceRun) -> list[str]:
    """The columns, each with its unit."""
    modelled = ["serialize, modelled cycles", "deserialize, modelled cycles"] if _modelled(run) else []
    return [
        "codec", f"serialize, {run.counted}", f"deserialize, {run.counted}", *modelled,
        "bytes", "text B", "data B", "bss B", "stack B", "RAM B",
        *(f"energy, {radio.name}" for radio in run.radios),
        *(f"battery, {radio.name}" for radio in run.radios if _has_battery(run)),
    ]  # fmt: skip


def texts(run: DeviceRun, row: OnDevice) -> list[str]:
    """The cells of a codec that was measured, as many as there are headings."""
    bands = (row.serialize_cycles, row.deserialize_cycles) if _modelled(run) else ()
    nj = [row.message_nj(radio, run.overhead) for radio in run.radios]
    return [
        f"{row.codec} {row.version}",
        f"{row.serialize:,.0f}",
        f"{row.deserialize:,.0f}",
        *(f"{band[0]:,.0f} to {band[1]:,.0f}" if band else "" for band in bands),
        f"{row.size:.1f}",
        *(f"{size:,}" for size in (row.text, row.data, row.bss, row.stack, row.ram)),
        *(show(one, "nJ") for one in nj),
        *(_life(run, one) for one in nj if _has_battery(run)),
    ]


def remarks(run: DeviceRun) -> Iterator[str]:
    """Remarks on the chip's figures: codecs that did not run, losses, the baseline of sizes, flip
    points.
    """
    for row in run.rows:
        if not row.size:
            yield f"{row.codec}: {row.verdict}"
    for note in dict.fromkeys(note for row in run.rows for note in row.notes):
        named = [row.codec for row in run.rows if note in row.notes]
        yield f"{', '.join(named) if len(named) < len(run.measured) else 'all of them'}: {note}"
    yield from flips(run)
    if run.measured:
        text, data, bss = run.baseline
        yield (
            f"sizes are without the baseline image of {run.measured[0].codec} (text {text}, data {data}, bss {bss} B); "
            f"{run.compiler}, -{run.optimise}"
        )
    yield f"{run.nj_per_cycle:g} nJ per cycle: {run.energy_source}"


def flips(run: DeviceRun) -> Iterator[str]:
    """From which energy per byte on another codec costs least."""
    for flip in run.flips:
        yield f"from {show(flip.nj_per_byte, 'nJ')} per byte on, {flip.after} costs less than {flip.before}"


def sources(run: DeviceRun) -> Iterator[str]:
    """What holds for every chip: formats without a codec, radios, battery life."""
    for only in run.sizes_only:
        size = f"{only.bytes:.1f} B per message, size only" if only.bytes is not None else "not measured"
        yield f"{only.format}: {size}: {only.reason}"
    yield from (f"radio {radio.name}: {price(radio)} per byte ({radio.source})" for radio in run.radios)
    if run.overhead:
        yield f"energy counts {run.overhead:g} B of protocol per message"
    if run.battery_mwh:
        yield "battery life counts serializing and sending the messages alone: no sleep, no receiving, no connection"


def price(radio: Radio) -> str:
    """`5 uJ to 10 uJ`, or one figure."""
    low, high = show(radio.low, "nJ"), show(radio.high, "nJ")
    return low if low == high else f"{low} to {high}"


def _modelled(run: DeviceRun) -> bool:
    return any(row.serialize_cycles for row in run.measured)


def _has_battery(run: DeviceRun) -> bool:
    return bool(run.per_second and run.battery_mwh)


def _life(run: DeviceRun, nj: float) -> str:
    if not run.per_second or not run.battery_mwh:
        return ""
    return show(battery_days(nj, run.per_second, run.battery_mwh), "days")
