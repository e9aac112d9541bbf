"""The local engine starts trials together, survives what they do, and leaves nothing running. No lab is needed: the executor is a mock."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from wirelab.engine.local import Handle, batches, lines, patient, run_batch
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Link, PayloadSpec, State, Trial, Workload


def trial(name: str, replicate: int = 0, rate: float | None = 5.0) -> Trial:
    return Trial(
        id=name,
        levels={"format": name},
        replicate=replicate,
        seed=1,
        payload=PayloadSpec("", "", "json/serde_json", ""),
        protocol="mock",
        qos="0",
        link=Link(),
        workload=Workload(rate_hz=rate, count=10),
    )


class MockHandle:
    """A trial that behaves as its name says."""

    def __init__(self, line: list[tuple[str, Path]], log: list[str]) -> None:
        (self.name, self.folder), *self.waiting = line
        self.log = log

    def wait_ready(self, deadline_s: float) -> bool:
        self.log.append(f"ready {self.name}")
        return self.name != "stillborn"

    def go(self, offset_ns: int) -> None:
        self.log.append(f"go {self.name} +{offset_ns / 1e6:g} ms")

    def wait_next(self, deadline_s: float) -> bool:
        over = self.wait_over(deadline_s)
        self.log.append(f"over {self.name}")
        self.name, self.folder = self.waiting.pop(0)
        return over

    def wait_over(self, deadline_s: float) -> bool:
        if self.name == "interrupted":
            raise KeyboardInterrupt
        if self.name.startswith("good"):
            (self.folder / "outcome.json").write_bytes(msgspec.json.encode(Outcome(messages=7)))
        if self.name == "garbled":
            (self.folder / "outcome.json").write_bytes(b'{"messages":')
        return self.name != "endless"

    def kill(self) -> None:
        self.log.append(f"kill {self.name}")


class MockExecutor:
    def __init__(self) -> None:
        self.log: list[str] = []

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> Handle:
        self.log.append(f"start {' then '.join(trial.id for trial in trials)}")
        return MockHandle([(t.id, folder) for t, folder in zip(trials, folders, strict=True)], self.log)


def run(names: list[str], tmp_path: Path) -> tuple[dict[str, Outcome], list[str]]:
    executor = MockExecutor()
    batch = [trial(name) for name in names]
    folders = {name: tmp_path / name for name in names}
    for folder in folders.values():
        folder.mkdir()
    return {t.id: outcome for t, outcome in run_batch(batch, folders, executor)}, executor.log


def test_all_are_ready_before_any_goes(tmp_path: Path) -> None:
    _, log = run(["good1", "good2"], tmp_path)
    assert log[:6] == [
        "start good1",
        "start good2",
        "ready good1",
        "ready good2",
        "go good1 +0 ms",
        "go good2 +100 ms",
    ]


def test_an_outcome_is_read_back(tmp_path: Path) -> None:
    outcomes, _ = run(["good"], tmp_path)
    assert outcomes["good"].messages == 7


@pytest.mark.parametrize("name", ["stillborn", "endless", "garbled", "silent"])
def test_a_trial_that_goes_wrong_fails_alone(tmp_path: Path, name: str) -> None:
    outcomes, log = run(["good", name], tmp_path)
    assert outcomes[name].verdict.state is State.FAILED
    assert outcomes[name].verdict.reason
    assert outcomes["good"].verdict.state is State.VALID
    assert f"kill {name}" in log


def test_an_endless_trial_says_that_it_was_ended(tmp_path: Path) -> None:
    outcomes, _ = run(["endless"], tmp_path)
    assert outcomes["endless"].verdict.reason == "took far longer than planned and was ended"


def test_an_interrupt_ends_everything_that_was_started(tmp_path: Path) -> None:
    executor = MockExecutor()
    batch = [trial("good"), trial("interrupted"), trial("waiting")]
    folders = {t.id: tmp_path for t in batch}
    with pytest.raises(KeyboardInterrupt):
        list(run_batch(batch, folders, executor))
    assert {"kill good", "kill interrupted", "kill waiting"} <= set(executor.log)


def test_sparse_trials_run_side_by_side_and_heavy_ones_alone() -> None:
    names = [
        trial("a"),
        trial("b"),
        trial("c"),
        trial("flood", rate=None),
        trial("d"),
        trial("e", replicate=1),
    ]
    assert [[t.id for t in batch] for batch in batches(names, 2)] == [
        ["a", "b"],
        ["c"],
        ["flood"],
        ["d", "e"],
    ]


def test_a_fast_trial_counts_as_heavy() -> None:
    assert [len(b) for b in batches([trial("a", rate=51.0), trial("b", rate=51.0)], 8)] == [1, 1]


def test_a_server_that_is_slow_to_start_takes_the_places_of_several_and_runs_beside_its_like() -> None:
    heavy = [replace(trial(name, replicate), server="rabbitmq") for replicate, name in enumerate("abc")]
    light = [trial(name) for name in "defgh"]
    assert [len(batch) for batch in batches([*heavy, *light], 4)] == [2, 1, 4, 1]


def test_what_waits_for_seconds_lets_others_go_on() -> None:
    lossy = Link(text="wifi,loss=25%")
    turns = replace(trial("x").workload, arrivals="one-by-one")
    con = replace(trial("con"), protocol="coap", qos="con", link=lossy, workload=turns)
    non = replace(con, id="non", qos="non")
    broker = replace(con, id="broker", protocol="amqp", qos="auto", server="rabbitmq")
    assert [t.id for t in patient([trial("a"), con, non, broker], 8)] == ["con", "broker"]
    assert patient([con, broker], 8) == []


def on_rabbitmq(name: str, replicate: int = 0, link: str = "ideal") -> Trial:
    return replace(trial(name, replicate), server="rabbitmq", protocol="amqp", qos=name, link=Link(text=link))


def test_trials_that_share_a_slow_server_run_one_after_the_other_on_it() -> None:
    same = [on_rabbitmq("auto"), on_rabbitmq("manual")]
    other = [on_rabbitmq("auto2", replicate=1), on_rabbitmq("auto3", replicate=1, link="wifi")]
    assert [[t.id for t in line] for line in lines([*same, *other, trial("a"), trial("b")])] == [
        ["auto", "manual"],
        ["auto2"],
        ["auto3"],
        ["a"],
        ["b"],
    ]
    assert [len(batch) for batch in batches([*same, *other], 4)] == [3, 1]


def test_those_behind_others_get_ready_once_all_before_them_are_over(tmp_path: Path) -> None:
    executor = MockExecutor()
    batch = [on_rabbitmq("good1"), on_rabbitmq("good2"), trial("good")]
    folders = {t.id: tmp_path / t.id for t in batch}
    for folder in folders.values():
        folder.mkdir()
    assert {t.id: o.messages for t, o in run_batch(batch, folders, executor)} == {
        "good1": 7,
        "good": 7,
        "good2": 7,
    }
    assert executor.log == [
        "start good1 then good2",
        "start good",
        "ready good1",
        "ready good",
        "go good1 +0 ms",
        "go good +100 ms",
        "over good1",
        "kill good",
        "ready good2",
        "go good2 +0 ms",
        "kill good2",
        "kill good2",
        "kill good",
    ]
