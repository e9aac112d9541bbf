"""Java codecs are timed in every phase; unsupported ones are skipped with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from tests.java.conftest import write_corpus
from wirelab.codecs.bench import measure_codecs
from wirelab.codecs.extra_metrics import MetricSelection
from wirelab.codecs.java import toolchain
from wirelab.model.errors import BadInput

pytestmark = pytest.mark.quiet


def test_every_phase_of_a_java_codec_is_timed_and_a_missing_one_is_skipped(
    root: Path, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path, [{"a": 150, "b": "testing"}, {"b": "again"}])
    words = ["protobuf", "flatbuffers", "ubjson"]
    cache = root / "target" / "test-packs"
    found = measure_codecs(
        corpus, pack_schemas.GOLDEN, words, 2, languages=("java",), seconds_per=0.01, cache=cache
    )
    protobuf, flatbuffers, ubjson = found.codecs
    assert (protobuf.name, protobuf.language, protobuf.version) == (
        "protobuf/protobuf-java",
        "java",
        "4.36.2",
    )
    phases = ["populate", "encode", "decode", "convert", "serialize", "deserialize"]
    assert [timing.phase for timing in protobuf.timings] == phases
    assert protobuf.sizes.per_message == (12, 7)
    for timing in (*protobuf.timings, *flatbuffers.timings):
        assert 0 < timing.time.value < 1e9
        assert len(timing.replicates) == 2
    access = flatbuffers.timing("access")
    read = flatbuffers.timing("deserialize")
    assert access is not None
    assert read is not None
    # The fastest of each: other processes lengthen some times.
    assert min(map(min, access.replicates)) < min(map(min, read.replicates))
    assert "UBJSON" in ubjson.skipped
    assert not ubjson.failed
    assert found.same_content
    assert found.toolchain.startswith("openjdk")


def test_an_unknown_language_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="language 'cobol'"):
        measure_codecs(write_corpus(tmp_path, [{}]), pack_schemas.GOLDEN, languages=("cobol",))


def test_a_missing_jdk_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BadInput, match="apt install openjdk-17-jdk-headless maven"):
        toolchain.version()


def test_allocated_bytes_of_a_java_codec_are_counted_in_the_steady_state(root: Path, tmp_path: Path) -> None:
    text = "a text that needs an array of its own"
    corpus = write_corpus(tmp_path, [{"a": 150, "b": text}])
    found = measure_codecs(
        corpus,
        pack_schemas.GOLDEN,
        ["protobuf/protobuf-java"],
        1,
        languages=("java",),
        seconds_per=0.01,
        more=MetricSelection(memory=True),
        cache=root / "target" / "test-packs",
    )
    (protobuf,) = found.codecs
    counted = {one.phase: one for one in protobuf.extra_metrics.allocated}
    assert set(counted) == {"serialize", "deserialize"}
    assert counted["deserialize"].allocations is None
    # The text, its array and the message object, and little more.
    assert len(text) + 60 <= counted["deserialize"].bytes < 1_000
