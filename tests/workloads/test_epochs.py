"""Epochs with increasing numbers and sizes of messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirelab.model.arrivals import Epochs
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.preparation import plan_sizes
from wirelab.workloads import epochs, messages
from wirelab.workloads.arrivals import parse


def test_epoch_e_has_e_times_as_many_messages_as_the_first() -> None:
    assert epochs.numbers(2000, 4) == [2000, 4000, 6000, 8000]
    assert epochs.total(2000, 15) == 240_000
    assert parse("epochs,2000:15") == Epochs(first=2000, number=15)


def test_sizes_grow_evenly_from_the_first_epoch_to_the_last() -> None:
    assert list(epochs.sizes(1, 3, 500, 4000)) == [500, 2250, 2250, 4000, 4000, 4000]
    assert list(epochs.sizes(2, 1, 500, 4000)) == [4000, 4000]


def test_more_than_memory_should_hold_is_refused() -> None:
    with pytest.raises(BadInput, match="give fewer messages in the first epoch"):
        list(epochs.sizes(2000, 15, 500, 4000))


def grown(workload: str, size: str = "20B>40B") -> Study:
    return Study(
        protocol=("mock",),
        server=("none",),
        size=(size,),
        workload=(workload,),
        rate=("100/s",),
        replicates=1,
    )


def test_a_study_file_can_have_messages_that_grow_over_epochs(tmp_path: Path) -> None:
    trials = plan_sizes(grown("epochs,2:3"), tmp_path)
    made = messages.read(Path(trials[0].payload.corpus))
    assert [len(one) for one in made] == [20] * 2 + [30] * 4 + [40] * 6
    assert len(set(made)) == 12


def test_sizes_that_grow_need_epochs(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="need epochs"):
        plan_sizes(grown("poisson"), tmp_path)
