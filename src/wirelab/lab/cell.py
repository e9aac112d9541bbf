"""A trial as a process inside its lab: `python -m wirelab.lab.cell FOLDER...`.

FOLDER holds trial.json. The cell leaves outcome.json, the samples and the logs there. It prints
`ready` when every peer is prepared, and waits for a line `go OFFSET_NS`, so that no concurrent
trial measures while another starts. Several folders are a chain of trials on one server that is
slow to start, each with its own peers. `over` is printed after each but the last. A trial that
fails or is overloaded may leave a server that answers no more, so the next has a new one.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import msgspec

from wirelab.lab import servers
from wirelab.lab.hosts import LAB, Hosts, LabHosts, Loopback
from wirelab.lab.lab_testbed import LabTestbed
from wirelab.lab.processes import Processes
from wirelab.lab.trial_controller import TrialController, verdict_of
from wirelab.model.errors import WirelabError
from wirelab.model.reason import Code, Reason
from wirelab.model.trial import State, Trial, Verdict
from wirelab.system.binaries import find


def run(folders: Sequence[Path]) -> None:
    """Run the trials in these folders as a chain on one server. Leaves an outcome in each."""
    hosts: Hosts = LabHosts(find("wirelab-link")) if (LAB / "link.sock").exists() else Loopback()
    server: servers.Server | None = None
    home = folders[0]
    for index, folder in enumerate(folders):
        trial = msgspec.json.decode((folder / "trial.json").read_bytes(), type=Trial)
        alive = server if server is not None and server.process.poll() is None else None
        if alive is None and len(folders) > 1:
            # A server outlives its first trial, whose folder may be removed.
            home = folder.with_name(f"{folder.name}-server")
            home.mkdir(exist_ok=True)
        processes = Processes(trial, hosts, folder, server=alive, home=home)
        last = index == len(folders) - 1
        kept = _run_one(LabTestbed(processes, index), keep_server=not last)
        server = processes.server if kept else None
        if not last:
            print("over", flush=True)


def _run_one(testbed: LabTestbed, keep_server: bool) -> bool:
    """Run a trial, and leave its outcome. Returns whether its server still runs."""
    folder, controller = testbed.folder, TrialController(testbed)
    try:
        controller.prepare()
        print("ready", flush=True)
        if order := sys.stdin.readline():
            controller.measure(int(order.removeprefix("go ")))
    except WirelabError as error:
        testbed.outcome.verdict = verdict_of(error)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # Output of peers and servers is not trusted: a wrong answer fails this trial and no other.
        traceback.print_exc()
        testbed.outcome.verdict = Verdict(State.FAILED, Reason(Code.WRONG_ANSWER, why=str(error)))
    finally:
        outcome = testbed.outcome
        keep_server &= outcome.verdict.state is not State.FAILED and not outcome.overloaded
        with contextlib.suppress(OSError):
            testbed.processes.close(keep_server)
        temporary = folder / "outcome.tmp"
        temporary.write_bytes(msgspec.json.encode(outcome))
        temporary.replace(folder / "outcome.json")
    return keep_server


if __name__ == "__main__":
    run([Path(folder) for folder in sys.argv[1:]])
