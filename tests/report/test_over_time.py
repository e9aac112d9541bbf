"""Latency and loss over the time of a trial, from samples with known steps."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from tests.report import fixtures
from wirelab.model.answer import Ranking
from wirelab.report import section
from wirelab.report.html import page
from wirelab.report.sections.over_time import Bin, Line, bins, picture
from wirelab.stats.sample_join import DELIVERED, LOST, UNSENT

S = 1_000_000_000
MS = 1_000_000


class Steps(fixtures.View):
    """A message every half second for 3 s: 10 ms, then 30 ms, then lost; one warm-up message
    before.
    """

    spacing_ns = S // 2

    def samples(self, trial_id: str):
        planned = 7 * S + np.arange(8) * self.spacing_ns
        latency = np.array([900, 10, 10, 30, 30, 5, 5, 0]) * MS
        lost = [DELIVERED] * 5 + [LOST] * 2
        return {
            "planned": np.where(np.arange(8) == 7, 0, planned),
            "decoded": planned + latency,
            "outcome": np.array([*lost, UNSENT], np.uint8),
            "warmup": np.arange(8) == 0,
        }


def test_messages_are_binned_by_the_second_they_were_due_in() -> None:
    first, second, third = bins(Steps(), fixtures.ROWS[0])
    assert first == Bin(0, 1, 2, 0, 10 * MS, 10 * MS, 2.0)
    assert second == Bin(1, 1, 2, 0, 30 * MS, 30 * MS, 2.0)
    assert (third.start_s, third.messages, third.lost, third.rate_hz) == (2, 2, 2, 0.0)
    assert math.isnan(third.p50_ns)


def test_the_rate_counts_what_arrived_in_a_second_whenever_it_was_due() -> None:
    class Backlog(Steps):
        """Two messages a second for 5 s, all of which arrive in the fourth."""

        def samples(self, trial_id: str):
            planned = 7 * S + np.arange(10) * self.spacing_ns
            return {
                "planned": planned,
                "decoded": np.full(10, 7 * S + 3 * S + S // 10),
                "outcome": np.full(10, DELIVERED, np.uint8),
                "warmup": np.zeros(10, bool),
            }

    assert [one.rate_hz for one in bins(Backlog(), fixtures.ROWS[0])] == [0, 0, 0, 10, 0]
    text = page(fixtures.answer(rankings=(Ranking({}, fixtures.ROWS[:1], ""),)), Backlog())
    assert 'aria-label="messages arrived per second"' in text


def test_a_second_that_sending_does_not_fill_has_no_rate() -> None:
    class Short(Steps):
        spacing_ns = 2 * S // 5

    # Six messages, 0.4 s apart, stand for 2.4 s.
    rates = [one.rate_hz for one in bins(Short(), fixtures.ROWS[0])]
    assert [math.isnan(rate) for rate in rates] == [False, False, True]


def test_a_long_trial_has_wider_bins() -> None:
    class Slow(Steps):
        spacing_ns = 30 * S

    # The last message is due after 150 s, so 60 bins of 5 s hold all of them.
    assert [(one.start_s, one.width_s) for one in bins(Slow(), fixtures.ROWS[0])] == [
        (start, 5) for start in (0, 30, 60, 90, 120, 150)
    ]


def test_a_row_without_one_way_times_has_no_bins() -> None:
    row = fixtures.row("json/x", "mqtt", "0", 40.0)
    del row.estimates["latency_p50"]
    assert bins(Steps(), row) == []


def test_a_line_has_a_gap_where_nothing_arrived() -> None:
    line = Line("A", "a", 0, [(0, 1e7), (1, math.nan), (2, 3e7), (3, 3e7)])
    assert picture([line], "ns", "median latency", 780, "").count("<path") == 2


def test_the_csv_table_has_a_line_for_each_step_of_each_row() -> None:
    answer = fixtures.answer(rankings=(Ranking({}, fixtures.ROWS[:1], ""),))
    assert section.tables(answer, Steps())["over_time"] == (
        "format,protocol,qos,link,start_s,width_s,messages,lost,latency_p50_ns,latency_p99_ns,arrived_per_s\n"
        "avro/serde_avro_fast,mqtt,0,lte-drive,0,1,2,0,10000000,10000000,2\n"
        "avro/serde_avro_fast,mqtt,0,lte-drive,1,1,2,0,30000000,30000000,2\n"
        "avro/serde_avro_fast,mqtt,0,lte-drive,2,1,2,2,,,0\n"
    )


def test_the_page_shows_loss_over_time_only_where_there_is_some() -> None:
    lossless = fixtures.answer(rankings=(Ranking({}, fixtures.ROWS[:1], ""),))
    assert 'aria-label="messages lost"' in page(lossless, Steps())
    text = page(lossless, fixtures.View())
    assert 'id="over-time"' in text
    assert 'aria-label="messages lost"' not in text


def test_the_backlog_of_an_overloaded_row_is_no_loss_over_time() -> None:
    row = replace(fixtures.ROWS[4], overloaded=5)
    found = fixtures.answer(rankings=(Ranking({}, (row,), ""),))
    assert 'aria-label="messages lost"' not in page(found, fixtures.View())
    lines = section.tables(found, fixtures.View())["over_time"].splitlines()
    assert lines[0].endswith("start_s,width_s,messages,lost,latency_p50_ns,latency_p99_ns,arrived_per_s")
    assert {line.split(",")[-4] for line in lines[1:]} == {""}
