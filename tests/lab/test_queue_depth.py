"""The queue depth of a server, less the depth before the trial."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from wirelab.lab.hosts import Loopback
from wirelab.lab.ports import free_port
from wirelab.lab.servers import Site, check, seen, start
from wirelab.lab.servers.queue_depth import depth_since, watch
from wirelab.model.errors import BadInput
from wirelab.model.result import Waiting

pytestmark = pytest.mark.first_case


def test_the_peak_and_the_last_depth_count_from_the_depth_before() -> None:
    readings = [(10, 3), (20, 5), (30, 12), (40, 6)]
    assert depth_since(readings, 25) == Waiting(peak=7, last=1)


def test_messages_that_the_server_dropped_before_the_trial_do_not_count() -> None:
    readings = [(10, 3, 4), (20, 5, 4), (30, 12, 6)]
    assert depth_since(readings, 25) == Waiting(peak=7, last=7, dropped=2)


def test_a_constant_number_of_messages_is_a_queue_depth_of_zero() -> None:
    assert depth_since([(10, 3)], 25) == Waiting(peak=0, last=0)


def test_without_a_reading_or_a_watcher_there_is_no_queue_depth() -> None:
    assert depth_since([], 25) == Waiting(peak=-1, last=-1)
    assert seen(None, 0) == Waiting()


@pytest.mark.parametrize(("name", "login"), [("mosquitto", []), ("rabbitmq", ["-u", "guest", "-P", "guest"])])
def test_a_broker_reports_messages_for_an_absent_client(name: str, login: list[str], tmp_path: Path) -> None:
    if shutil.which("mosquitto_pub") is None:
        pytest.skip("mosquitto_pub is not there: apt install mosquitto-clients")
    try:
        check(name, "mqtt")
    except BadInput as error:
        pytest.skip(error.sentence)
    port = free_port()
    server = start(name, Site("mqtt", port, Loopback(), tmp_path, "tcp", "1"))
    assert server is not None
    assert server.watcher is not None
    try:
        begun = time.monotonic_ns()
        client = ["-p", str(port), *login, "-q", "1", "-t", "a"]
        subprocess.run(["mosquitto_sub", *client, "-i", "away", "-c", "-E"], check=True, timeout=60)
        for number in range(7):
            subprocess.run(["mosquitto_pub", *client, "-m", str(number)], check=True, timeout=60)
        deadline = time.monotonic() + 60
        while seen(server.watcher, begun).last != 7 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert seen(server.watcher, begun) == Waiting(7, 7, 0 if name == "mosquitto" else -1)
    finally:
        server.stop()
    assert server.watcher.process.poll() is not None


def test_a_server_in_a_closed_loop_is_not_watched(tmp_path: Path) -> None:
    assert watch(Site("mqtt", 1, Loopback(), tmp_path, watched=False), "mosquitto", 1) is None
