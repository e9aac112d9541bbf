"""Options that no peer of the study supports are refused before anything runs."""

from __future__ import annotations

import pytest

from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.options import ask_peer, check_options, commands

STUDY = Study(payload="p", protocol=("mqtt", "coap"), options={"keep_alive_s": "30"})


def test_an_option_that_one_of_several_peers_has_is_taken() -> None:
    offered = {"wirelab-peer-mqtt": {"keep_alive_s": "60"}, "wirelab-peer-coap": {"token_bytes": "4"}}
    check_options(STUDY, lambda command: offered[command[0]])


def test_an_option_that_no_peer_has_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadInput) as refused:
        check_options(STUDY, lambda _: {"keepalive": "60"})
    assert (
        refused.value.sentence
        == "option 'keep_alive_s': not supported by any peer of mqtt, coap; did you mean keepalive?"
    )


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "1e9"])
def test_an_invalid_connect_timeout_is_refused(text: str) -> None:
    study = Study(payload="p", protocol=("mqtt",), options={"connect_timeout_s": text})
    with pytest.raises(BadInput) as refused:
        check_options(study, lambda _: {"connect_timeout_s": "10"})
    why = f"option 'connect_timeout_s': '{text}' is not a number of seconds above 0, up to 3600"
    assert refused.value.sentence == f"{why}; write connect_timeout_s = 10"


def test_each_peer_is_described_once_for_all_qos() -> None:
    assert commands(STUDY) == [("wirelab-peer-mqtt",), ("wirelab-peer-coap",)]


def test_a_peer_describes_its_options_and_their_defaults() -> None:
    assert ask_peer(("wirelab-peer-mqtt",))["connect_timeout_s"] == "10"
