"""Measuring codecs end to end, on the small pack of the golden bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from wirelab.codecs.bench import measure_codecs
from wirelab.codecs.pack import Pack
from wirelab.model.codec_result import CodecComparison
from wirelab.model.errors import BadInput
from wirelab.system import binaries

pytestmark = pytest.mark.quiet
MESSAGES = [{"a": 150, "b": "testing"}, {"f": None, "e": [1, 2, 3]}]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in MESSAGES))
    return path


@pytest.fixture(scope="module")
def comparison(golden_pack: Pack, corpus: Path, pack_cache: Path) -> CodecComparison:
    assert golden_pack.codecs
    return measure_codecs(corpus, pack_schemas.GOLDEN, repeats=3, seed=1, seconds_per=0.002, cache=pack_cache)


def test_every_codec_has_sizes_times_and_versions(comparison: CodecComparison) -> None:
    assert [codec.format for codec in comparison.codecs] == [
        "json", "cbor", "msgpack", "protobuf", "flatbuffers", "avro"
    ]  # fmt: skip
    assert comparison.messages == 2
    assert comparison.same_content
    for codec in comparison.codecs:
        assert not codec.failed
        assert codec.version
        assert len(codec.sizes.per_message) == 2
        assert {"serialize", "deserialize"} <= {timing.phase for timing in codec.timings}
        for timing in codec.timings:
            assert timing.time.replicates == 3
            assert 0 < timing.time.low <= timing.time.value <= timing.time.high or timing.phase == "access"


def test_the_total_is_serialize_and_deserialize_together(comparison: CodecComparison) -> None:
    for codec in comparison.codecs:
        parts = [codec.timing(phase) for phase in ("serialize", "deserialize")]
        assert codec.total is not None
        assert codec.total.value == pytest.approx(sum(part.time.value for part in parts if part))


def test_only_codecs_with_library_objects_populate_and_only_flatbuffers_has_access(
    comparison: CodecComparison,
) -> None:
    with_phase = {
        phase: [codec.format for codec in comparison.codecs if codec.timing(phase)]
        for phase in ("populate", "access", "access_validated")
    }
    assert with_phase == {
        "populate": ["protobuf"],
        "access": ["flatbuffers"],
        "access_validated": ["flatbuffers"],
    }


def test_losses_of_the_round_trip_are_named_with_path_and_example(comparison: CodecComparison) -> None:
    found = {
        codec.format: [(loss.path, loss.kind, loss.message) for loss in codec.round_trip]
        for codec in comparison.codecs
    }
    assert found["json"] == found["cbor"] == found["msgpack"] == []
    assert found["protobuf"] == found["flatbuffers"] == [("$.f", "null became absent", 1)]
    assert ("$.f", "absent became null", 0) in found["avro"]


def test_a_format_or_a_full_name_picks_codecs_and_an_unknown_one_is_refused(
    corpus: Path, pack_cache: Path
) -> None:
    picked = measure_codecs(
        corpus, pack_schemas.GOLDEN, ["avro", "protobuf/prost"], 1, seconds_per=0.002, cache=pack_cache
    )
    assert [codec.name for codec in picked.codecs] == ["avro/serde_avro_fast", "protobuf/prost"]
    with pytest.raises(BadInput, match="format 'exi': unknown for this payload"):
        measure_codecs(corpus, pack_schemas.GOLDEN, ["exi"], cache=pack_cache)


def test_a_corpus_that_contradicts_the_schema_is_refused_with_its_line(
    tmp_path: Path, pack_cache: Path
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"a":1}\n{"a":"one"}\n')
    with pytest.raises(BadInput, match="corpus line 2"):
        measure_codecs(path, pack_schemas.GOLDEN, cache=pack_cache)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("describe", "/nonexistent.so"), "codec pack /nonexistent.so: "),
        (("sizes", "{pack}", "/nonexistent.jsonl"), "corpus /nonexistent.jsonl: "),
        (("sizes", "{pack}", "/dev/null"), "corpus /dev/null: has no messages"),
        (
            ("sizes", "{pack}", "{corpus}", "--codec", "xml/none"),
            "codec xml/none: not in this pack; it has json",
        ),
        (("bench", "{pack}", "{corpus}", "--seconds-per", "0"), "--seconds-per 0: must be above zero"),
    ],
)
def test_the_bench_refuses_bad_input_in_one_sentence_with_exit_code_3(
    golden_pack: Pack, corpus: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    words = [word.format(pack=golden_pack.path, corpus=corpus) for word in arguments]
    done = subprocess.run(
        [binaries.find("wirelab-codec"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr.startswith(f"wirelab-codec: {sentence}")
    assert done.stderr.count("\n") == 1
