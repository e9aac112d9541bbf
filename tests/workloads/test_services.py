"""Services of any package: a script, and the requests that go with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from wirelab.model.arrivals import ConstantRate, ServiceRequests
from wirelab.model.errors import BadInput
from wirelab.model.script import Rule, Script
from wirelab.model.trial import Workload
from wirelab.workloads import messages, services
from wirelab.workloads.arrivals import parse, times_ns

CODE = """
from wirelab.model.errors import BadInput
from wirelab.model.script import Rule, Script
from wirelab.workloads.services import Request, Service

def requests(arguments, seed, count, warmup):
    gap = float(arguments or 1)
    times = [*range(warmup), *range(count)]
    return [Request(gap * at, "even" if at % 2 == 0 else "odd", b"GET %d" % number) for number, at in enumerate(times)]

def check(count, warmup):
    if count is None:
        raise BadInput("count", "missing", "give a count")

SERVICE = Service(
    script=Script(pools={"desk": 3}, on={"GET": Rule("take", "desk {number}", "desk")}),
    shares={"even": 0.5, "odd": 0.5},
    requests=requests,
    canonical=lambda arguments: f"{float(arguments):g}" if arguments else "",
    check=check,
)
NUMBER = 3
"""
ENTRIES = """[wirelab.services]
desks = third_party_desks:SERVICE
number = third_party_desks:NUMBER
gone = third_party_desks:GONE
"""
WORKLOAD = Workload(
    rate_hz=10.0, count=3, warmup=2, arrivals=ServiceRequests("desks", "2"), application="desks"
)


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with a service, installed as pip leaves it."""
    info = tmp_path / "third_party_desks-1.0.dist-info"
    info.mkdir()
    (tmp_path / "third_party_desks.py").write_text(CODE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party-desks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    services.load.cache_clear()
    yield
    services.load.cache_clear()


def test_a_workload_names_a_service_and_its_arguments() -> None:
    assert parse("desks,2.0") == ServiceRequests("desks", "2")
    assert times_ns(parse("desks,2"), 10.0, 1, 3, None) == [0, 200_000_000, 400_000_000]


def test_a_service_has_a_script_and_kinds_of_requests() -> None:
    expected = Script(pools={"desk": 3}, on={"GET": Rule("take", "desk {number}", "desk")})
    assert services.script("desks") == expected
    assert services.kinds_of("desks") == ("even", "odd")
    assert services.kinds(WORKLOAD, seed=1) == ["even", "odd", "even", "odd", "even"]


def test_echo_has_no_rules_and_no_requests_of_its_own() -> None:
    assert services.script("echo") == Script()
    assert services.kinds_of("echo") == ()


def test_the_requests_of_a_trial_are_those_of_the_service(tmp_path: Path) -> None:
    services.write_requests(WORKLOAD, 1, tmp_path / "requests")
    assert messages.read(tmp_path / "requests") == [b"GET 0", b"GET 1", b"GET 2", b"GET 3", b"GET 4"]


def test_a_service_at_the_times_of_another_workload_sends_the_same_requests() -> None:
    steady = replace(WORKLOAD, arrivals=ConstantRate())
    assert services.kinds(steady, seed=1) == services.kinds(WORKLOAD, seed=1)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"application": "dekss"}, "did you mean desks"),
        ({"application": "number"}, "third_party_desks:NUMBER is not a Service"),
        ({"application": "gone"}, "third_party_desks:GONE: .*reinstall its package"),
        ({"application": "echo"}, "add service = desks"),
        ({"count": None, "duration_ns": 10}, "give a count"),
    ],
)
def test_what_a_service_cannot_do_is_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        services.check(replace(WORKLOAD, **changes))


def test_an_unknown_workload_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadInput, match="did you mean desks"):
        parse("desk,2")
