"""Thresholds: parsing, and passing only if the measurement shows it."""

from __future__ import annotations

import pytest

from wirelab.advice.thresholds import judge, parse_objectives, parse_threshold, worst
from wirelab.model.answer import Status, Threshold
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate
from wirelab.stats.intervals import proportion_interval


def estimate(value, low, high, unit="ns", n=500, open_above=False):
    return Estimate(value, low, high, unit, 5, n, "test", open_above=open_above)


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("loss=0", Threshold("loss=0", "loss", "=", 0)),
        ("loss<1%", Threshold("loss<1%", "loss", "<", 0.01)),
        ("p99<1s", Threshold("p99<1s", "latency_p99", "<", 1e9)),
        ("p50 <= 200ms", Threshold("p50 <= 200ms", "latency_p50", "<=", 2e8)),
        ("latency<50ms", Threshold("latency<50ms", "latency_p50", "<", 5e7)),
        ("bytes<500B", Threshold("bytes<500B", "bytes", "<", 500)),
        ("wire<=1.5kB", Threshold("wire<=1.5kB", "wire_bytes", "<=", 1500)),
        ("rss<64MiB", Threshold("rss<64MiB", "rss", "<", 64 * 2**20)),
        ("cpu<1ms", Threshold("cpu<1ms", "cpu", "<", 1e6)),
        ("throughput>=500/s", Threshold("throughput>=500/s", "throughput", ">=", 500)),
        ("p99.9<2s", Threshold("p99.9<2s", "latency_p99.9", "<", 2e9)),
        ("p99.90<2s", Threshold("p99.90<2s", "latency_p99.9", "<", 2e9)),
        ("p95<2s", Threshold("p95<2s", "latency_p95", "<", 2e9)),
        ("arrival_p75<2s", Threshold("arrival_p75<2s", "arrival_p75", "<", 2e9)),
        ("max<2s", Threshold("max<2s", "latency_max", "<", 2e9)),
        ("late>500ms<1%", Threshold("late>500ms<1%", "late>500ms", "<", 0.01)),
        ("late > 0.5s = 0", Threshold("late > 0.5s = 0", "late>500ms", "=", 0)),
        ("duplicates=0", Threshold("duplicates=0", "duplicates", "=", 0)),
        ("order<=1%", Threshold("order<=1%", "reordered", "<=", 0.01)),
        ("gap<=3", Threshold("gap<=3", "gap", "<=", 3)),
    ],
)
def test_a_threshold_is_read_with_its_unit(text, threshold):
    assert parse_threshold(text) == threshold


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("p9<1s", "metric 'p9': not known; did you mean p99?"),
        ("latncy<1s", "metric 'latncy': not known; did you mean latency?"),
        ("fast", "threshold 'fast': not a condition; write it like loss=0, p99<1s or bytes<=500B"),
        ("p99<", "threshold 'p99<': not a condition"),
        ("p99<1parsec", "duration '1parsec': not a number with a unit"),
        ("loss<150%", "fraction '150%': outside 0 to 1"),
        ("p99=1s", "a measured value is never exact; write p99<=1s"),
        ("loss=1%", "a measured value is never exact; write loss<=1%"),
        ("throughput>=max", "max is not a limit"),
        ("late>500ms", "no share of messages that may be late; write late>500ms<1% or late>500ms=0"),
        ("late>soon<1%", "duration 'soon': not a number with a unit"),
        ("p100<1s", "metric 'p100': not known"),
        ("p00<1s", "metric 'p00': not known"),
        ("gap=0", "a measured value is never exact; write gap<=0"),
    ],
)
def test_an_invalid_threshold_is_refused_with_an_example(text, sentence):
    with pytest.raises(BadInput) as caught:
        parse_threshold(text)
    assert sentence in str(caught.value)


def test_objectives_take_the_short_names_and_refuse_unknown_ones():
    assert parse_objectives(["latency", "bytes"]) == ("latency_p50", "bytes")
    with pytest.raises(BadInput, match="did you mean wire_bytes"):
        parse_objectives(["wire_byte"])
    with pytest.raises(BadInput, match="measured per codec"):
        parse_objectives(["serialize"])
    with pytest.raises(BadInput, match="none given"):
        parse_objectives([])


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [(300, 400, Status.PASS), (300, 600, Status.INCONCLUSIVE), (500, 600, Status.FAIL)],
)
def test_a_threshold_passes_only_if_the_whole_interval_meets_it(low, high, status):
    found = judge(parse_threshold("bytes<500B"), {"bytes": estimate(low + 1, low, high, "B")})
    assert found.status is status


def test_no_loss_seen_passes_loss_0_with_its_bound():
    result = judge(parse_threshold("loss=0"), {"loss": proportion_interval([0] * 5, [30] * 5)})
    assert result.status is Status.PASS
    assert result.evidence == "none of 150 lost: below 2.43 % with 95 % confidence"


def test_one_loss_fails_loss_0():
    result = judge(parse_threshold("loss=0"), {"loss": proportion_interval([0, 1], [30, 30])})
    assert result.status is Status.FAIL


def test_no_loss_in_150_messages_is_inconclusive_for_a_loss_below_1_percent():
    result = judge(parse_threshold("loss<1%"), {"loss": proportion_interval([0] * 5, [30] * 5)})
    assert result.status is Status.INCONCLUSIVE


def test_p99_passes_with_368_messages_under_the_limit_and_not_by_150():
    threshold, p99 = parse_threshold("p99<1s"), {"latency_p99": estimate(4e8, 3e8, 5e8, open_above=True)}
    few = judge(threshold, p99, proportion_interval([0], [150]))
    assert few.status is Status.INCONCLUSIVE
    assert few.evidence == (
        "400 ms [300 ms, >500 ms]; 0 of 150 messages took longer than 1.00 s, so the share may be up to 2.43 %: "
        "a pass takes 368 messages"
    )
    assert judge(threshold, p99, proportion_interval([0], [368])).status is Status.PASS
    assert judge(threshold, p99, proportion_interval([4], [368])).status is Status.INCONCLUSIVE
    assert judge(threshold, p99, proportion_interval([40], [368])).status is Status.FAIL


def test_an_unmeasured_metric_is_inconclusive():
    assert judge(parse_threshold("rss<1MB"), {}).evidence == "not measured"


def test_all_thresholds_together_have_the_worst_status():
    passing, failing = parse_threshold("bytes<500B"), parse_threshold("bytes<100B")
    results = [judge(one, {"bytes": estimate(300, 299, 301, "B")}) for one in (passing, failing)]
    assert worst(results) is Status.FAIL
    assert worst(results[:1]) is Status.PASS
    assert worst([]) is Status.PASS


def test_a_limit_on_the_largest_latency_passes_if_no_message_took_longer():
    threshold = parse_threshold("max<1s")
    largest = {"latency_max": estimate(8e8, 8e8, 8e8, open_above=True)}
    passed = judge(threshold, largest, proportion_interval([0] * 5, [100] * 5))
    assert passed.status is Status.PASS
    assert passed.evidence == "none of 500 longer than 1.00 s: below 0.74 % with 95 % confidence"
    slower = {"latency_max": estimate(2e9, 2e9, 2e9, open_above=True)}
    failed = judge(threshold, slower, proportion_interval([0, 0, 1, 0, 0], [100] * 5))
    assert failed.status is Status.FAIL
    assert failed.evidence == "2.00 s [2.00 s, >2.00 s]; 1 of 500 messages took longer than 1.00 s"


def test_no_late_message_passes_with_its_bound():
    share = {"late>500ms": proportion_interval([0] * 5, [100] * 5)}
    passed = judge(parse_threshold("late>500ms=0"), share)
    assert passed.status is Status.PASS
    assert passed.evidence == "none of 500 later than 500 ms: below 0.74 % with 95 % confidence"
    assert judge(parse_threshold("late>500ms<1%"), share).status is Status.PASS
    assert judge(parse_threshold("late>500ms<0.1%"), share).status is Status.INCONCLUSIVE
