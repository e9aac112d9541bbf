"""The scales and marks of charts, literally."""

import pytest

from wirelab.report import svg


def test_a_linear_scale_maps_its_ends_and_keeps_strays_on_the_edge() -> None:
    scale = svg.Scale(0, 10, 100, 300)
    assert [scale.at(value) for value in (0, 5, 10, 11, -1)] == [100, 200, 300, 300, 100]


def test_a_logarithmic_scale_gives_each_decade_the_same_width() -> None:
    scale = svg.Scale(1, 100, 0, 200, log=True)
    assert [round(scale.at(value), 6) for value in (1, 10, 100)] == [0, 100, 200]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0, 12_400, [0.0, 2000.0, 4000.0, 6000.0, 8000.0, 10000.0, 12000.0]),
        (33.1e6, 41.9e6, [34e6, 36e6, 38e6, 40e6]),
        (3, 3, [3]),
    ],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert svg.nice_ticks(low, high) == ticks


def test_logarithmic_ticks_thin_out_as_the_range_grows() -> None:
    assert svg.Scale(1, 60, 0, 1, log=True).ticks(5) == [1, 2, 5, 10, 20, 50]
    assert svg.Scale(1, 1000, 0, 1, log=True).ticks(6) == [1, 3, 10, 30, 100, 300, 1000]
    assert svg.Scale(1, 1e9, 0, 1, log=True).ticks(4) == [1, 100, 1e4, 1e6, 1e8]


def test_a_fitted_scale_is_logarithmic_only_where_the_range_asks_for_it() -> None:
    assert not svg.fit([1, 10], 0, 1).log
    assert svg.fit([1, 1000], 0, 1).log
    assert not svg.fit([0, 1000], 0, 1).log


def test_a_fitted_scale_of_one_value_or_none_is_still_a_scale() -> None:
    for values in ([5.0], [0.0], []):
        scale = svg.fit(values, 0, 100)
        assert scale.high > scale.low
        assert 0 <= scale.at(values[0] if values else 0) <= 100


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (50e6, "ns", "50 ms"),
        (2.5e9, "ns", "2.5 s"),
        (0, "fraction", "0 %"),
        (0.1, "fraction", "10 %"),
        (100, "B", "100 B"),
    ],
)
def test_tick_texts_carry_the_unit_and_no_idle_digits(value: float, unit: str, shown: str) -> None:
    assert svg.tick_text(value, unit) == shown


def test_a_step_line_is_drawn_literally() -> None:
    x, y = svg.Scale(0, 10, 0, 100), svg.Scale(0, 1, 50, 0)
    drawn = svg.steps([(1, 0), (2, 0.5), (8, 1)], x, y, class_="line")
    assert drawn == '<path d="M10.0 50.0H20.0V25.0H80.0V0.0" fill="none" class="line"/>'


def test_a_dot_names_itself_and_escapes_the_name() -> None:
    drawn = svg.dot(1, 2.25, 3, "<b>", class_="dot")
    assert drawn == '<circle cx="1" cy="2.2" r="3" class="dot"><title>&lt;b&gt;</title></circle>'


def test_a_bar_splits_its_width_by_share_and_leaves_out_empty_parts() -> None:
    drawn = svg.bar(
        [("queue", 1, "queue 1 ns"), ("wire", 3, "wire 3 ns"), ("server", 0, "none")], 8, "half full"
    )
    assert drawn == (
        '<svg class="bar" width="100%" height="14" role="img" aria-label="half full"><title>half full</title>'
        '<rect x="0.00%" width="12.50%" height="100%" class="queue"><title>queue 1 ns</title></rect>'
        '<rect x="12.50%" width="37.50%" height="100%" class="wire"><title>wire 3 ns</title></rect></svg>'
    )


def test_an_axis_is_drawn_literally() -> None:
    drawn = svg.axis_left(svg.Scale(0, 1, 100, 20), 40, 90, "fraction", "share", count=1)
    assert drawn == (
        '<line x1="40" y1="100" x2="90" y2="100" class="grid"/><text x="33" y="104" class="tick" text-anchor="end">0 %</text>'
        '<line x1="40" y1="20" x2="90" y2="20" class="grid"/><text x="33" y="24" class="tick" text-anchor="end">100 %</text>'
        '<text x="2" y="8" class="axis" text-anchor="start">share</text>'
    )


def test_labels_are_moved_apart_and_stay_inside() -> None:
    assert svg.spread([10, 11, 50], 10, 0, 100) == [10, 20, 50]
    assert svg.spread([99, 98], 10, 0, 100) == [100, 90]


def test_a_picture_escapes_its_title() -> None:
    drawn = svg.picture(10, 5, "<script>", "d", "")
    assert "<script>" not in drawn
    assert drawn.startswith('<svg viewBox="0 0 10 5" role="img"')
