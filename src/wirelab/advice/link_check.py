"""Whether a row's link passed its check: the threshold of runs with a link that is off spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirelab.model.answer import LinkCheck, Status, Threshold, ThresholdResult
from wirelab.model.units import show

LINK_AS_SPECIFIED = Threshold("link as specified", "", "=", 1.0)


def off_spec(checks: Sequence[LinkCheck]) -> dict[str, str]:
    """By link that is off spec: what was measured instead."""
    return {check.link: _measured(check) for check in checks if not check.ok}


def stands_on(link: str, bad: Mapping[str, str]) -> ThresholdResult:
    """A row over a link that is off spec is void: whatever its figures are, it is inconclusive."""
    status = Status.INCONCLUSIVE if link in bad else Status.PASS
    return ThresholdResult(LINK_AS_SPECIFIED.text, status, bad.get(link, ""))


def _measured(check: LinkCheck) -> str:
    """The first figure outside its limits: `rtt, median 25.0 ms instead of 20.0 ms`."""
    rows = check.figures.get("checks")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get("ok") is False:
            unit = str(row.get("unit", ""))
            asked, measured = row.get("asked"), row.get("measured")
            if isinstance(asked, int | float) and isinstance(measured, int | float):
                return f"{row.get('what')} {show(measured, unit)} instead of {show(asked, unit)}"
    return "its check failed"
