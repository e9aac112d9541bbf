"""Why a run has no valid trial, and the next step."""

from __future__ import annotations

import shlex

from wirelab.model.answer import VerdictCount
from wirelab.model.reason import NOISE, Reason
from wirelab.model.trial import State
from wirelab.report import cell_text
from wirelab.store.run import RunStore


def without_valid_trial(store: RunStore) -> str:
    """The most frequent reason, how many others there are, and what to do."""
    kinds: dict[tuple[object, ...], list[tuple[State, Reason]]] = {}
    for record in store.results():
        if record.result is not None and (reason := record.result.verdict.reason) is not None:
            state = record.result.verdict.state
            kinds.setdefault((state, *reason.kind), []).append((state, reason))
    if not kinds:
        return "nothing could be measured: no trial has run; run wirelab doctor to see why"
    first, *others = sorted(kinds.values(), key=len, reverse=True)
    state, reason = first[0]
    why = VerdictCount(state, tuple(one for _, one in first), len(first))
    more = f"; and {cell_text.count(len(others), 'other reason')}" if others else ""
    logs, directory = store.directory / "logs", shlex.quote(str(store.directory))
    step = "run wirelab doctor to see what disturbs measurements here"
    if reason.code in NOISE:
        step = f"end other work on this machine, then measure again: wirelab compare --resume {directory}"
    elif logs.is_dir():
        step = f"the logs are in {logs}"
    return f"nothing could be measured: {why}{more}; {step}"
