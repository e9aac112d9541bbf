"""The first sentence recommends, and makes sense for any table."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.report import fixtures
from wirelab.advice.headline import headline
from wirelab.advice.preference import safest_first
from wirelab.model.answer import Row, Status, Threshold, ThresholdResult
from wirelab.model.estimate import Estimate
from wirelab.model.result import Delivery

OBJECTIVES = ("latency_p50", "bytes")
NO_LOSS = Threshold("loss=0", "loss", "=", 0.0)


def exact(value: float, unit: str) -> Estimate:
    return Estimate(value, value, value, unit, 5, 500, "")


def row(
    label: str, ms: float = 40.0, lost: float = 0.0, size: float = 100, wire: float = 300, **more: object
) -> Row:
    estimates = {
        "latency_p50": exact(ms * 1e6, "ns"),
        "loss": exact(lost, "fraction"),
        "bytes": exact(size, "B"),
        "wire_bytes": exact(wire, "B"),
    }
    return replace(fixtures.ROWS[0], label=label, estimates=estimates, thresholds=(), **more)


def tie(*rows: Row) -> tuple[Row, ...]:
    return tuple(replace(one, rank=1, group=1, tied=True, status=Status.PASS) for one in rows)


def test_the_safer_of_equal_rows_is_recommended_with_what_puts_it_first() -> None:
    rows = safest_first(
        tie(
            row("qos 0", delivery=Delivery.AT_MOST_ONCE, wire=290),
            row("qos 2", delivery=Delivery.EXACTLY_ONCE, wire=420),
            row("qos 1", delivery=Delivery.AT_LEAST_ONCE),
        )
    )
    assert [one.label for one in rows] == ["qos 1", "qos 2", "qos 0"]
    assert headline(rows, (), OBJECTIVES) == (
        "Use qos 1: it is first with median latency 40.0 ms [40.0 ms, 40.0 ms] and loses nothing; it ties with qos 2 and qos 0: "
        "the difference in median latency or payload per message is not significant, so its promise decides "
        "(at-least-once)."
    )


def test_of_equal_rows_the_one_that_lost_nothing_is_first() -> None:
    rows = safest_first(tie(row("non", lost=0.07), row("con", wire=400)))
    assert headline(rows, (), OBJECTIVES).startswith("Use con: it is first")
    assert ", and it loses nothing while others of them do" in headline(rows, (), OBJECTIVES)


def test_equal_figures_decide_nothing() -> None:
    best, other = tie(row("a", size=169), row("b", size=169))
    text = headline((best, replace(other, rank=2)), (), OBJECTIVES)
    assert "decides" not in text


def test_a_threshold_that_keeps_a_faster_row_out_is_named() -> None:
    failed = (ThresholdResult("loss=0", Status.FAIL, "7 %"),)
    fast = replace(row("non", ms=20, lost=0.07, rank=2, group=2), thresholds=failed, status=Status.FAIL)
    assert headline((row("con"), fast), (NO_LOSS,), OBJECTIVES).endswith(
        "; without loss=0 it would be non (20.0 ms, but it loses 7.00 %)."
    )


def test_fewer_bytes_on_the_wire_of_a_tied_row_are_named() -> None:
    best, other = tie(row("a", wire=300), row("b", size=101, wire=200))
    assert headline((best, replace(other, rank=2)), (), OBJECTIVES).endswith(
        "; by bytes on the wire per message it would be b (200 B instead of 300 B)."
    )


def test_a_row_without_the_promise_of_the_best_is_not_named_without_saying_so() -> None:
    best, other = tie(row("a", delivery=Delivery.AT_LEAST_ONCE), row("b", size=101, wire=200))
    assert headline((best, replace(other, rank=2)), (), OBJECTIVES).endswith(
        "it would be b (200 B instead of 300 B, but it may lose messages)."
    )


def test_a_winner_that_loses_names_one_that_does_not() -> None:
    text = headline((row("non", lost=0.01), row("con", ms=90, rank=2, group=2)), (), OBJECTIVES)
    assert "it loses 1.00 % of the messages" in text
    assert text.endswith("; if nothing may be lost, it would be con.")


FIGURES = st.sampled_from([1.0, 1.001, 20.0, 20.04, 169.0, 170.0])


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[Row, ...], tuple[Threshold, ...]]:
    thresholds = draw(st.sampled_from([(), (NO_LOSS,)]))
    rows, rank, group = [], 1, 1
    for index in range(draw(st.integers(1, 5))):
        lost = draw(st.sampled_from([0.0, 0.0, 0.0004, 0.07]))
        one = row(f"r{index}", draw(FIGURES), lost, draw(FIGURES), draw(FIGURES))
        status = Status.FAIL if thresholds and lost else Status.PASS
        results = (ThresholdResult("loss=0", status, f"{100 * lost:.2f} %"),) if thresholds else ()
        rank, group = rank + draw(st.integers(0, 1)), group + draw(st.integers(0, 1))
        delivery = draw(st.sampled_from(list(Delivery)))
        rows.append(
            replace(one, rank=rank, group=group, status=status, thresholds=results, delivery=delivery)
        )
    return safest_first(sorted(rows, key=lambda one: one.status is Status.FAIL)), thresholds


@given(tables())
def test_no_sentence_lets_equal_figures_win_or_hides_what_the_best_loses(
    table: tuple[tuple[Row, ...], tuple[Threshold, ...]],
) -> None:
    rows, thresholds = table
    text = headline(rows, thresholds, OBJECTIVES)
    for one, other in re.findall(r"\(([^()]+?) (?:against|instead of) ([^(),]+)", text):
        assert one != other
    lost = rows[0].estimates["loss"].value
    if lost:
        assert "it loses" in text or "fails loss=0" in text
    if " and loses nothing" in text:
        assert lost == 0
    if best_next := re.search(r"; next is r\d with ([^;.]+\d [a-z]+)", text):
        assert f"median latency {best_next[1]} " not in text
    for label in re.findall(r"it would be (r\d)", text):
        chosen = next(one for one in rows if one.label == label)
        assert chosen is not rows[0]
        assert not chosen.estimates["loss"].value or "but it loses" in text
