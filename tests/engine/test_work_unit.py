"""The inputs of a trial on a node, and the events of a node."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from tests.engine.sleeper import Sleeper, trial
from tests.factories import a_payload, a_trial
from wirelab.engine.work_unit import Started, read_inputs, run_unit, stage_inputs
from wirelab.model.arrivals import Replay
from wirelab.model.trial import Link, Workload


def test_every_file_of_a_trial_is_transferred_and_read_at_its_new_path(tmp_path: Path) -> None:
    for name in ("corpus", "drive.up", "cell.csv", "times.txt"):
        (tmp_path / name).write_text(f"content of {name}")
    payload = a_payload(corpus=str(tmp_path / "corpus"), codec="json/serde_json")
    trial = a_trial(payload=payload, protocol="tcp", qos="stream", link=Link(f"{tmp_path}/drive.up,loss=5%"))
    trial = replace(trial, link=replace(trial.link, segment=f"ideal,down.trace={tmp_path}/cell.csv"))
    trial = replace(trial, workload=Workload(arrivals=Replay(f"{tmp_path}/times.txt")))
    inputs = read_inputs([trial])
    for path in tmp_path.iterdir():
        path.unlink()
    with stage_inputs([trial], inputs) as ((moved,), home):
        assert Path(moved.payload.corpus).read_text() == "content of corpus"
        drive, loss = moved.link.text.split(",")
        assert (Path(drive).read_text(), loss) == ("content of drive.up", "loss=5%")
        ideal, trace = moved.link.segment.split(",")
        assert (ideal, trace.partition("=")[0]) == ("ideal", "down.trace")
        assert Path(trace.partition("=")[2]).read_text() == "content of cell.csv"
        replay = moved.workload.arrivals
        assert isinstance(replay, Replay)
        assert Path(replay.path).read_text() == "content of times.txt"
    assert not home.exists()


def said(rate: float | None) -> list[list[str]]:
    events = run_unit([trial("a", rate=rate), trial("b", rate=rate)], {}, Sleeper())
    return [
        ["begun " + "+".join(e.ids) if isinstance(e, Started) else f"ended {e.id}" for e in together]
        for together in events
    ]


def test_a_node_is_waited_for_once_between_two_trials() -> None:
    assert said(rate=None) == [["begun a-0"], ["ended a-0", "begun b-0"], ["ended b-0"]]


def test_the_end_of_a_concurrent_trial_is_reported_at_once() -> None:
    assert said(rate=5.0) == [["begun a-0+b-0"], ["ended a-0"], ["ended b-0"]]
