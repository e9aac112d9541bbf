"""Faults of the system under test: its trials have the reason, all others are not affected."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import ARGV, LIMIT_S, wirelab
from wirelab.model.trial import State, Verdict
from wirelab.store.run import RunStore
from wirelab.system.binaries import find

pytestmark = [pytest.mark.first_case, pytest.mark.lab]

SHORT = (
    "--format",
    "json",
    "--count",
    "8",
    "--warmup",
    "0",
    "--rate",
    "20/s",
    "--replicates",
    "1",
    "--quiet",
)
LYING = Path(__file__).with_name("lying_peer.py")
TINY = Path(__file__).parents[1] / "contract" / "minimal_peer.py"


def script(path: Path, text: str) -> Path:
    """An executable."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def verdicts(directory: Path) -> dict[str, Verdict]:
    """Each protocol's verdict, of a run with one trial each."""
    with RunStore.open(directory) as store:
        records = store.results()
    assert all(record.state == "done" for record in records)
    return {record.trial.protocol: record.result.verdict for record in records if record.result}


def test_servers_that_do_not_start_or_never_answer_fail_alone(payload: Path, tmp_path: Path) -> None:
    fakes = tmp_path / "bin"
    script(fakes / "wirelab-server-mqtt", '#!/bin/sh\necho "fake: no memory for this" >&2\nexit 3\n')
    script(
        fakes / "wirelab-server-coap",
        f"#!{sys.executable}\n"
        "import json, socket, sys, time\n"
        'address, port = sys.argv[-1].split(":")\n'
        "held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "held.bind((address, int(port)))\n"
        'print(json.dumps({"event": "ready", "name": "mute", "version": "1", "limits": {}}), flush=True)\n'
        "time.sleep(1000)\n",
    )
    directory = tmp_path / "run"
    done = wirelab(
        "compare", payload, *SHORT, "--protocol", "mqtt,coap,tcp", "--qos", "0,con,stream",
        "--option", "connect_timeout_s=1", "-o", directory,
        env={**os.environ, "WIRELAB_BIN": os.pathsep.join((str(fakes), os.environ.get("WIRELAB_BIN", "")))},
    )  # fmt: skip
    found = verdicts(directory)
    assert str(found["mqtt"]) == "failed: server: did not become ready: fake: no memory for this"
    assert found["coap"].state is State.FAILED
    assert "no answer within 1 s" in str(found["coap"])
    assert found["tcp"].state is not State.FAILED
    assert done.returncode == (0 if found["tcp"].state is State.VALID else 2)
    assert "fake: no memory for this" in done.stdout
    assert "Traceback" not in done.stderr
    logs = [log.read_text() for log in directory.glob("logs/*/server.log")]
    assert "fake: no memory for this\n" in logs


LIES = {
    "bad-json": "publisher: not an event: '{\"event\": this is no JSON'",
    "unknown-event": 'publisher: sent an unexpected event: {"event":"triumph"}',
    "crash": "publisher: ended during the trial",
    "quit": "publisher: ended during the trial",
    "silent-stop": "subscriber: no 'stopped' within",
    "silent-prepare": "subscriber: no 'prepared' within",
}
SPOILED = {
    "sequence": "publisher's samples: sequence number 1099511627776 of 8 planned messages",
    "written": "samples publisher.samples: claims 1099511627776 records",
    "no samples": "samples publisher.samples: No such file or directory",
    "shape": "an answer of the wrong shape",
    "numbers": "an answer of the wrong shape: stopped",
}


@pytest.fixture(scope="module")
def liars(
    payload: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, tuple[Path, subprocess.Popen[str]]]]:
    """One run for each lie, all at once: most of the time they wait for an answer that does not
    come.
    """
    base = tmp_path_factory.mktemp("liars")
    running = {}
    real = shlex.join([find("wirelab-peer-raw"), "--protocol", "tcp"])
    for lie in [*LIES, *SPOILED, "times"]:
        peer = script(base / "peers" / lie.replace(" ", "-"), "")
        peer.write_text(f"#!/bin/sh\nexec {sys.executable} {LYING} '{lie}' {real}\n")
        how = (
            ("--protocol", "mock", "--server", "none", "--qos", "plain", "--option", f"lie={lie}")
            if lie in LIES
            else ("--protocol", "tcp", "--client-program", str(peer))
        )
        argv = [*ARGV, "compare", str(payload), *SHORT, *how, "-o", str(base / lie)]
        running[lie] = (
            base / lie,
            subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True),
        )
    yield running
    for _, process in running.values():
        process.kill()
        process.wait()


@pytest.mark.parametrize("lie", [*LIES, *SPOILED])
def test_a_peer_that_lies_fails_its_trial_with_the_lie_named(
    lie: str, liars: dict[str, tuple[Path, subprocess.Popen[str]]]
) -> None:
    directory, process = liars[lie]
    out, errors = process.communicate(timeout=LIMIT_S)
    (found,) = verdicts(directory).values()
    assert found.state is State.FAILED
    assert (LIES | SPOILED)[lie] in str(found)
    assert process.returncode == 2
    assert "No combination has a valid trial" in out
    assert errors.startswith("wirelab: nothing could be measured: failed: ")
    assert errors.endswith(f"; the logs are in {directory}/logs\n")
    assert errors.count("\n") == 1


def test_impossible_times_make_a_trial_invalid(liars: dict[str, tuple[Path, subprocess.Popen[str]]]) -> None:
    directory, process = liars["times"]
    _, errors = process.communicate(timeout=LIMIT_S)
    assert "Traceback" not in errors
    (found,) = verdicts(directory).values()
    assert found.state is not State.VALID


def test_a_peer_in_another_language_may_replace_ours(payload: Path, tmp_path: Path) -> None:
    peer = script(tmp_path / "bin" / "tiny", f"#!/bin/sh\nexec {sys.executable} {TINY}\n")
    done = wirelab(
        "compare", payload, *SHORT, "--protocol", "tcp", "--client-program", peer, "-o", tmp_path / "run"
    )
    assert "Traceback" not in done.stderr
    with RunStore.open(tmp_path / "run") as store:
        (record,) = store.results()
    assert record.result is not None
    assert (record.result.peer.name, record.result.peer.language) == ("tcp-python", "python")
