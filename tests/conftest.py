"""Fixtures for all tests: the real data, and the limits of started processes."""

from __future__ import annotations

import signal
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


# Started in the background of a script, we inherit an ignored SIGINT, and what we start would too:
# then Ctrl-C tests nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A loaded machine draws examples slowly, which is not a fault of the code.
settings.register_profile("wirelab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("wirelab")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Side by side, a folder's tests stay together and in order: they share what takes long to
    make. pytest-xdist asks for groups after this.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.parent.relative_to(ROOT))))
    seen = set()
    for item in items:
        if item.get_closest_marker("first_case") is not None:
            test = item.nodeid.partition("[")[0]
            if test in seen:
                item.add_marker(pytest.mark.matrix)
            seen.add(test)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take its group off the name of a test that a worker ran: `--last-failed` knows tests by their
    own names.
    """
    if hasattr(report, "node"):
        report.nodeid = report.nodeid.rpartition("@")[0]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real payloads, traces and reference figures, which are not ours to ship.

    Skips loudly only where they are absent.
    """
    if not (SHARED / "data").is_dir():
        warnings.warn("../shared/data is absent: tests on real data do not run", stacklevel=1)
        pytest.skip("../shared/data is absent")
    return SHARED / "data"


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT
