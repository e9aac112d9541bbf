"""Three actors pass messages on through their own Kafka, and every lag is recorded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.registry import java_codecs
from wirelab.lab.host_cpu import DISTURBED
from wirelab.model.errors import BadInput
from wirelab.schema import payload
from wirelab.schema.inference import infer
from wirelab_reproductions.maltsev2024 import actors, lag
from wirelab_reproductions.maltsev2024.messages import growing

pytestmark = pytest.mark.matrix


@pytest.fixture
def hog() -> Iterator[None]:
    """A program that is not our child and uses a core all the time."""
    started = subprocess.run(
        ["sh", "-c", "(while :; do :; done) >&- 2>&- & echo $!"], capture_output=True, check=True
    )
    yield
    os.kill(int(started.stdout), signal.SIGKILL)


def test_the_last_actor_gets_every_message_and_the_cpu_time_of_others_is_reported(
    root: Path, tmp_path: Path, hog: None
) -> None:
    try:
        actors.check()
    except BadInput as error:
        pytest.skip(error.sentence)
    text = b"".join(json.dumps(one).encode() + b"\n" for one in list(growing(2, 1))[:4])
    corpus = payload.parse(text, "growing.jsonl")
    schema = infer(corpus)
    specs = [spec for spec in java_codecs(schema)[0] if spec.format == "avro"]
    pack = build_java_pack(schema, specs, root / "target" / "test-packs")
    messages = tmp_path / "messages.jsonl"
    messages.write_bytes(payload.normalised(corpus, schema))
    plan = lag.Plan(
        each=50,
        samples_per_link=5,
        last=2,
        link="rate=10Mbit/s,delay=20ms",
        warmup=20,
        repeats=1,
        linked_repeats=1,
    )
    subject = actors.Subject(pack, messages, {"avro": specs[0].name})
    told: list[str] = []
    found = dict(actors.measure(plan, subject, lag.keys(plan, ["avro"], 1), 1, told.append))
    assert set(found) == {(1, "lag", "avro"), (1, "linked", "avro")}
    near, far = found[1, "lag", "avro"], found[1, "linked", "avro"]
    assert all(len(one.epochs) == 2 for one in (near, far))
    assert 0 < near.least <= near.median <= near.most
    assert all(one.elsewhere > DISTURBED for one in (near, far))
    # To Kafka, to B, to Kafka, to C: four times 20 ms on the way.
    assert far.least >= 80e6
    assert told[0] == "warming Kafka up"
    assert sorted(told[1:]) == [
        "lag of avro through Kafka behind rate=10Mbit/s,delay=20ms, replicate 1 of 1",
        "lag of avro through Kafka on one host, replicate 1 of 1",
    ]
