"""Shared by all tests: where the real data lies, and what may be started."""

from __future__ import annotations

import os
import signal
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


# Started in the background of a script, we inherit an ignored SIGINT, and what we start would too: then Ctrl-C tests nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A loaded machine draws examples slowly: that says nothing of the code.
settings.register_profile("wirelab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("wirelab")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Side by side, a folder's tests stay together and in order: they share what takes long to make."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.parent)))


# Workers leave in pytest's cache which test belongs to which group. pytest-xdist 3.8 would hang a group onto a test's id, which pytest 9.2 takes from
# elsewhere: it then knows of no groups, and every test goes to whichever worker is free.
GROUPS = "wirelab/groups"


def pytest_collection_finish(session: pytest.Session) -> None:
    """In a worker, leave the groups of its tests."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        marks = {item.nodeid: item.get_closest_marker("xdist_group") for item in session.items}
        session.config.cache.set(GROUPS, {test: mark.args[0] for test, mark in marks.items() if mark})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give whole groups to workers, the largest first."""
    from xdist.scheduler import LoadScopeScheduling

    class Grouped(LoadScopeScheduling):
        @cached_property
        def groups(self) -> dict[str, str]:
            return dict(config.cache.get(GROUPS, {}))

        def _split_scope(self, nodeid: str) -> str:
            return self.groups[nodeid]

    return Grouped(config, log)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real payloads, traces and reference figures, which are not ours to ship. Skips loudly only where they are absent."""
    if not (SHARED / "data").is_dir():
        warnings.warn("../shared/data is absent: tests on real data do not run", stacklevel=1)
        pytest.skip("../shared/data is absent")
    return SHARED / "data"


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT
