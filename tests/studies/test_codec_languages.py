"""A codec is sent by the clients that load packs of its language."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.factories import a_payload
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.plan import trials

CODECS = ("protobuf/prost", "protobuf/protobuf-java")
STUDY = Study(
    payload="p.json", protocol=("mqtt",), qos=("0",), client_library=("rumqttc", "paho"), replicates=1
)


def planned(study: Study) -> set[tuple[str, str, str]]:
    found = trials(study, CODECS, a_payload(codec="", pack="pack"))
    return {(trial.levels["format"], trial.protocol, trial.library) for trial in found}


def test_native_codecs_run_in_every_client_and_those_of_a_jvm_in_its_clients() -> None:
    assert planned(STUDY) == {
        ("protobuf/prost", "mqtt", "rumqttc"),
        ("protobuf/prost", "mqtt", "paho"),
        ("protobuf/protobuf-java", "mqtt", "paho"),
    }


def test_a_protocol_without_a_client_in_java_is_sent_with_native_codecs() -> None:
    assert planned(replace(STUDY, protocol=("mqtt", "udp"), qos=("all",))) >= {
        ("protobuf/prost", "udp", "std"),
        ("protobuf/protobuf-java", "mqtt", "paho"),
    }
    assert ("protobuf/protobuf-java", "udp", "std") not in planned(
        replace(STUDY, protocol=("mqtt", "udp"), qos=("all",))
    )


@pytest.mark.parametrize(
    ("study", "complaint"),
    [
        (
            replace(STUDY, client_library=("default",)),
            "none of the clients does: rumqttc (mqtt); add --client-library paho",
        ),
        (
            replace(STUDY, protocol=("udp",), qos=("all",), client_library=("default",)),
            "none of the clients does: std (udp); "
            "choose a protocol with a client in Java: amqp, coap, kafka, mqtt, mqtt5, xmpp",
        ),
        (
            replace(STUDY, client_library=("default",), client_program="/x/mine"),
            "none of the clients does: /x/mine; add --client-library paho",
        ),
        (
            replace(STUDY, batch=("1", "10")),
            "language 'java' with batch: only native codecs have the library around them that writes what "
            "is on the wire; leave out --batch or --language java",
        ),
        (replace(STUDY, compression=("zstd",)), "leave out --compression or --language java"),
    ],
)
def test_what_no_client_can_send_is_refused(study: Study, complaint: str) -> None:
    with pytest.raises(BadInput) as caught:
        planned(study)
    assert str(caught.value).endswith(complaint)
