"""A Java pack in a Java peer: messages are encoded as they are sent, and read as they arrive."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.factories import a_payload, a_trial
from tests.java.conftest import write_corpus
from tests.lab.single_cell import outcome_of
from wirelab.codecs.pack import Pack
from wirelab.model.trial import Workload
from wirelab.studies.trial_result import evaluate
from wirelab.system.binaries import find

# Of Protobuf's documentation: 08 96 01; 12 07 and the text; 1a 03 08 96 01.
MESSAGES = [{"a": 150}, {"b": "testing"}, {"c": {"a": 150}}]


@pytest.mark.parametrize(
    ("codec", "sizes"),
    [("protobuf/protobuf-java", [3, 9, 5]), ("json/jackson-dom", [9, 15, 15])],
)
def test_messages_of_a_java_codec_cross_a_link(
    golden_pack: Pack, tmp_path: Path, codec: str, sizes: list[int]
) -> None:
    corpus = write_corpus(tmp_path, MESSAGES)
    trial = a_trial(
        payload=a_payload(corpus=str(corpus), codec=codec, pack=golden_pack.path),
        library="paho",
        workload=Workload(rate_hz=20.0, count=3, warmup=0),
    )
    _, joined = evaluate(trial, outcome_of(trial, tmp_path), tmp_path)
    assert joined is not None
    assert joined.columns["bytes"].tolist() == sizes
    counts = joined.counts
    assert (counts.delivered, counts.corrupt, counts.unknown) == (3, 0, 0)
    assert (joined.columns["sent"] > joined.columns["start"]).all()
    assert (joined.columns["decoded"] > joined.columns["received"]).all()


def told(folder: Path, payload: dict[str, str]) -> dict[str, Any]:
    """The answer of a Java peer that is asked to send this payload."""
    prepare = {
        "cmd": "prepare", "role": "publisher", "server": {"address": "127.0.0.1", "port": 1}, "qos": "0",
        "options": {}, "topic": "t", "client": "c", "payload": payload, "identity": "content",
        "samples": str(folder / "samples"), "capacity": 10,
    }  # fmt: skip
    words = [find("wirelab-peer-java"), "mqtt"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        peer.stdin.write(json.dumps(prepare) + "\n")
        peer.stdin.flush()
        answer: dict[str, Any] = json.loads(peer.stdout.readline())
    return answer


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"codec": "protobuf/none"}, "codec protobuf/none of pack"),
        ({"corpus": "bad.jsonl"}, "bad.jsonl: com.fasterxml.jackson.core.JsonParseException"),
        ({"pack": "empty"}, "ClassNotFoundException: wirelab.pack.Generated"),
    ],
    ids=["codec", "corpus", "pack"],
)
def test_a_pack_that_cannot_be_used_is_named(
    golden_pack: Pack, tmp_path: Path, changed: dict[str, str], named: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.jsonl").write_text("no JSON")
    corpus = str(write_corpus(tmp_path, MESSAGES))
    payload = {"pack": golden_pack.path, "codec": "protobuf/protobuf-java", "corpus": corpus}
    wrong = {key: value if "/" in value else str(tmp_path / value) for key, value in changed.items()}
    answer = told(tmp_path, {**payload, **wrong})
    assert (answer["event"], answer["fatal"]) == ("error", True)
    assert named in f"{answer['what']}: {answer['why']}"
