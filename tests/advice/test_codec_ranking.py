"""The order of codecs, their ties, and the sentence about the first."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from tests.report import fixtures
from wirelab.advice.codec_ranking import codec_headline, rank_codecs
from wirelab.advice.link_projection import over_link
from wirelab.model.answer import CodecRow
from wirelab.model.estimate import Estimate

SLOW = {"up": {"rate": {"mean_bit_per_s": 8_000.0}, "delay_ns": 5_000_000}}


def row(name: str, size: float, totals: Sequence[float]) -> CodecRow:
    mean = sum(totals) / len(totals)
    return msgspec.structs.replace(
        fixtures.CODECS[0],
        codec=name,
        bytes=Estimate(size, size, size, "B", 1, 1, "exact"),
        phases={"total": Estimate(mean, mean - 1, mean + 1, "ns", len(totals), 50, "t")},
        totals=tuple(totals),
    )


FAST = row("a/fast", 200, (100.0, 101.0, 99.0, 100.5, 99.5))
EQUAL = row("b/equal", 120, (100.4, 99.6, 101.0, 99.0, 100.2))
SLOWER = row("c/slower", 150, (231.0, 229.0, 230.0, 232.0, 228.0))
NOISY = row("d/noisy", 50, (90.0, 500.0, 95.0, 480.0, 120.0))


def marks(rows: Sequence[CodecRow], by: str = "total") -> list[tuple[str, int, int, bool, bool]]:
    return [
        (one.codec, one.place.rank, one.place.group, one.place.tied, one.place.inconclusive)
        for one in rank_codecs(rows, by)
        if one.place
    ]


def test_codecs_that_time_does_not_separate_tie_and_bytes_order_them() -> None:
    assert marks([FAST, EQUAL, SLOWER]) == [
        ("b/equal", 1, 1, True, False),
        ("a/fast", 2, 1, True, False),
        ("c/slower", 3, 2, False, False),
    ]


def test_a_noisy_codec_keeps_its_place_and_is_inconclusive() -> None:
    assert marks([FAST, NOISY, SLOWER])[-1] == ("d/noisy", 3, 2, True, True)


def test_sizes_are_exact_and_any_difference_separates() -> None:
    assert marks([FAST, EQUAL, SLOWER], "size") == [
        ("b/equal", 1, 1, False, False),
        ("c/slower", 2, 2, False, False),
        ("a/fast", 3, 3, False, False),
    ]


def test_the_ratio_is_against_the_first_codec_with_the_interval_of_both() -> None:
    _, _, slower = rank_codecs([FAST, EQUAL, SLOWER])
    assert slower.place
    ratio = slower.place.ratio
    assert ratio.value == pytest.approx(230.0 / 100.04)
    # Welch: standard errors 0.707 and 0.344 of means 230 and 100.04, 5.8 degrees of freedom.
    assert (ratio.low, ratio.high) == pytest.approx((2.2797, 2.3184), abs=1e-3)


def test_over_a_link_the_bytes_decide_and_the_scatter_of_the_times_stays() -> None:
    crossed = over_link([FAST, EQUAL, SLOWER], "slow", SLOW)
    # 120, 150 and 200 B at 8 kbit/s.
    assert [name for name, *_ in marks(crossed, "over slow")] == ["b/equal", "c/slower", "a/fast"]
    place = rank_codecs(crossed, "over slow")[2].place
    assert place
    assert place.ratio.value == pytest.approx(205.0 / 125.0, rel=1e-6)


def test_a_codec_without_a_time_comes_last_without_a_place() -> None:
    failed = msgspec.structs.replace(FAST, codec="x/failed", phases={}, totals=())
    assert [(one.codec, one.place is None) for one in rank_codecs([failed, SLOWER])] == [
        ("c/slower", False),
        ("x/failed", True),
    ]


def test_one_process_separates_nothing() -> None:
    once = [row("a/fast", 200, (100.0,)), row("c/slower", 150, (103.0,))]
    assert marks(once) == [("c/slower", 1, 1, True, False), ("a/fast", 2, 1, True, False)]


@pytest.mark.parametrize(
    ("rows", "by", "sentence"),
    [
        (
            [FAST, SLOWER],
            "total",
            "a/fast is the fastest (serialize + deserialize: 100 ns), 2.30 times as fast as the next, c/slower.",
        ),
        (
            [FAST, EQUAL, SLOWER],
            "total",
            "b/equal and a/fast tie for the fastest (serialize + deserialize: 100 ns), 2.30 times as fast as the next, c/slower; of these b/equal is the smallest (120 B).",
        ),
        ([FAST, EQUAL], "size", "b/equal is the smallest (120 B); the next, a/fast, has 1.67 times as many bytes."),
        ([FAST], "total", ""),
    ],
)  # fmt: skip
def test_a_sentence_names_the_first_codec_and_how_far_it_is_ahead(
    rows: list[CodecRow], by: str, sentence: str
) -> None:
    assert codec_headline(rank_codecs(rows, by), by) == sentence
