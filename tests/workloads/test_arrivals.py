"""Arrival processes: times by their equations, reproducible by seed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from wirelab.model.arrivals import Arrivals
from wirelab.model.errors import BadInput
from wirelab.workloads.arrivals import canonical, check, parse, times_ns

S = 1_000_000_000


def times(text: str, rate: float | None = 2.0, most: int | None = None, seed: int = 1) -> list[float]:
    return [at / S for at in times_ns(parse(text), rate, seed, most, None)]


def test_poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() -> None:
    found = times("poisson", 5.0, 20_001)
    gaps = [b - a for a, b in pairwise(found)]
    mean = sum(gaps) / len(gaps)
    assert mean == pytest.approx(0.2, rel=0.02)
    assert (sum((g - mean) ** 2 for g in gaps) / len(gaps)) ** 0.5 == pytest.approx(0.2, rel=0.03)


def test_the_same_seed_gives_the_same_times_and_another_seed_others() -> None:
    assert times("poisson", most=50) == times("poisson", most=50)
    assert times("poisson", most=50) != times("poisson", most=50, seed=2)


def test_a_burst_sends_while_it_is_on() -> None:
    assert times("burst,on=1s,off=4s", 2.0, 5) == [0, 0.5, 5, 5.5, 10]


def test_stages_follow_one_another_and_then_end() -> None:
    assert times("stages,2/s:1s,4/s:1s") == [0, 0.5, 1, 1.25, 1.5, 1.75]


def test_a_ramp_reaches_message_i_where_the_integral_of_its_rate_is_i() -> None:
    # From 1 to 3/s over 2 s: t + t^2 / 2 = i.
    assert times("stages,1/s>3/s:2s") == pytest.approx([0, 3**0.5 - 1, 5**0.5 - 1, 7**0.5 - 1])


def test_epoch_e_has_e_times_the_messages_of_the_first() -> None:
    assert len(times("epochs,10:3")) == 10 + 20 + 30


def test_recorded_times_are_sent_again(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("0\n0.25\n3\n")
    assert times(f"replay,{tmp_path / 't'}") == [0, 0.25, 3]


def test_a_duration_ends_any_process() -> None:
    assert times_ns(parse("burst,on=1s,off=1s"), 2.0, 1, None, 3 * S) == [0, S // 2, 2 * S, 5 * S // 2]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("poison", "did you mean poisson"),
        ("burst,on=1s", "needs on and off"),
        ("burst,on=1s,off=x", "duration 'x'"),
        ("stages", "no stage"),
        ("stages,5/s", "rate|duration|stage"),
        ("epochs,10", "needs messages and epochs"),
        ("replay,/none/such", "No such file"),
        ("constant-rate,5", "takes no parameter"),
        ("closed-loop,gap=1s", "unknown"),
        ("closed-loop,spread=1s", "unknown"),
        ("poisson,rate=3", "takes no parameter"),
    ],
)
def test_an_invalid_workload_is_refused_with_an_example(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        check(parse(text), 5.0)


def test_times_that_go_backwards_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("1\n0.5\n")
    with pytest.raises(BadInput, match="going backwards"):
        check(parse(f"replay,{tmp_path / 't'}"), 5.0)


def test_a_process_that_needs_a_rate_is_refused_without_one() -> None:
    with pytest.raises(BadInput, match="needs a rate"):
        check(parse("poisson"), None)


@pytest.mark.parametrize(
    ("before", "today"),
    [
        ("interval", "constant-rate"),
        ("one-by-one", "closed-loop"),
        ("one-by-one,apart=10s", "closed-loop,spacing=10s"),
    ],
)
def test_an_old_workload_is_read_and_gets_its_current_name(before: str, today: str) -> None:
    assert canonical(before) == today


@pytest.mark.parametrize(
    "text",
    [
        "constant-rate",
        "poisson",
        "burst,on=1s,off=250ms",
        "stages,10/s:5s,10/s>100/s:10s,2/min:300s",
        "stages,0.3/s:1s",
        "epochs,2000:15",
        "replay,/recorded/times.txt",
        "search,100/s>100000/s:20s",
        "parking",
        "parking,cars=5",
        "closed-loop",
        "closed-loop,spacing=10s",
        "closed-loop,spread",
    ],
)
def test_a_canonical_text_names_its_process_and_the_process_its_text(text: str) -> None:
    assert str(parse(text)) == text
    assert msgspec.convert(msgspec.to_builtins(parse(text)), Arrivals) == parse(text)
