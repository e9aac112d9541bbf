"""The figures of a device in a row: cost of the format on the chip, energy of the row's bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirelab.advice.figures import Replicate, mean_of
from wirelab.model.answer import Status, Threshold, ThresholdResult
from wirelab.model.codec_id import CodecId
from wirelab.model.device import DeviceRun, OnDevice, battery_days
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import metric
from wirelab.model.trial import State
from wirelab.model.trial_values import sent_overhead_bytes


def runs_threshold(run: DeviceRun) -> Threshold:
    """The threshold that a device adds: that the format runs on it."""
    return Threshold(f"runs on {run.device}", "", "=", 1.0)


def runs(run: DeviceRun, levels: Mapping[str, str]) -> ThresholdResult:
    """Whether the row's format ran on the chip: too big is a failure, no codec is inconclusive."""
    threshold, format_ = runs_threshold(run).text, _format(levels)
    own = _rows_of(run, levels)
    if any(row.size for row in own):
        return ThresholdResult(threshold, Status.PASS)
    for row in own:
        failed = row.verdict.state is State.FAILED
        return ThresholdResult(
            threshold, Status.FAIL if failed else Status.INCONCLUSIVE, f"{row.codec}: {row.verdict}"
        )
    reason = next((only.reason for only in run.sizes_only if only.format == format_), "")
    return ThresholdResult(
        threshold, Status.INCONCLUSIVE, f"{format_}: {reason or 'no C codec for chips is built for it'}"
    )


def figures(
    run: DeviceRun, levels: Mapping[str, str], rate_hz: float | None, replicates: Sequence[Replicate]
) -> tuple[dict[str, list[float]], dict[str, Estimate]]:
    """By metric: the value of every replicate, and the estimate over all of them.

    Empty for a format that does not run. Battery life is for `rate_hz` messages per second.
    """
    row = next((row for row in _rows_of(run, levels) if row.size), None)
    if row is None:
        return {}, {}
    same = _same(run, row)
    values = {name: [value] * len(replicates) for name, (value, _, _) in same.items()}
    found = {
        name: Estimate(value, low, high, metric(name).unit, 1, run.messages, "the same in every run")
        for name, (value, low, high) in same.items()
    }
    energy = [row.message_nj(run.radios[0], sent_overhead_bytes(one.result)) for one in replicates]
    values["energy"] = energy
    if rate_hz and run.battery_mwh:
        values["battery"] = [battery_days(nj, rate_hz, run.battery_mwh) for nj in energy]
    for name in ("energy", "battery"):
        if (mean := mean_of(values.get(name, []), metric(name).unit)) is not None:
            found[name] = mean
    return values, found


def _same(run: DeviceRun, row: OnDevice) -> dict[str, tuple[float, float, float]]:
    """Values that are the same in every run, with their band where they are modelled."""
    count = "device_cycles" if run.counted == "cycles" else "device_instructions"
    found = {
        count: row.serialize,
        "device_flash": float(row.flash),
        "device_ram": float(row.ram),
    }
    same = {name: (value, value, value) for name, value in found.items()}
    if row.serialize_cycles:
        low, high = row.serialize_cycles
        same["device_modelled_cycles"] = ((low + high) / 2, low, high)
    return same


def _rows_of(run: DeviceRun, levels: Mapping[str, str]) -> list[OnDevice]:
    return [row for row in run.rows if row.format == _format(levels)]


def _format(levels: Mapping[str, str]) -> str:
    return CodecId.parse(levels.get("format", "")).format
