"""All trials of a run replay one content of each recording."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.factories import a_trial
from wirelab.model.arrivals import Replay
from wirelab.model.errors import BadInput
from wirelab.model.trial import Link, Trial, Workload
from wirelab.store.run import RunStore
from wirelab.studies.recording_digests import RecordingDigests
from wirelab.workloads.recordings import recording_paths


def over(path: Path) -> Trial:
    return a_trial(link=Link(f"{path},loss=5%"))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "drive.csv"
    path.write_text("0,5\n1,6\n")
    return path


def test_the_recordings_of_a_trial_are_files_of_its_link_medium_and_arrivals(
    trace: Path, tmp_path: Path
) -> None:
    medium, visits = tmp_path / "medium.csv", tmp_path / "visits.csv"
    medium.write_text("0,5\n")
    visits.write_text("0\n")
    trial = a_trial(
        link=Link(f"{trace},loss=5%,down.rate=1.5Mbit/s", segment=str(medium)),
        workload=Workload(arrivals=Replay(str(visits))),
    )
    assert recording_paths(trial) == [str(trace), str(medium), str(visits)]


def test_a_recording_that_changes_while_the_run_goes_on_is_refused(trace: Path, tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {}, [over(trace)], {}) as store:
        digests = RecordingDigests(store)
        digests.check([over(trace)])
        digests.check([over(trace)])
        trace.write_text("0,5\n1,7\n")
        os.utime(trace, (1, 1))
        with pytest.raises(BadInput) as caught:
            digests.check([over(trace)])
    assert str(caught.value) == (
        f"recording {trace}: it has changed since this run began, so further trials would meet another "
        "link; restore it and continue with --resume, or begin a new run"
    )


def test_a_run_is_continued_only_with_the_recording_that_it_began_with(trace: Path, tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {}, [over(trace)], {}) as store:
        RecordingDigests(store).check([over(trace)])
    before = trace.read_text()
    trace.write_text("0,9\n")
    with RunStore.open(tmp_path / "run", write=True) as store:
        with pytest.raises(BadInput, match="has changed since this run began"):
            RecordingDigests(store).check([over(trace)])
        trace.write_text(before)
        RecordingDigests(store).check([over(trace)])
