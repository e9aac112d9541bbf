"""The seeds of replicates and their positions in the trace."""

from __future__ import annotations

from itertools import islice

import pytest

from wirelab.lab.link import LinkFacts
from wirelab.studies.replicate_draws import draws, offset_s


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("number", [2, 4, 8, 64])
def test_replicates_start_in_different_strata_of_the_trace(seed: int, number: int) -> None:
    strata = {int(position * number) for _, position in islice(draws(seed), number)}
    assert strata == set(range(number))


def test_positions_vary_within_their_strata_from_seed_to_seed() -> None:
    within = [position * 4 % 1 for seed in range(1000) for _, position in islice(draws(seed), 4)]
    assert sum(within) / len(within) == pytest.approx(0.5, abs=0.02)
    assert sum(one < 0.1 for one in within) / len(within) == pytest.approx(0.1, abs=0.02)


def test_the_draws_of_seed_1_are_these() -> None:
    assert [(seed, round(position, 4)) for seed, position in islice(draws(1), 3)] == [
        (160215742132725, 0.8474),
        (17762970155972, 0.1275),
        (214192146929019, 0.6124),
    ]


@pytest.mark.parametrize(("recorded_s", "offset"), [(0.0, 150.0), (1200.0, 300.0), (120.0, 4 * 120 + 30.0)])
def test_a_position_is_one_in_the_recording_or_in_ten_minutes(recorded_s: float, offset: float) -> None:
    assert offset_s(9, 0.25, LinkFacts(recorded_s=recorded_s)) == offset
