"""A comparison that is measured until it is precise, or its time is up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from tests.factories import a_payload
from wirelab.cli.precision import measure_to_precision, stated_precision
from wirelab.model.result import Counts, TrialResult
from wirelab.model.study import Study
from wirelab.model.trial import Trial
from wirelab.stats.sample_join import Joined
from wirelab.store.run import RunStore
from wirelab.studies.plan import trials

STUDY = Study(
    format=("avro", "json"), protocol=("mqtt",), qos=("0",), link=("ideal",), replicates=5, precision="5%"
)
CODECS = ("avro/avro", "json/serde_json")
MESSAGES = 30


def planned(study: Study) -> list[Trial]:
    return trials(study, CODECS, a_payload(corpus="c", schema="s", codec="", pack="p"))


def latencies(trial: Trial) -> Joined:
    """50 ms with Avro, 200 ms with JSON; replicates differ by about 10 %."""
    rng = np.random.default_rng(trial.replicate)
    base = 50e6 if "avro" in trial.payload.codec else 200e6
    latency = (base * np.exp(rng.normal(0, 0.1)) * np.exp(rng.normal(0, 0.01, MESSAGES))).astype(np.int64)
    zeros, at = np.zeros(MESSAGES, dtype=np.int64), 1 + np.arange(MESSAGES, dtype=np.int64) * 200_000_000
    columns = {name: zeros for name in ("start", "sent", "done", "bytes", "duplicates")}
    columns |= {"seq": np.arange(MESSAGES), "planned": at, "received": at + latency, "decoded": at + latency}
    columns["outcome"] = zeros.astype(np.uint8)
    columns |= {name: zeros.astype(bool) for name in ("reordered", "warmup")}
    return Joined(columns, Counts(MESSAGES, MESSAGES, MESSAGES), 0)


def run(folder: Path, study: Study, trial_s: float = 1.0) -> tuple[Counter[str], list[str]]:
    """Trials by format, and the notes, of a run in which every trial takes `trial_s`."""
    with RunStore.create(folder, study, planned(study), {}) as store:
        passed = [0.0]

        def measure() -> float:
            ready = store.planned()
            for trial in ready:
                store.begin(trial.id)
                joined = latencies(trial)
                elapsed_ns = int(trial_s * 1e9)
                store.finish(TrialResult(trial.id, counts=joined.counts, elapsed_ns=elapsed_ns), joined)
            passed[0] += trial_s * len(ready)
            return trial_s * len(ready)

        measure_to_precision(store, study, measure, lambda: passed[0])
        return Counter(record.trial.payload.codec for record in store.results()), store.notes()


def test_without_a_precision_the_planned_trials_are_all(tmp_path: Path) -> None:
    seen, notes = run(tmp_path / "r", replace(STUDY, precision=""))
    assert seen == {"avro/avro": 5, "json/serde_json": 5}
    assert notes == []


def test_the_leading_row_gets_replicates_until_it_is_precise_and_a_separated_row_gets_none(
    tmp_path: Path,
) -> None:
    seen, notes = run(tmp_path / "r", STUDY)
    assert seen["json/serde_json"] == 5
    assert 15 <= seen["avro/avro"] <= 40  # 10 % between replicates: about (2.1 * 10 / 5)**2 = 18
    assert notes == [f"{seen['avro/avro'] - 5} trials added for a precision of 5%"]


def test_a_time_budget_that_the_planned_replicates_use_up_is_named(tmp_path: Path) -> None:
    short = replace(STUDY, time_budget="3s")
    seen, notes = run(tmp_path / "r", short)
    assert seen == {"avro/avro": 5, "json/serde_json": 5}
    assert notes[0].startswith("precision of 5% not reached in 3s: avro/avro is within ")
    assert notes[0].endswith(
        "; the planned replicates took 10.0 s, which left no time for another: give a longer --time-budget"
    )
    (stated,) = stated_precision(short, planned(short))
    assert stated.startswith("the planned replicates alone take about ")
    assert stated.endswith("for a precision of 5% within 3s: give a longer --time-budget")


def test_when_the_time_is_up_the_run_says_how_precise_it_is(tmp_path: Path) -> None:
    seen, notes = run(tmp_path / "r", replace(STUDY, time_budget="13s"), trial_s=1.0)
    assert seen["avro/avro"] == 8  # 10 of 13 s are the planned trials
    assert len(notes) == 1
    assert notes[0].startswith("precision of 5% not reached in 13s: avro/avro is within ")
    assert notes[0].endswith("; 3 trials added for a precision of 5%")
