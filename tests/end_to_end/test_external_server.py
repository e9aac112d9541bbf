"""A server outside the lab is measured through the forwarding program in it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import refused, wirelab
from tests.noise_retry import busy
from wirelab.lab.ports import free_port
from wirelab.model.trial import State
from wirelab.store.run import RunStore
from wirelab.system.binaries import find

pytestmark = [pytest.mark.first_case, pytest.mark.lab]


@pytest.fixture
def broker() -> Iterator[str]:
    """The address of an MQTT broker on this machine's loopback, which no lab can see."""
    argv = [find("wirelab-server-mqtt"), "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["listen"]
    process.kill()
    process.wait()


def test_every_message_crosses_the_emulated_link_and_reaches_a_server_beyond_the_lab(
    broker: str, tmp_path: Path
) -> None:
    done = wirelab(
        *("compare", "--size", "100", "--protocol", "mqtt", "--qos", "1", "--server", f"mine={broker}"),
        *(
            "--link",
            "rtt=40ms",
            "--rate",
            "50/s",
            "--count",
            "20",
            "--replicates",
            "2",
            "-o",
            tmp_path / "run",
        ),
    )
    assert done.returncode in (0, 2), done.stderr[-2000:]
    with RunStore.open(tmp_path / "run") as store:
        results = [record.result for record in store.results() if record.result]
    assert len(results) == 2
    for result in results:
        # Whether a trial is valid is up to what else this machine does.
        assert result.verdict.state is State.VALID or busy(result.verdict), result.verdict
        assert (result.counts.sent, result.counts.delivered) == (20, 20)
        assert (result.server.name, result.server.version, result.server.limits) == (
            "mine",
            "",
            {"address": broker},
        )


def test_a_server_that_does_not_run_is_named_with_the_next_step(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    told = refused(
        "compare", "--size", "100", "--protocol", "mqtt", "--server", f"mine={address}", "-o", tmp_path
    )
    assert f"no connection to {address}" in told


@pytest.mark.parametrize("text", ["mine=", "=1.2.3.4:5", "mine=1.2.3.4", "mine=1.2.3.4:99999"])
def test_a_text_that_is_not_an_address_is_refused(text: str, tmp_path: Path) -> None:
    assert "not of the form NAME=HOST:PORT" in refused(
        "compare", "--size", "100", "--protocol", "mqtt", "--server", text, "-o", tmp_path
    )


def test_a_protocol_over_udp_does_not_reach_it(broker: str, tmp_path: Path) -> None:
    told = refused(
        "compare", "--size", "100", "--protocol", "coap", "--server", f"mine={broker}", "-o", tmp_path
    )
    assert "coap cannot reach it from a lab" in told
