"""The local engine starts trials together, survives their faults, and leaves no process.

No lab is needed: the executor is a mock.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.factories import a_payload, a_trial
from wirelab.engine import background_pool, local
from wirelab.engine.admission import Admission
from wirelab.engine.executor import TrialHandle, Update
from wirelab.engine.load_sensor import Load
from wirelab.engine.local import TrialsStarted, run_batch, run_trials
from wirelab.engine.scheduling import batches, server_chains, split_wait_bound
from wirelab.engine.trial_outcome import ready_limit_s
from wirelab.lab import host_cpu
from wirelab.lab.outcome import Outcome
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.reason import Code, Reason
from wirelab.model.trial import Link, State, Trial, Verdict, Workload


def trial(name: str, replicate: int = 0, rate: float | None = 5.0) -> Trial:
    return a_trial(
        name,
        levels={"format": name},
        replicate=replicate,
        payload=a_payload(codec="json/serde_json"),
        protocol="mock",
        workload=Workload(rate_hz=rate, count=10),
    )


class Clock:
    """Time passes during a sleep."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    mock = Clock()
    for module in (local, background_pool):
        monkeypatch.setattr(module, "time", mock)


class MockHandle:
    """A trial that behaves as its name."""

    def __init__(self, line: list[tuple[str, Path]], log: list[str]) -> None:
        (self.name, self.folder), *self.waiting = line
        self.log = log
        self.ready = self.going = False

    def poll(self) -> Update | None:
        if self.going:
            return self._over()
        if self.ready or (self.name == "tardy" and "go slow +0 ms" not in self.log):
            return None
        if self.name == "booting" and "ready good2" not in self.log:
            return None
        self.ready = True
        self.log.append(f"ready {self.name}")
        return Update.ENDED if self.name == "stillborn" else Update.READY

    def go(self, offset_ns: int) -> None:
        self.log.append(f"go {self.name} +{offset_ns / 1e6:g} ms")
        self.going = True

    def _over(self) -> Update | None:
        if self.name == "interrupted":
            raise KeyboardInterrupt
        if self.name == "endless":
            return None
        if self.name == "first" and "go good1 +0 ms" not in self.log:
            return None
        if self.name == "slow" and "kill tardy" not in self.log:
            return None
        if self.name == "late" and not any(line.startswith("go flood") for line in self.log):
            return None
        if self.name.startswith("good"):
            (self.folder / "outcome.json").write_bytes(msgspec.json.encode(Outcome(messages=7)))
        if self.name == "garbled":
            (self.folder / "outcome.json").write_bytes(b'{"messages":')
        if not self.waiting:
            return Update.ENDED
        self.log.append(f"over {self.name}")
        self.name, self.folder = self.waiting.pop(0)
        self.ready = self.going = False
        return Update.OVER

    def kill(self) -> None:
        self.log.append(f"kill {self.name}")


class MockExecutor:
    def __init__(self) -> None:
        self.log: list[str] = []

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> TrialHandle:
        self.log.append(f"start {' then '.join(trial.id for trial in trials)}")
        return MockHandle([(t.id, folder) for t, folder in zip(trials, folders, strict=True)], self.log)


def run(names: list[str], tmp_path: Path) -> tuple[dict[str, Outcome], list[str]]:
    executor = MockExecutor()
    batch = [trial(name) for name in names]
    folders = {name: tmp_path / name for name in names}
    for folder in folders.values():
        folder.mkdir()
    found = [one for one in run_batch(batch, lambda one: folders[one.id], executor) if one is not None]
    return {t.id: outcome for t, outcome in found}, executor.log


def test_all_trials_of_a_batch_are_ready_before_any_starts(tmp_path: Path) -> None:
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


@pytest.fixture(autouse=True)
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_cpu.os, "getloadavg", lambda: (0.0, 0.0, 0.0))


def test_a_longer_connect_timeout_extends_the_deadline_of_a_trial() -> None:
    patient = replace(trial("good"), options={"connect_timeout_s": "60"})
    assert [ready_limit_s(one) for one in (trial("good"), patient)] == [90, 190]


@pytest.mark.parametrize("name", ["stillborn", "endless", "garbled", "silent"])
def test_a_failed_trial_affects_no_other(tmp_path: Path, name: str) -> None:
    outcomes, log = run(["good", name], tmp_path)
    assert outcomes[name].verdict.state is State.FAILED
    assert outcomes[name].verdict.reason
    assert outcomes["good"].verdict.state is State.VALID
    assert f"kill {name}" in log


def test_an_endless_trial_is_reported_as_timed_out(tmp_path: Path) -> None:
    outcomes, _ = run(["endless"], tmp_path)
    assert outcomes["endless"].verdict == Verdict(State.FAILED, Reason(Code.TIMED_OUT))


def test_an_interrupt_ends_everything_that_was_started(tmp_path: Path) -> None:
    executor = MockExecutor()
    batch = [trial("good"), trial("interrupted"), trial("waiting")]
    folders = {t.id: tmp_path for t in batch}
    with pytest.raises(KeyboardInterrupt):
        list(run_batch(batch, lambda one: folders[one.id], executor))
    assert {"kill good", "kill interrupted", "kill waiting"} <= set(executor.log)


def test_sparse_trials_run_concurrently_and_heavy_ones_alone() -> None:
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


def test_a_slow_starting_server_takes_several_slots_and_runs_with_similar_ones() -> None:
    heavy = [replace(trial(name, replicate), server="rabbitmq") for replicate, name in enumerate("abc")]
    light = [trial(name) for name in "defgh"]
    assert [len(batch) for batch in batches([*heavy, *light], 4)] == [2, 1, 4, 1]


def in_turns(name: str, protocol: str = "mqtt", qos: str = "1") -> Trial:
    """One exchange after another over a link that loses packets."""
    turns = replace(trial(name).workload, arrivals=ClosedLoop())
    return replace(trial(name), protocol=protocol, qos=qos, link=Link(text="wifi,loss=25%"), workload=turns)


def test_trials_with_the_longest_wait_start_first() -> None:
    con, other = in_turns("con", "coap", "con"), in_turns("other")
    broker = replace(other, id="broker", protocol="amqp", qos="auto", server="rabbitmq")
    waiting, others = split_wait_bound([trial("a"), other, con, broker])
    assert [t.id for t in waiting] == ["con", "broker", "other"]
    assert [t.id for t in others] == ["a"]


def test_trials_without_retransmission_run_in_batches() -> None:
    non = in_turns("non", "coap", "non")
    assert split_wait_bound([non]) == ([], [non])


@pytest.mark.parametrize(
    ("link", "waits"),
    [
        ("wifi,loss=1%", False),
        ("wifi,up.loss=1%,down.loss=25%", True),
        ("wifi,loss=ge(p=1%,r=25%)", True),
        ("wifi,loss=0.5", True),
    ],
)
def test_trials_with_rare_losses_are_not_wait_bound(link: str, waits: bool) -> None:
    assert bool(split_wait_bound([replace(in_turns("a"), link=Link(text=link))])[0]) == waits


def test_trials_at_one_external_server_never_run_concurrently() -> None:
    away = replace(in_turns("away"), server="mine=192.0.2.7:1883")
    assert split_wait_bound([away]) == ([], [away])


class Idle:
    """A machine with nothing else to do."""

    def read(self) -> Load:
        return Load()


def events(
    trials: list[Trial],
    executor: MockExecutor,
    tmp_path: Path,
    again: Sequence[list[Trial]] = (),
    slots: float = 16.0,
) -> list[str]:
    found, later, admission = [], iter(again), Admission(Idle(), lambda: 0.0)
    admission.batch = admission.background = slots
    folder = lambda one: tmp_path / one.id  # noqa: E731
    for event in run_trials(trials, folder, executor, lambda: next(later, []), admission):
        if isinstance(event, TrialsStarted):
            for one in event.trials:
                (tmp_path / one.id).mkdir()
            found.append("begins " + "+".join(one.id for one in event.trials))
        else:
            found.append(f"over {event.trial.id}")
    return found


def test_wait_bound_trials_run_during_the_batches(tmp_path: Path) -> None:
    executor = MockExecutor()
    told = events([trial("good"), trial("flood", rate=None), in_turns("late")], executor, tmp_path)
    assert told == ["begins late", "begins good", "over good", "begins flood", "over late", "over flood"]
    assert executor.log[:6] == [
        "start late",
        "ready late",
        "go late +0 ms",
        "start good",
        "ready good",
        "go good +0 ms",
    ]


def test_a_wait_bound_trial_starts_and_ends_during_a_batch(tmp_path: Path) -> None:
    told = events([trial("slow"), in_turns("tardy")], MockExecutor(), tmp_path)
    assert told == ["begins tardy", "begins slow", "over tardy", "over slow"]


def test_a_batch_waits_for_starting_background_trials(tmp_path: Path) -> None:
    executor = MockExecutor()
    trials = [trial("good1"), trial("good2"), in_turns("first"), in_turns("booting")]
    told = events(trials, executor, tmp_path, slots=0.25)
    assert told[:6] == [
        "begins first",
        "begins good1",
        "over first",
        "over good1",
        "begins booting",
        "begins good2",
    ]
    assert executor.log.index("go booting +0 ms") < executor.log.index("go good2 +0 ms")


def test_a_batch_does_not_wait_for_trials_that_connect_slowly(tmp_path: Path) -> None:
    executor = MockExecutor()
    events([trial("slow"), in_turns("tardy")], executor, tmp_path)
    assert executor.log.index("go slow +0 ms") < executor.log.index("go tardy +0 ms")


def test_retries_run_while_other_trials_still_wait(tmp_path: Path) -> None:
    again = [[], [trial("flood2", rate=None)], [in_turns("good2")]]
    told = events([trial("good"), in_turns("late")], MockExecutor(), tmp_path, again)
    assert told == [
        "begins late",
        "begins good",
        "over good",
        "begins flood2",
        "over late",
        "over flood2",
        "begins good2",
        "over good2",
    ]


def test_wait_bound_trials_are_retried_before_the_last_batch(tmp_path: Path) -> None:
    trials = [trial("flood1", rate=None), trial("flood2", rate=None)]
    again = [[in_turns("good1"), trial("flood3", rate=None)]]
    told = events(trials, MockExecutor(), tmp_path, again)
    begun = [one for one in told if one.startswith("begins")]
    assert begun == ["begins flood1", "begins good1", "begins flood2", "begins flood3"]


def test_few_background_trials_start_at_the_same_time(tmp_path: Path) -> None:
    told = events([in_turns(f"good{n}") for n in range(10)], MockExecutor(), tmp_path)
    assert [one for one in told if one.startswith("begins")] == [
        "begins " + "+".join(f"good{n}" for n in range(8)),
        "begins good8+good9",
    ]
    assert sorted(one for one in told if one.startswith("over")) == [f"over good{n}" for n in range(10)]


def test_servers_that_are_slow_to_start_start_fewer_at_a_time(tmp_path: Path) -> None:
    brokers = [replace(in_turns(f"good{n}"), server="rabbitmq", protocol="amqp", qos="auto") for n in "abcde"]
    told = events(brokers, MockExecutor(), tmp_path)
    assert [one for one in told if one.startswith("begins")] == [
        "begins gooda+goodb+goodc+goodd",
        "begins goode",
    ]


@pytest.mark.parametrize("name", ["stillborn", "garbled", "silent"])
def test_a_failure_in_the_background_affects_no_other_trial(tmp_path: Path, name: str) -> None:
    executor = MockExecutor()
    told = events([in_turns(name), in_turns("good")], executor, tmp_path)
    assert sorted(told[1:]) == sorted(["over good", f"over {name}"])
    assert f"kill {name}" in executor.log


def on_rabbitmq(name: str, replicate: int = 0, link: str = "ideal") -> Trial:
    return replace(trial(name, replicate), server="rabbitmq", protocol="amqp", qos=name, link=Link(text=link))


def test_trials_that_share_a_slow_server_run_one_after_the_other_on_it() -> None:
    same = [on_rabbitmq("auto"), on_rabbitmq("manual")]
    other = [on_rabbitmq("auto2", replicate=1), on_rabbitmq("auto3", replicate=1, link="wifi")]
    assert [[t.id for t in line] for line in server_chains([*same, *other, trial("a"), trial("b")])] == [
        ["auto", "manual"],
        ["auto2"],
        ["auto3"],
        ["a"],
        ["b"],
    ]
    assert [len(batch) for batch in batches([*same, *other], 4)] == [3, 1]


def test_captured_trials_share_no_server_because_a_lab_has_one_capture() -> None:
    same = [replace(on_rabbitmq(name), capture=True) for name in ("auto", "manual")]
    assert [[t.id for t in line] for line in server_chains(same)] == [["auto"], ["manual"]]


def test_later_trials_of_a_chain_get_ready_after_all_earlier_ones(tmp_path: Path) -> None:
    executor = MockExecutor()
    batch = [on_rabbitmq("good1"), on_rabbitmq("good2"), trial("good")]
    folders = {t.id: tmp_path / t.id for t in batch}
    for folder in folders.values():
        folder.mkdir()
    found = [one for one in run_batch(batch, lambda one: folders[one.id], executor) if one is not None]
    assert [(t.id, o.messages) for t, o in found] == [("good1", 7), ("good", 7), ("good2", 7)]
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
