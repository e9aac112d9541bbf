"""Kills at any moment: no process survives, and no result is lost or counted twice."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import LIMIT_S, Family, devices, folder_of, parent_of, wait_for, wirelab
from wirelab.model.errors import WirelabError
from wirelab.model.trial import State
from wirelab.store.run import RunStore

pytestmark = pytest.mark.lab

Start = Callable[..., Family]
MESSAGES, REPEATS = 15, 4
TRIALS = 5 * REPEATS
STUDY = (
    "--format", "json", "--protocol", "tcp,udp,mqtt", "--rate", "20/s", "--count", str(MESSAGES), "--warmup", "0",
    "--replicates", str(REPEATS), "--link", "rtt=2ms", "--quiet",
)  # fmt: skip
TRIAL = re.compile(r"/work/([0-9a-f]{16})")


def done(directory: Path) -> int:
    try:
        with RunStore.open(directory) as store:
            return store.counts()["done"]
    except WirelabError:
        return 0


def evidence(directory: Path) -> int:
    """Trials that are done for good. A resumed run plans invalid ones again."""
    try:
        with RunStore.open(directory) as store:
            results = [record.result for record in store.results()]
    except WirelabError:
        return 0
    return sum(result is not None and result.verdict.state is not State.INVALID for result in results)


def states(directory: Path) -> Counter[str]:
    """Verdicts of a finished run, after looking at every trial's accounts."""
    with RunStore.open(directory) as store:
        records = store.results()
        assert Counter(record.state for record in records) == {"done": TRIALS}
        for record in records:
            assert record.result is not None
            if record.result.verdict.state in (State.VALID, State.INVALID):
                assert len(store.samples(record.trial.id)["seq"]) == MESSAGES
        return Counter(str(record.result.verdict.state) for record in records if record.result)


def finish(directory: Path) -> None:
    resumed = wirelab("compare", "--resume", directory, "--quiet")
    assert resumed.returncode in (0, 2), resumed.stderr
    found = states(directory)
    assert found["failed"] == found["skipped"] == 0
    assert not (directory / "work").exists()


def start_or_resume(payload: Path, directory: Path) -> tuple[str | Path, ...]:
    """The arguments that continue a run, or start it if it has not started."""
    if (directory / "run.db").exists():
        return ("compare", "--resume", directory, "--quiet")
    return ("compare", payload, *STUDY, "-o", directory)


@pytest.mark.matrix
def test_kill_9_at_any_moment_leaves_nothing_behind_and_resume_finishes(
    payload: Path, tmp_path: Path, started: Start
) -> None:
    links, directory, draw = devices(), tmp_path / "r", random.Random()
    # Where the pack is not yet compiled, every kill would meet the compiler, and no run.
    compiled = wirelab("compare", payload, *STUDY, "--replicates", "1", "-o", tmp_path / "before")
    assert compiled.returncode in (0, 2), compiled.stderr
    kept = 0
    for _ in range(6):
        family = started(*start_or_resume(payload, directory))
        moment = draw.uniform(0.3, 5.0)
        until = time.monotonic() + moment
        while time.monotonic() < until and family.process.poll() is None:
            family.members()
        family.process.kill()
        family.process.wait()
        family.expect_nothing_left()
        assert devices() == links
        assert kept <= evidence(directory) <= done(directory) <= TRIALS, f"killed after {moment:.3f} s"
        kept = evidence(directory)
    if not (directory / "run.db").exists():  # On a busy machine no round may come that far.
        assert wirelab(*start_or_resume(payload, directory)).returncode in (0, 2)
    finish(directory)


def test_long_trials_do_not_outlive_wirelab(payload: Path, tmp_path: Path, started: Start) -> None:
    directory = tmp_path / "r"
    long = (
        "--format",
        "json",
        "--protocol",
        "tcp,udp",
        "--rate",
        "20/s",
        "--count",
        "2000",
        "--replicates",
        "1",
        "-q",
    )
    family = started("compare", payload, *long, "-o", directory)
    wait_for(lambda: sum("wirelab-peer" in line for line in family.members().values()) == 4, "all peers run")
    assert len(family.namespaces) >= 2 * 4
    family.process.kill()
    family.process.wait()
    family.expect_nothing_left()


def role_of(pid: int, command: str, members: dict[int, str]) -> str:
    """Which part of a trial a process is."""
    if "wirelab-link lab " in command:
        return "emulator" if "wirelab-link lab " in members.get(parent_of(pid), "") else "outer"
    for name, role in (
        ("wirelab.lab.fork_server", "cell"),
        ("wirelab-peer", "peer"),
        ("wirelab-server", "server"),
    ):
        if name in command:
            return role
    return ""


def trial_of(pid: int, members: dict[int, str]) -> str:
    """The trial of a process, by its command or folder or those of its children; "" for none."""
    for one in (pid, *(child for child in members if parent_of(child) == pid)):
        if found := TRIAL.search(f"{members.get(one, '')} {folder_of(one)}"):
            return found[1]
    return ""


@pytest.mark.matrix
def test_killing_any_process_of_a_trial_fails_that_trial_alone(
    payload: Path, tmp_path: Path, started: Start
) -> None:
    directory, links = tmp_path / "r", devices()
    family = started("compare", payload, *STUDY, "-o", directory)
    wanted = {"outer", "emulator", "cell", "peer", "server"}
    killed: dict[str, str] = {}

    def kill_one_of_each() -> bool:
        members = family.members()
        for pid, command in members.items():
            role = role_of(pid, command, members)
            trial = trial_of(pid, members)
            if role in wanted - set(killed.values()) and trial and trial not in killed:
                killed[trial] = role
                os.kill(pid, signal.SIGKILL)
        return set(killed.values()) == wanted or family.process.poll() is not None

    wait_for(kill_one_of_each, "a process of every kind was met")
    assert set(killed.values()) == wanted
    assert family.process.wait(LIMIT_S) in (0, 2)
    family.expect_nothing_left()
    assert devices() == links
    states(directory)
    with RunStore.open(directory) as store:
        verdicts = {record.trial.id: record.result.verdict for record in store.results() if record.result}
    failed = {trial: verdict for trial, verdict in verdicts.items() if verdict.state is State.FAILED}
    assert set(failed) == set(killed), {killed.get(trial, trial): str(v) for trial, v in failed.items()}
    assert all(verdict.reason for verdict in failed.values())
    assert "Traceback" not in family.errors.read_text()
    finish_again = wirelab("compare", "--resume", directory, "--quiet")
    assert finish_again.returncode in (0, 2)
    assert sum(states(directory).values()) == TRIALS


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
@pytest.mark.first_case
def test_an_interrupt_keeps_finished_trials_and_prints_how_to_continue(
    number: signal.Signals, payload: Path, tmp_path: Path, started: Start
) -> None:
    directory = tmp_path / "r"
    family = started("compare", payload, *STUDY, "-o", directory)
    wait_for(lambda: done(directory) >= 1 or family.process.poll() is not None, "a trial done")
    os.killpg(family.process.pid, number)
    assert family.process.wait(LIMIT_S) == 130
    family.expect_nothing_left()
    kept = done(directory)
    assert kept >= 1
    assert family.errors.read_text().strip() == (
        f"interrupted: {kept} of {TRIALS} trials are kept; continue with: wirelab compare --resume {directory}"
    )
    finish(directory)


def test_an_interrupt_before_the_plan_reports_that_nothing_is_saved(
    payload: Path, tmp_path: Path, started: Start
) -> None:
    pipe = tmp_path / "payload.jsonl"
    os.mkfifo(pipe)
    family = started("compare", pipe, *STUDY, "-o", tmp_path / "r")
    writer = os.open(pipe, os.O_WRONLY)  # opens once wirelab reads
    os.killpg(family.process.pid, signal.SIGINT)
    assert family.process.wait(LIMIT_S) == 130
    os.close(writer)
    assert (
        family.errors.read_text().strip()
        == "wirelab: interrupted; nothing was saved; run the command again to start over"
    )
    assert not (tmp_path / "r").exists()


def test_a_second_wirelab_may_not_write_to_the_same_run(
    payload: Path, tmp_path: Path, started: Start
) -> None:
    directory = tmp_path / "r"
    family = started("compare", payload, *STUDY, "-o", directory)
    wait_for((directory / "run.db").exists, "the run began")
    second = wirelab("compare", "--resume", directory, "-q")
    assert second.returncode == 3
    assert "another wirelab is writing to it; wait for it to end" in second.stderr
    assert family.process.poll() is None
    family.process.kill()


def test_kill_9_of_the_codec_bench_leaves_nothing_behind(payload: Path, started: Start) -> None:
    family = started("codecs", payload, "--seconds", "5", "-q")
    wait_for(lambda: any("wirelab-codec" in line for line in family.members().values()), "the bench runs")
    family.process.kill()
    family.process.wait()
    family.expect_nothing_left()
