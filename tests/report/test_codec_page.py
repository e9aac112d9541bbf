"""The codec table over a link, ranked as requested, and its page."""

from __future__ import annotations

import csv as csv_reader
import io

import msgspec
from rich.console import Console

from tests.end_to_end.cli_runner import wirelab
from tests.report import fixtures
from wirelab.advice.codec_ranking import rank_codecs
from wirelab.advice.link_projection import over_link
from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import CodecPlace
from wirelab.model.estimate import Estimate
from wirelab.report import codec_section, csv, markdown_codecs, terminal_codecs

SLOW = {"up": {"rate": {"mean_bit_per_s": 8_000.0}, "delay_ns": 5_000_000}}
FREE = {"up": {"rate": {"mean_bit_per_s": None}, "delay_ns": 0}}


def row(name: str, size: float, both_ns: float) -> CodecRow:
    return msgspec.structs.replace(
        fixtures.CODECS[0],
        codec=name,
        bytes=Estimate(size, size, size, "B", 1, 1, "exact"),
        phases={"total": Estimate(both_ns, both_ns - 1, both_ns + 1, "ns", 5, 50, "t")},
        totals=tuple(both_ns + part for part in (-0.2, -0.1, 0.0, 0.1, 0.2)),
    )


ROWS = [row("fast/large", 2000, 10.0), row("slow/small", 100, 5_000_000.0)]
TIED = [row("fast/large", 2000, 10.0), row("fast/small", 100, 10.05), row("slow/tiny", 20, 30.0)]


def test_a_link_takes_its_delay_and_the_bytes_at_its_rate() -> None:
    fast, slow = (one.phases["over slow"] for one in over_link(ROWS, "slow", SLOW))
    # 2,000 B at 8 kbit/s are 2 s, 100 B 0.1 s.
    assert (fast.value, fast.low, fast.high) == (2_005_000_010.0, 2_005_000_009.0, 2_005_000_011.0)
    assert slow.value == 110_000_000.0


def test_a_link_without_limits_adds_nothing_and_a_row_without_times_stays() -> None:
    untimed = msgspec.structs.replace(ROWS[0], phases={})
    found, kept = over_link([ROWS[0], untimed], "ideal", FREE)
    assert found.phases["over ideal"].value == 10.0
    assert kept == untimed


def test_a_row_whose_sum_was_not_measured_crosses_a_link_with_the_sum_of_both_times() -> None:
    def time(value: float) -> Estimate:
        return Estimate(value, value - 1, value + 1, "ns", 5, 50, "t")

    apart = msgspec.structs.replace(ROWS[0], phases={"serialize": time(10.0), "deserialize": time(30.0)})
    (found,) = over_link([apart], "slow", SLOW)
    crossed = found.phases["over slow"]
    # 40 ns, their intervals of +-1 ns added up, and 2.005 s.
    assert (crossed.value, crossed.low, crossed.high) == (2_005_000_040.0, 2_005_000_038.0, 2_005_000_042.0)


def test_codecs_are_ranked_by_time_by_bytes_or_by_a_link() -> None:
    crossed = over_link(ROWS, "slow", SLOW)
    assert [[one.codec for one in rank_codecs(crossed, by)] for by in ("total", "size", "over slow")] == [
        ["fast/large", "slow/small"],
        ["slow/small", "fast/large"],
        ["slow/small", "fast/large"],
    ]


def test_every_view_shows_the_computed_time_over_the_link() -> None:
    crossed = rank_codecs(over_link(ROWS, "slow", SLOW), "over slow")
    console = Console(width=170, file=io.StringIO(), highlight=False)
    terminal_codecs.print_codecs(crossed, console, "over slow")
    assert isinstance(console.file, io.StringIO)
    page = codec_section.page("<messages>.jsonl", crossed, "over slow")
    for view in (console.file.getvalue(), markdown_codecs.codecs(crossed, "over slow"), page):
        assert "over slow" in view
        assert "2.01 s" in view
        assert view.index("slow/small") < view.index("fast/large")
    assert "What codecs make of &lt;messages&gt;.jsonl" in page


def test_ranking_by_a_link_requires_one() -> None:
    done = wirelab("codecs", "examples/sensor.jsonl", "--rank-by", "link")
    assert done.returncode == 3
    assert done.stderr == ("wirelab: --rank-by link: no link given; add one, such as --link lte-m\n")


def test_views_show_the_places_that_rows_have() -> None:
    one = Estimate(1.0, 1.0, 1.0, "1", 5, 5, "itself")
    place = CodecPlace(7, 7, tied=False, inconclusive=False, ratio=one)
    placed = [msgspec.structs.replace(row, place=place) for row in rank_codecs(ROWS)]
    console = Console(width=170, file=io.StringIO(), highlight=False)
    terminal_codecs.print_codecs(placed, console)
    assert isinstance(console.file, io.StringIO)
    assert "\n7=  fast/large" in console.file.getvalue()
    assert "| 7= | fast/large |" in markdown_codecs.codecs(placed)
    assert '<td class="rank">7=</td>' in codec_section.page("x", placed)


def test_every_view_shows_rank_tie_and_ratio() -> None:
    ranked = rank_codecs(TIED)
    console = Console(width=170, file=io.StringIO(), highlight=False)
    terminal_codecs.print_codecs(ranked, console)
    assert isinstance(console.file, io.StringIO)
    said = (
        "fast/small and fast/large tie for the fastest (serialize + deserialize: 10.1 ns), "
        "2.99 times as fast as the next, slow/tiny; of these fast/small is the smallest (100 B)."
    )
    legend = (
        "against the first row's; bracketed codecs tie: their difference in serialize + deserialize "
        "is not significant; size orders them"
    )
    shown = console.file.getvalue()
    for view in (
        shown,
        markdown_codecs.codecs(ranked),
        codec_section.page("x", ranked).replace("&#39;", "'"),
    ):
        assert said in " ".join(view.split())
        assert legend in " ".join(view.split())
        assert "2.99" in view
    rows = [line for line in shown.splitlines() if line.startswith(("1 ", "2 ", "3 "))]
    assert [line.split("/")[0] for line in rows] == ["1 \u250c  fast", "2 \u2514  fast", "3    slow"]
    table = csv_reader.DictReader(io.StringIO(csv.codecs(ranked)))
    assert [
        [line[name] for name in ("rank", "group", "tied", "inconclusive", "ratio")] for line in table
    ] == [
        ["1", "1", "true", "false", "1"],
        ["2", "1", "true", "false", "0.9950248756"],
        ["3", "2", "false", "false", "2.985074627"],
    ]
