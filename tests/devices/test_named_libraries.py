"""MPack and ArduinoJson, whose sources the user names: WIRELAB_MPACK_DIR and
WIRELAB_ARDUINOJSON_DIR.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from wirelab.devices import catalog, codecs, libraries
from wirelab.devices.catalog import Device
from wirelab.devices.measurement import Job, measure
from wirelab.devices.result import Measured
from wirelab.schema import payload
from wirelab.schema.check import typed_messages
from wirelab.schema.inference import infer

pytestmark = pytest.mark.first_case

DEVICES = tuple(catalog.devices())
NAMED = {"msgpack/mpack": "WIRELAB_MPACK_DIR", "json/arduinojson": "WIRELAB_ARDUINOJSON_DIR"}
PLAIN = b'{"id":300,"on":true,"name":"abc","low":-2}\n'
BYTES = {
    "msgpack/mpack": "84 a26964 cd012c a26f6e c3 a46e616d65 a3616263 a36c6f77 fe",
    "json/arduinojson": b'{"id":300,"on":true,"name":"abc","low":-2}'.hex(),
}
RICH = (
    b'{"a":1,"b":null,"c":[1,-2,3],"d":[],"e":{"x":1,"y":[{"z":"q"},{"z":""}]},'
    b'"m":{"2020-01-01":4,"2020-01-02":5,"2020-01-03":6},"n":[[1],[],[2,3]],"t":"z","u":[null,5]}\n'
    b'{"a":70000,"b":"there","c":[],"d":[],"e":{"x":0,"y":[]},"m":{"2020-01-04":0},"n":[],"t":"\\u00e9","u":[],"o":null}\n'
    b'{"a":0,"b":"","c":[0],"d":[],"e":{"x":255,"y":[{"z":"w"}]},"m":{},"n":[[9]],"t":"","u":[0],"o":7}\n'
)
Named = Callable[[str, str, bytes], Measured]


@pytest.fixture(scope="session")
def named(chip: Callable[[str], Device], cache: Path) -> Named:
    """Measure with a library in the directory that the environment names."""

    def measured(device: str, codec: str, lines: bytes) -> Measured:
        one = codecs.CODECS[codec]
        directory = os.environ.get(NAMED[codec])
        if not directory:
            pytest.skip(f"set {NAMED[codec]}: {libraries.HOW[one.library]}")
        found = libraries.find({one.library: Path(directory)}, cache)
        corpus = payload.parse(lines, "payload.jsonl")
        schema = infer(corpus)
        messages = list(typed_messages(corpus, schema))
        return measure(Job(chip(device), one, schema, messages, list(range(len(messages))), found), cache)

    return measured


@pytest.mark.parametrize("codec", NAMED)
@pytest.mark.parametrize("device", DEVICES)
def test_every_chip_writes_the_same_literal_bytes(named: Named, device: str, codec: str) -> None:
    assert named(device, codec, PLAIN).messages[0].bytes == BYTES[codec].replace(" ", "")


@pytest.mark.parametrize("codec", NAMED)
@pytest.mark.parametrize("device", DEVICES)
def test_rich_messages_come_back_with_every_value(named: Named, device: str, codec: str) -> None:
    measured = named(device, codec, RICH)
    assert str(measured.verdict) == "valid"
    assert len(measured.messages) == 3


@pytest.mark.parametrize("text", [b"[1,2,3]\n", b'[{"a":1}]\n', b'["x",null]\n'])
def test_json_on_the_chip_is_the_json_of_the_payload(named: Named, text: bytes) -> None:
    (message,) = named("stm32f4", "json/arduinojson", text).messages
    assert json.loads(bytes.fromhex(message.bytes)) == json.loads(text)


def test_a_library_without_a_directory_is_skipped_with_a_remedy(
    chip: Callable[[str], Device], cache: Path
) -> None:
    corpus = payload.parse(PLAIN, "payload.jsonl")
    job = Job(chip("stm32f4"), codecs.CODECS["msgpack/mpack"], infer(corpus), list(corpus.messages), [0], {})
    assert str(measure(job, cache).verdict) == f"skipped: {libraries.HOW['mpack']}"
