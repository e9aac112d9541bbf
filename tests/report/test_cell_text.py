"""Numbers, marks and reasons as all views write them."""

import pytest
from msgspec.structs import replace

from tests.report.fixtures import FAILS, ROWS, answer, estimate, exact, many, row
from wirelab.model.answer import Excluded, Ranking, Status, Tally, Threshold, ThresholdResult, VerdictCount
from wirelab.model.estimate import Estimate
from wirelab.model.reason import Code, Reason
from wirelab.model.result import Shares
from wirelab.model.trial import State
from wirelab.report import cell_text, ranking_reasons


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (estimate(35.2e6, 33.1e6, 41e6), "[33.1, 41.0]"),
        (estimate(1.1e6, 0.9e6, 2e6), "[900 us, 2.00 ms]"),
        (estimate(0, 0, 0.024, "fraction"), "[0, 2.40]"),
        (estimate(5e6, 0, 7e6), "[0, 7.00]"),
        (estimate(120e6, 100e6, 161e6, open_above=True), "[100, >161]"),
        (estimate(161e6, 161e6, 161e6, open_above=True), "[161, >161]"),
        (exact(953), ""),
        (estimate(1.5, 1.4, 1.62, "1/s"), "[1.40, 1.62]"),
    ],
)
def test_an_interval_names_its_unit_only_where_it_differs(given: Estimate, shown: str) -> None:
    assert cell_text.interval(given) == shown


def test_an_overloaded_row_has_a_backlog_and_no_loss() -> None:
    overloaded = replace(row("json/y", "coap", "con", 41.2), overloaded=4)
    assert cell_text.missing(overloaded, "loss") == "overloaded"
    assert cell_text.missing(overloaded, "energy") == "-"
    assert cell_text.missing(row("json/y", "coap", "con", 41.2), "loss") == "-"


def test_ties_are_bracketed_and_equal_ranks_and_inconclusive_rows_marked() -> None:
    assert cell_text.brackets(ROWS) == ["┌", "└", "", "", "┌", "└"]
    assert cell_text.ranks(ROWS) == ["1", "2", "3?", "4", "5=", "5="]


def test_rows_are_lettered_beyond_z() -> None:
    assert [cell_text.letter(i) for i in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


def test_failed_thresholds_are_grouped_by_delivery_mode() -> None:
    one = answer()
    assert ranking_reasons.failed(one, one.rankings[0]) == [
        "coap non: lost 4.67 % to 6.00 % fails loss=0 (2 rows)"
    ]


def test_objectives_and_metrics_of_thresholds_have_a_column() -> None:
    assert cell_text.metrics(answer(objectives=("deserialize", "loss"))) == [
        "latency_p50", "latency_p99", "loss", "bytes", "wire_bytes",
    ]  # fmt: skip
    assert cell_text.contexts(many()) == ["link"]


def test_inconclusive_rows_share_a_line_for_each_threshold_without_rows_that_fail() -> None:
    unknown = ThresholdResult("p99<100ms", Status.INCONCLUSIVE)
    rows = (
        row("a/a", "mqtt", "0", 40.0, thresholds=(unknown,)),
        row("a/a", "mqtt", "1", 41.0, thresholds=(unknown,)),
        row("a/a", "coap", "non", 42.0, 9, thresholds=(*FAILS, unknown)),
    )
    thresholds = (Threshold("loss=0", "loss", "=", 0.0), Threshold("p99<100ms", "latency_p99", "<", 1e8))
    ranking = Ranking({}, rows, "")
    found = answer(rankings=(ranking,), thresholds=thresholds)
    assert ranking_reasons.failed(found, ranking) == [
        "coap non: lost 6.00 % [4.00, 8.40] fails loss=0 (1 row)"
    ]
    assert ranking_reasons.inconclusive(found, ranking) == [
        "mqtt qos 0, mqtt qos 1: latency p99 120 ms to 123 ms is inconclusive for p99<100ms (2 rows)"
    ]


def test_a_device_on_which_a_format_does_not_run_is_a_failed_threshold() -> None:
    failed = ThresholdResult("runs on stm32f4", Status.FAIL, "json/arduinojson: too big")
    ranking = Ranking({}, (row("json/a", "mqtt", "0", 40.0, thresholds=(failed,)),), "")
    found = answer(rankings=(ranking,), thresholds=(Threshold("runs on stm32f4", "", "=", 1.0),))
    assert ranking_reasons.failed(found, ranking) == [
        "json/arduinojson: too big: fails runs on stm32f4 (1 row)"
    ]


def test_the_latency_breakdown_names_parts_of_one_percent_and_more() -> None:
    assert cell_text.breakdown(Shares(8e6, 1e6, 83e6, 7.5e6, 0.5e6)) == [
        ("queue", "8 %"), ("encode", "1 %"), ("wire", "83 %"), ("server", "8 %"),
    ]  # fmt: skip
    assert cell_text.breakdown(Shares(wire=5e6, separable=False)) == [("wire+server", "100 %")]
    assert cell_text.breakdown(Shares()) == []


def test_one_reason_in_every_context_is_listed_without_the_contexts() -> None:
    def out(link: str) -> Excluded:
        levels = {"format": "json/x", "protocol": "udp", "link": link}
        return Excluded(
            levels,
            "json/x udp",
            Tally(skipped=1, reasons=(counted(State.SKIPPED, Reason.message("too long")),)),
        )

    links = [ranking.context["link"] for ranking in many().rankings]
    assert ranking_reasons.excluded(answer(rankings=many().rankings, excluded=tuple(map(out, links)))) == [
        "skipped: too long (3 combinations: json/x udp)"
    ]
    assert ranking_reasons.excluded(answer(rankings=many().rankings, excluded=(out(links[1]),))) == [
        "skipped: too long (1 combination: json/x udp at lte-drive,loss=1%)"
    ]


def counted(state: State, *reasons: Reason) -> VerdictCount:
    return VerdictCount(state, reasons, len(reasons))


def test_reasons_that_differ_in_figures_alone_share_a_line() -> None:
    def out(qos: str, *counts: VerdictCount) -> Excluded:
        return Excluded({"protocol": "mqtt", "qos": qos}, f"mqtt qos {qos}", Tally(reasons=counts))

    def late(ms: float, steal: float) -> Reason:
        return Reason(Code.EMULATOR_BEHIND_SCHEDULE, {"late": ms * 1e6, "steal": steal})

    lost = counted(State.INVALID, Reason(Code.EMULATOR_DROPPED, {"packets": 5}))
    found = (
        out("0", counted(State.INVALID, late(9.5, 0.5), late(21.5, 0.09))),
        out("1", counted(State.INVALID, late(14.2, 0.59), late(14.3, 0.3))),
        out("2", counted(State.INVALID, late(14.2, 0.6))),
        out("2", counted(State.INVALID, late(99.9, 0.6)), lost),
    )
    assert ranking_reasons.excluded(answer(excluded=found)) == [
        "invalid: emulator behind schedule: packets left it up to 9.50 ms to 21.5 ms late (99th percentile); "
        "the hypervisor took 9 % to 59 % of the CPU time (2 times) (2 combinations: mqtt qos 0, mqtt qos 1)",
        "invalid: emulator behind schedule: packets left it up to 14.2 ms late (99th percentile); "
        "the hypervisor took 60 % of the CPU time (1 combination: mqtt qos 2)",
        "invalid: emulator behind schedule: packets left it up to 99.9 ms late (99th percentile); "
        "the hypervisor took 60 % of the CPU time; "
        "invalid: emulator dropped packets: 5 packets, beyond those of the link (1 combination: mqtt qos 2)",
    ]
