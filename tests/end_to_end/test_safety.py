"""Whatever is killed, whenever: nothing of ours survives, and nothing measured is lost or counted twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.running import devices, net_namespaces, processes_of, wait_for, wirelab
from wirelab.model.errors import WirelabError
from wirelab.store.run import RunStore

pytestmark = pytest.mark.lab

Start = Callable[..., subprocess.Popen[bytes]]
STUDY = (
    "--format", "json", "--protocol", "tcp,udp,mqtt", "--rate", "40/s", "--count", "15", "--warmup", "0",
    "--repeats", "6", "--link", "rtt=2ms", "--quiet",
)  # fmt: skip


def done(directory: Path) -> int:
    try:
        with RunStore.open(directory) as store:
            return store.counts()["done"]
    except WirelabError:
        return 0


def finish(directory: Path) -> None:
    resumed = wirelab("compare", "--resume", directory, "--quiet")
    assert resumed.returncode == 0, resumed.stderr
    with RunStore.open(directory) as store:
        records = store.results()
        assert Counter(r.state for r in records) == {"done": 30}
        for record in records:
            assert len(store.samples(record.trial.id)["seq"]) == 15


def test_kill_9_leaves_nothing_behind_and_resume_finishes(payload: Path, tmp_path: Path, started: Start) -> None:
    spaces, links = net_namespaces(), devices()
    directory = tmp_path / "r"
    process = started("compare", payload, *STUDY, "-o", directory)
    wait_for(lambda: done(directory) >= 8 or process.poll() is not None, "eight trials done")
    wait_for(lambda: len(processes_of(directory)) > 2, "a batch is running")
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = done(directory)
    wait_for(lambda: processes_of(directory) == [], "all processes gone", 10)
    wait_for(lambda: net_namespaces() <= spaces, "all namespaces gone", 10)
    assert devices() == links
    assert 8 <= kept < 30
    finish(directory)


def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(payload: Path, tmp_path: Path, started: Start) -> None:
    directory = tmp_path / "r"
    process = started("compare", payload, *STUDY, "-o", directory)
    wait_for(lambda: done(directory) >= 1 or process.poll() is not None, "a trial done")
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) == 130
    assert processes_of(directory) == []
    assert done(directory) >= 1
    finish(directory)


def test_a_trial_whose_process_is_killed_fails_alone(payload: Path, tmp_path: Path, started: Start) -> None:
    directory = tmp_path / "r"
    process = started("compare", payload, *STUDY, "-o", directory)
    chosen = random.Random(3)

    def victims() -> list[int]:
        return [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and str(directory) in _command(entry) and "wirelab.lab.cell" in _command(entry)
        ]

    wait_for(lambda: len(victims()) > 3, "cells are running")
    os.kill(chosen.choice(victims()), signal.SIGKILL)
    assert process.wait(100) in (0, 1)
    with RunStore.open(directory) as store:
        verdicts = Counter(str(r.result.verdict.state) for r in store.results() if r.result)
    assert verdicts["failed"] <= 1
    assert verdicts["valid"] >= 29


def _command(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
