"""How many trials run side by side follows the measured load. Clock and sensor are mocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.factories import a_trial
from wirelab.engine import admission as module
from wirelab.engine.admission import PERIOD_S, Admission
from wirelab.engine.background_pool import BackgroundPool
from wirelab.engine.disturbance import strain
from wirelab.engine.executor import TrialHandle, Update
from wirelab.engine.load_sensor import KernelSensor, Load
from wirelab.engine.scheduling import is_wait_bound
from wirelab.lab.outcome import Outcome
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.result import Usage
from wirelab.model.trial import Link, Trial, Workload

MS = 1e6
SLOW = a_trial("slow", link=Link("nb-iot", exchange_s=1.6))
FAST = a_trial("fast")


class Machine:
    """A clock and a sensor in one. The load is what the test sets."""

    def __init__(self) -> None:
        self.now, self.load = 0.0, Load()

    def monotonic(self) -> float:
        return self.now

    def read(self) -> Load:
        return self.load


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(module.os, "sched_getaffinity", lambda _pid: {0, 1})
    return Machine()


def made(machine: Machine) -> Admission:
    own = Admission(machine, machine.monotonic)
    own.batch = own.background = 16.0
    return own


def after(
    machine: Machine, own: Admission, load: Load, running: tuple[Trial, ...] = (SLOW,), is_full: bool = True
) -> float:
    machine.now += PERIOD_S
    machine.load = load
    own.look(running, is_full)
    return own.background


def test_more_trials_are_admitted_while_nothing_is_disturbed(machine: Machine) -> None:
    own = made(machine)
    assert [round(after(machine, own, Load()), 2) for _ in range(3)] == [20.2, 25.24, 31.29]


def test_slots_that_nothing_uses_are_not_added(machine: Machine) -> None:
    assert after(machine, made(machine), Load(), is_full=False) == 16.0


def test_the_load_is_read_no_more_often_than_it_means_something(machine: Machine) -> None:
    own = made(machine)
    after(machine, own, Load())
    machine.now += PERIOD_S / 2
    own.look((SLOW,), True)
    assert round(own.background, 2) == 20.2


@pytest.mark.parametrize(
    ("load", "running", "slots"),
    [
        # A slow link's messages take 800 ms, of which 40 ms may be waiting for a CPU.
        (Load(wait_ns=19 * MS), (SLOW,), 20.2),
        (Load(wait_ns=21 * MS), (SLOW,), 11.2),
        # Without a link 0.2 ms may.
        (Load(wait_ns=0.09 * MS), (SLOW, FAST), 20.2),
        (Load(wait_ns=0.11 * MS), (SLOW, FAST), 11.2),
        # Before any trial measures, nothing can be disturbed.
        (Load(wait_ns=900 * MS), (), 20.2),
        (Load(free=0.1), (), 11.2),
    ],
)
def test_fewer_are_admitted_as_soon_as_wake_ups_wait_or_memory_runs_short(
    machine: Machine, load: Load, running: tuple[Trial, ...], slots: float
) -> None:
    assert round(after(machine, made(machine), load, running), 2) == slots


def test_a_machine_that_becomes_busy_half_way_and_idle_again_is_followed(machine: Machine) -> None:
    own = made(machine)
    for _ in range(20):
        after(machine, own, Load(wait_ns=60 * MS))
    assert own.background == 4.0  # two per core
    for _ in range(10):
        after(machine, own, Load())
    assert own.background > 30


def test_more_start_at_the_same_time_while_wake_ups_do_not_wait(machine: Machine) -> None:
    own = made(machine)
    starts = []
    for load in (Load(), Load(), Load(wait_ns=5 * MS), Load(wait_ns=5 * MS)):  # of 40 ms
        after(machine, own, load)
        starts.append(round(own.starting, 2))
    assert starts == [12.0, 16.0, 11.2, 8.0]  # on two cores, 8 to 16


def disturbed(late_ms: float = 0.0, waited_ms: float = 0.0) -> Outcome:
    """Ten wake-ups of each peer that waited together so long."""
    each = Usage(run_delay_ns=int(waited_ms * MS), slices=10)
    return Outcome(link={"lateness": {"p99_ns": late_ms * MS}}, usage={"publisher": each, "subscriber": each})


def test_strain_is_the_part_of_what_a_trial_may_be_disturbed() -> None:
    assert strain(SLOW, disturbed(late_ms=8)) == 0.5  # of 16 ms, 2 % of 800 ms
    assert strain(FAST, disturbed(late_ms=0.25)) == 0.25
    # Once the publisher's wake-up and four times the subscriber's: 5 x 2 ms of 40 ms.
    assert strain(SLOW, disturbed(waited_ms=20)) == 0.25
    assert strain(FAST, Outcome()) == 0.0


def test_a_late_emulator_and_peers_that_waited_shrink_the_next_batch(machine: Machine) -> None:
    own = made(machine)
    own.observe(FAST, disturbed(late_ms=0.2), in_batch=True)
    own.end_batch(is_full=True)
    assert round(own.batch, 2) == 20.2
    own.observe(FAST, disturbed(late_ms=0.6), in_batch=True)
    own.end_batch(is_full=True)
    assert round(own.batch, 2) == 14.14
    for _ in range(20):
        own.end_batch(is_full=True)
    assert own.batch == 64.0  # 32 per core


def test_a_disturbed_trial_in_the_background_shrinks_the_background(machine: Machine) -> None:
    own = made(machine)
    own.observe(SLOW, disturbed(late_ms=9), in_batch=False)
    assert after(machine, own, Load()) == 11.2
    assert own.batch == 16.0


@pytest.mark.parametrize(
    ("trial", "waits"),
    [
        (SLOW, True),
        (FAST, False),
        (replace(SLOW, link=Link("lte", exchange_s=0.07)), False),
        (replace(SLOW, workload=Workload(rate_hz=500.0)), False),
        (replace(SLOW, workload=Workload(arrivals=ClosedLoop())), False),
        (replace(SLOW, server="mine=192.0.2.7:1883"), False),
    ],
)
def test_paced_trials_over_slow_links_wait_in_the_background(trial: Trial, waits: bool) -> None:
    assert is_wait_bound(trial) is waits


class Ready:
    """A trial that is ready at once and measures for ever."""

    def __init__(self) -> None:
        self.told = False

    def poll(self) -> Update | None:
        told, self.told = self.told, True
        return None if told else Update.READY

    def go(self, offset_ns: int) -> None: ...

    def kill(self) -> None: ...


class Executor:
    def start(self, trials: object, folders: object) -> TrialHandle:
        return Ready()


def test_the_background_fills_as_far_as_the_load_admits(machine: Machine, tmp_path: Path) -> None:
    own = made(machine)
    pool = BackgroundPool([replace(SLOW, id=f"{n}") for n in range(300)], lambda _: tmp_path, Executor(), own)
    widths = []
    for machine.load in [Load()] * 10 + [Load(free=0.05)] * 3:
        machine.now += PERIOD_S
        pool.poll()
        while fit := pool.startable():
            pool.start(fit)
            pool.poll()
        widths.append(len(pool._running))
    assert widths[0] == 16
    assert widths[9] > 60
    assert widths[10:] == [widths[10]] * 3
    assert own.background < 60


def test_the_kernel_s_counts_become_a_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirelab.engine.load_sensor.os.getpid", lambda: 7)
    (tmp_path / "7").mkdir()

    def kernel(waited: int, turns: int) -> None:
        (tmp_path / "7" / "schedstat").write_text(f"5 {waited} {turns}\n")
        (tmp_path / "meminfo").write_text("MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 250 kB\n")

    kernel(1000, 10)
    sensor = KernelSensor(tmp_path)
    kernel(5000, 14)
    assert sensor.read() == Load(wait_ns=1000.0, free=0.25)
    assert KernelSensor(tmp_path / "none").read() == Load()
