"""How it was measured, as values for templates: links, servers, peers, trials that are not valid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wirelab.model.answer import Answer, LinkCheck, Record
from wirelab.model.origin import ORIGIN
from wirelab.model.trial import State
from wirelab.model.units import show
from wirelab.report import cell_text, figures, svg
from wirelab.report.html_values import Values, both

MAX_TRIALS = 300
_OWN_PLACE = (ORIGIN, "command", "environment", "study")


def link(check: LinkCheck) -> Values:
    """A link's check: what was specified against what was measured, the trace, and its other
    figures.

    In the emulator's figures, `checks` are the comparisons (what, asked, measured, low, high, unit,
    n, ok) and `trace` is the capacity as (s, bit/s).
    """
    left = dict(check.figures)
    compared = [row for row in _rows(left.pop("checks", None)) if "measured" in row]
    trace = _points(left.pop("trace", None))
    for shown in ("ok", "link"):
        left.pop(shown, None)
    return {
        "name": check.link,
        "ok": check.ok,
        "compared": [_compared(row) for row in compared],
        "trace": both(figures.capacity, trace, check.link) if len(trace) > 1 else None,
        "rest": flat(left),
    }


def _rows(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _compared(row: dict[str, Any]) -> Values:
    unit = str(row.get("unit", ""))
    between = [row.get(end) for end in ("low", "high")]
    known = all(isinstance(end, int | float) for end in between)
    return {
        "what": row.get("what", ""),
        "specified": _shown(row.get("asked"), unit),
        "measured": _shown(row["measured"], unit),
        "interval": f"[{', '.join(_shown(end, unit) for end in between)}]" if known else "",
        "n": _shown(row.get("n"), ""),
        "ok": row.get("ok"),
    }


def _shown(value: object, unit: str) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return "-" if value is None else str(value)
    return _quantity(value, unit)


def _quantity(value: float, unit: str) -> str:
    return svg.tick_text(value, unit) if unit == "bit/s" else show(value, unit)


def _points(value: object) -> list[tuple[float, float]]:
    pairs = value if isinstance(value, list) else []
    return [
        (float(pair[0]), float(pair[1]))
        for pair in pairs
        if isinstance(pair, list | tuple) and len(pair) == 2
    ]


def origin(answer: Answer, records: Sequence[Record]) -> Values:
    """Command, study, machine, versions and limits: everything needed to run it again."""
    results = [record.result for record in records if record.result is not None]
    servers = dict.fromkeys(
        (r.server.name, r.server.version, ", ".join(f"{k} {v}" for k, v in r.server.limits.items()))
        for r in results
        if r.server.name
    )
    peers = dict.fromkeys(
        (r.peer.name, r.peer.library, r.peer.version, r.peer.language) for r in results if r.peer.name
    )
    rest = {key: value for key, value in answer.meta.items() if key not in _OWN_PLACE}
    late = max((r.lateness for r in results), key=lambda one: one.p99_ns, default=None)
    return {
        "command": str(answer.meta.get("command", "")),
        "study": _flat_meta(answer, "study"),
        "environment": _flat_meta(answer, "environment"),
        "rest": flat(rest),
        "servers": list(servers),
        "peers": list(peers),
        "lateness": show(late.p99_ns, "ns") if late and late.packets else "",
        "own_drops": sum(r.lateness.own_drops for r in results),
        "identities": ", ".join(dict.fromkeys(r.identity for r in results)),
        "trials": len(records),
        "done": len(results),
        "valid": sum(r.verdict.state is State.VALID for r in results),
    }


def _flat_meta(answer: Answer, key: str) -> list[tuple[str, str]]:
    value = answer.meta.get(key)
    return flat(value) if isinstance(value, dict) else []


def not_valid(records: Sequence[Record]) -> Values:
    """Every trial that is not valid, with its reason; the first MAX_TRIALS of them."""
    lost = [
        (" ".join(record.trial.levels.values()), record.trial.replicate, str(record.result.verdict))
        for record in records
        if record.result is not None and record.result.verdict.state is not State.VALID
    ]
    return {
        "rows": lost[:MAX_TRIALS],
        "count": cell_text.count(len(lost), "trial"),
        "more": max(len(lost) - MAX_TRIALS, 0),
    }


def flat(values: Mapping[str, object], prefix: str = "") -> list[tuple[str, str]]:
    """Nested keys and values as texts, for what has no table of its own."""
    found: list[tuple[str, str]] = []
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            found += flat(value, f"{name}.")
        elif isinstance(value, list | tuple):
            found.append((name, ", ".join(map(str, value))))
        elif value is not None and value != "":
            found.append(_with_unit(name, value))
    return found


def _with_unit(name: str, value: object) -> tuple[str, str]:
    for end, unit in (("_ns", "ns"), ("_bytes", "B"), ("_fraction", "fraction"), ("_bps", "bit/s")):
        if name.endswith(end) and isinstance(value, int | float) and not isinstance(value, bool):
            return name.removesuffix(end), _quantity(value, unit)
    return name, str(value)
