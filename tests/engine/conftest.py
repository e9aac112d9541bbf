"""Two real Ray nodes on this machine, shared by all tests that leave them alive."""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
# Loopback, but not 127.0.0.1: Ray would read that as the outer address.
LOOPBACK = "127.0.0.2"
OFFERS = {"wirelab": 1, "namespaces": 1, "realtime": 1}


def new_cluster(**head: Any) -> Any:
    """A cluster of one node called `a`, on loopback, without dashboard; it notices a dead node
    within 2 s.
    """
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    quick = {"health_check_period_ms": 500, "health_check_failure_threshold": 3}
    add_node(cluster, "a", **{"_system_config": quick, "include_dashboard": False, **head})
    return cluster


def add_node(cluster: Any, name: str, **options: Any) -> Any:
    """One more node."""
    common = {"node_name": name, "node_ip_address": LOOPBACK, "num_cpus": 1, "resources": OFFERS}
    return cluster.add_node(**{**common, **options})


@pytest.fixture(scope="session")
def two_nodes() -> Iterator[Any]:
    """Nodes `a` and `b`, and this process in their cluster.

    It joins once: Ray may block for good where a process joins again and again.
    """
    from wirelab.engine.ray_connection import connected

    cluster = new_cluster()
    add_node(cluster, "b")
    with connected(cluster.address):
        yield cluster
    cluster.shutdown()


@pytest.fixture
def ends() -> Iterator[None]:
    """A test fails after three minutes; where Ray does not even let go of the interpreter, all
    tests end with a traceback.
    """

    def late(*_: object) -> None:
        raise TimeoutError("the test took longer than three minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(180)
    faulthandler.dump_traceback_later(240, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
