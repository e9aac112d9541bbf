"""The car park: its arrivals, and that it is never full."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter

import pytest

from wirelab.model.arrivals import ServiceRequests
from wirelab.model.errors import BadInput
from wirelab.workloads.arrivals import parse, times_ns
from wirelab_reproductions.kayal2017 import car_park


def test_of_four_requests_one_is_a_get_one_a_put_and_two_are_deletes() -> None:
    found = Counter(visit.kind for visit in car_park.visits(seed=7, count=4000))
    assert found == {"get": 1000, "put": 1000, "delete": 2000}


def test_the_same_seed_gives_the_same_requests_and_another_gives_others() -> None:
    assert car_park.visits(3, 40) == car_park.visits(3, 40)
    assert car_park.visits(3, 40) != car_park.visits(4, 40)


def test_a_car_leaves_after_it_came_and_no_spot_is_taken_twice() -> None:
    standing: dict[int, int] = {}
    last = 0.0
    for request in car_park.visits(1, 2000):
        assert request.at >= last
        last = request.at
        if request.kind == "delete":
            del standing[request.car]
            continue
        free = [spot for spot in range(100) if spot not in standing.values()]
        spot = free[0] if request.spot is None else request.spot
        assert spot in free
        standing[request.car] = spot
    assert not standing


def test_the_mean_number_of_parked_cars_is_as_requested() -> None:
    found = car_park.visits(1, 40_000, cars=30)
    change = {"get": 1, "put": 1, "delete": -1}
    standing, area, before = 0, 0.0, 0.0
    middle = [request for request in found if 200 < request.at < 30_000]
    standing = sum(change[request.kind] for request in found if request.at <= 200)
    before = 200.0
    for request in middle:
        area += standing * (request.at - before)
        standing, before = standing + change[request.kind], request.at
    assert area / (before - 200) == pytest.approx(30, rel=0.1)


def test_the_warm_up_goes_through_two_cars_at_a_time() -> None:
    first = car_park.visits(1, 0, warmup=8)
    assert [request.message for request in first] == [
        b"GET 0", b"PUT 1 50", b"DELETE 0", b"DELETE 1",
        b"GET 2", b"PUT 3 50", b"DELETE 2", b"DELETE 3",
    ]  # fmt: skip
    assert [request.at for request in first] == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_seed_gives_fixed_requests_at_fixed_times() -> None:
    found = car_park.visits(2017, 12, warmup=4, cars=1.0)
    assert [request.message for request in found] == [
        b"GET 0", b"PUT 1 50", b"DELETE 0", b"DELETE 1",
        b"GET 2", b"DELETE 2", b"GET 3", b"PUT 4 15", b"DELETE 4", b"GET 5",
        b"DELETE 5", b"DELETE 3", b"PUT 6 92", b"PUT 7 86", b"DELETE 6", b"DELETE 7",
    ]  # fmt: skip
    assert times_ns(parse("parking,cars=1"), 100.0, 2017, 12, None) == [
        8883909, 21149359, 25689629, 28595644, 34045549, 41186230,
        59552485, 62036771, 81148668, 156671074, 158801206, 162222139,
    ]  # fmt: skip
    wire = b"\n".join(request.message for request in car_park.visits(2017, 400, warmup=24))
    assert hashlib.sha256(wire).hexdigest() == (
        "d5071e9cbe626daaa2ff7e94f9289a3435d0db8d30eb98cede0493e47042c4f2"
    )


def test_times_scale_with_the_rate_of_all_requests() -> None:
    slow = times_ns(ServiceRequests("parking"), 10.0, 5, 400, None)
    fast = times_ns(ServiceRequests("parking"), 1000.0, 5, 400, None)
    assert len(slow) == 400
    assert fast == pytest.approx([at / 100 for at in slow], abs=1)


@pytest.mark.parametrize(("load", "blocked"), [(1.0, 0.5), (2.0, 2 / 3)])
def test_erlang_b_for_one_server_is_load_over_one_more(load: float, blocked: float) -> None:
    assert car_park.erlang_b(1, load) == pytest.approx(blocked)


def test_erlang_b_for_ten_servers_and_five_erlang_is_as_tabulated() -> None:
    assert car_park.erlang_b(10, 5.0) == pytest.approx(0.01838, abs=1e-5)


def test_a_park_that_would_turn_cars_away_is_refused() -> None:
    assert parse("parking,cars=50") == ServiceRequests("parking", "cars=50")
    with pytest.raises(BadInput, match="turn cars away"):
        parse("parking,cars=90")
    with pytest.raises(BadInput, match="unknown"):
        parse("parking,spots=9")


def test_requests_that_are_not_complete_visits_are_refused() -> None:
    car_park.check(400, 8)
    with pytest.raises(BadInput, match="multiples of four"):
        car_park.check(30, 8)


def test_a_trial_loads_the_service_without_scipy() -> None:
    code = "import sys; from wirelab.workloads import services; services.load('parking'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "wirelab_reproductions.kayal2017.car_park" in loaded
    assert not {"numpy", "scipy"} & set(loaded)
