"""A need is read as it is written, and is held only where the measurement shows it."""

from __future__ import annotations

import pytest

from wirelab.advice.needs import judge, parse_need, parse_objectives, worst
from wirelab.model.answer import Held, Need
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate
from wirelab.stats.intervals import proportion_interval


def estimate(value, low, high, unit="ns", n=500, open_above=False):
    return Estimate(value, low, high, unit, 5, n, "test", open_above=open_above)


@pytest.mark.parametrize(
    ("text", "need"),
    [
        ("loss=0", Need("loss=0", "loss", "=", 0)),
        ("loss<1%", Need("loss<1%", "loss", "<", 0.01)),
        ("p99<1s", Need("p99<1s", "latency_p99", "<", 1e9)),
        ("p50 <= 200ms", Need("p50 <= 200ms", "latency_p50", "<=", 2e8)),
        ("latency<50ms", Need("latency<50ms", "latency_p50", "<", 5e7)),
        ("bytes<500B", Need("bytes<500B", "bytes", "<", 500)),
        ("wire<=1.5kB", Need("wire<=1.5kB", "wire_bytes", "<=", 1500)),
        ("rss<64MiB", Need("rss<64MiB", "rss", "<", 64 * 2**20)),
        ("cpu<1ms", Need("cpu<1ms", "cpu", "<", 1e6)),
        ("throughput>=500/s", Need("throughput>=500/s", "throughput", ">=", 500)),
    ],
)
def test_a_need_is_read_with_its_unit(text, need):
    assert parse_need(text) == need


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("p9<1s", "metric 'p9': not known; did you mean p99?"),
        ("latncy<1s", "metric 'latncy': not known; did you mean latency?"),
        ("fast", "need 'fast': not a condition; write it like loss=0, p99<1s or bytes<=500B"),
        ("p99<", "need 'p99<': not a condition"),
        ("p99<1parsec", "duration '1parsec': not a number with a unit"),
        ("loss<150%", "fraction '150%': outside 0 to 1"),
        ("p99=1s", "a measured value is never exact; write p99<=1s"),
        ("loss=1%", "a measured value is never exact; write loss<=1%"),
        ("throughput>=max", "max is no limit"),
    ],
)
def test_a_need_that_cannot_be_read_says_what_to_write(text, sentence):
    with pytest.raises(BadInput) as caught:
        parse_need(text)
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
    ("low", "high", "held"), [(300, 400, Held.HOLDS), (300, 600, Held.NOT_SHOWN), (500, 600, Held.FAILS)]
)
def test_a_need_holds_only_if_the_whole_interval_meets_it(low, high, held):
    found = judge(parse_need("bytes<500B"), {"bytes": estimate(low + 1, low, high, "B")})
    assert found.held is held


def test_no_loss_seen_holds_loss_0_and_says_the_bound():
    met = judge(parse_need("loss=0"), {"loss": proportion_interval([0] * 5, [30] * 5)})
    assert met.held is Held.HOLDS
    assert met.why == "none of 150 lost: below 2.43 % with 95 % confidence"


def test_one_loss_fails_loss_0():
    met = judge(parse_need("loss=0"), {"loss": proportion_interval([0, 1], [30, 30])})
    assert met.held is Held.FAILS


def test_no_loss_in_150_messages_does_not_show_a_loss_below_1_percent():
    met = judge(parse_need("loss<1%"), {"loss": proportion_interval([0] * 5, [30] * 5)})
    assert met.held is Held.NOT_SHOWN


def test_p99_is_shown_by_368_messages_under_the_limit_and_not_by_150():
    need, p99 = parse_need("p99<1s"), {"latency_p99": estimate(4e8, 3e8, 5e8, open_above=True)}
    few = judge(need, p99, proportion_interval([0], [150]))
    assert few.held is Held.NOT_SHOWN
    assert few.why == (
        "400 ms [300 ms, >500 ms]; 0 of 150 messages took longer than 1.00 s, which leaves up to 2.43 % possible: "
        "it takes 368 messages to show it"
    )
    assert judge(need, p99, proportion_interval([0], [368])).held is Held.HOLDS
    assert judge(need, p99, proportion_interval([4], [368])).held is Held.NOT_SHOWN
    assert judge(need, p99, proportion_interval([40], [368])).held is Held.FAILS


def test_what_was_not_measured_is_not_shown():
    assert judge(parse_need("rss<1MB"), {}).why == "not measured"


def test_all_needs_together_are_as_good_as_the_worst():
    holds, fails = parse_need("bytes<500B"), parse_need("bytes<100B")
    met = [judge(need, {"bytes": estimate(300, 299, 301, "B")}) for need in (holds, fails)]
    assert worst(met) is Held.FAILS
    assert worst(met[:1]) is Held.HOLDS
    assert worst([]) is Held.HOLDS
