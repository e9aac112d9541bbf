"""The rules of the pictures."""

import re
from itertools import pairwise

from wirelab.report import figures
from wirelab.report.figures import Curve, Spot


def spot(mark: str, latency: float, loss: float, wire: float = 1000.0) -> Spot:
    return Spot(mark, mark, 0, (latency, latency, latency), (loss, loss, loss), wire, True, True)


def test_the_front_has_the_rows_that_no_other_dominates() -> None:
    assert figures.front([(1, 5), (2, 2), (2, 3), (5, 1), (1, 5)]) == [True, True, False, True, True]


def test_without_loss_the_trade_off_shows_bytes_instead_of_an_empty_axis() -> None:
    assert "messages lost" in figures.tradeoff([spot("A", 1e6, 0.1), spot("B", 2e6, 0)], 780, "")
    drawn = figures.tradeoff([spot("A", 1e6, 0), spot("B", 2e6, 0, 2000)], 780, "")
    assert "messages lost" not in drawn
    assert "bytes on the wire per message" in drawn


def test_letters_of_rows_in_one_place_do_not_cover_each_other() -> None:
    drawn = figures.tradeoff([spot(mark, 5e6, 0.5) for mark in "ABCDE"], 780, "")
    places = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" class="letter"', drawn)
    at = [(float(x), float(y)) for x, y in places]
    assert len(at) == 5
    assert all(abs(a[0] - b[0]) > 15 or abs(a[1] - b[1]) > 15 for i, a in enumerate(at) for b in at[i + 1 :])


def test_an_interval_that_reaches_down_to_zero_leaves_the_axis_logarithmic() -> None:
    near, wide = spot("A", 40e6, 0.1), Spot("B", "B", 1, (9e9, 0.0, 20e9), (0.2, 0.1, 0.3), 1e3, False, True)
    assert "median latency (logarithmic)" in figures.tradeoff([near, wide], 780, "")


def test_marks_of_equal_lines_are_at_different_heights() -> None:
    points = [(1e6, 0.0), *((1e6 + i * 1e4, i / 100) for i in range(1, 101))]
    drawn = figures.distribution([Curve(mark, mark, 0, 0, points) for mark in "ABCDEFGH"], 780, "")
    heights = sorted(float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)"', drawn))
    assert len(heights) == 8
    assert min(b - a for a, b in pairwise(heights)) > 18
