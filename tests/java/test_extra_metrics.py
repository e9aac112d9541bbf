"""Compression, memory and call latency of Java codecs, in the same columns as for Rust and C++."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.java.conftest import write_corpus
from wirelab.codecs.extra_metrics import measure_extra_metrics, select_metrics
from wirelab.codecs.java.bench import JavaBench
from wirelab.codecs.pack import Pack
from wirelab.model.codec_result import Compressed, ExtraMetrics

pytestmark = pytest.mark.matrix

NAMES = ("json/jackson-databind", "cbor/jackson-dataformat-cbor", "protobuf/protobuf-java")
MESSAGES = [
    {"a": index, "b": f"sensor number {index % 3} of the house", "e": [index, 7, index]}
    for index in range(40)
]


def measured(pack: Pack, corpus: Path, names: tuple[str, ...], **asked: Any) -> dict[str, ExtraMetrics]:
    more = select_metrics(
        asked.get("methods", []), ["1", "10"], asked.get("memory", False), asked.get("single", False)
    )
    runner = JavaBench(pack, str(corpus))
    infos = [pack.codec(name) for name in names]
    return measure_extra_metrics(runner, infos, str(corpus), pack_schemas.GOLDEN, more, 2, 1)


def cell(one: ExtraMetrics, method: str, batch: int = 1) -> Compressed:
    return next(c for c in one.compressed if (c.method, c.batch) == (method, batch))


@pytest.fixture(scope="module")
def compressed(golden_pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> dict[str, ExtraMetrics]:
    corpus = write_corpus(tmp_path_factory.mktemp("corpus"), MESSAGES)
    return measured(golden_pack, corpus, NAMES, methods=["all"])


def test_compression_uses_the_bytes_that_java_encoded(
    golden_pack: Pack, compressed: dict[str, ExtraMetrics], tmp_path: Path
) -> None:
    runner = JavaBench(golden_pack, str(write_corpus(tmp_path, MESSAGES)))
    for name in NAMES:
        (line,) = runner.run("sizes", [golden_pack.codec(name)])
        sizes = json.loads(line)["bytes"]
        plain = cell(compressed[name], "none").size
        assert plain is not None
        assert (plain.value, plain.n) == (sum(sizes[20:]) / 20, 20)
        framed = cell(compressed[name], "none", 10).size
        assert framed is not None
        assert framed.value == plain.value + 1


def test_compression_has_sizes_and_times_for_single_messages_batches_and_dictionaries(
    compressed: dict[str, ExtraMetrics],
) -> None:
    for one in compressed.values():
        for method in ("gzip", "zstd", "zstd-dict"):
            for batch in (1, 10):
                found = cell(one, method, batch)
                assert found.size is not None
                assert found.compress is not None
                assert found.decompress is not None
                assert found.compress.replicates == 2
        assert cell(one, "zstd-dict").trained_on == 20
    sizes = [cell(compressed[NAMES[0]], "gzip", batch).size for batch in (1, 10)]
    assert sizes[0] is not None
    assert sizes[1] is not None
    assert sizes[1].value < sizes[0].value / 2


def test_a_merge_patch_is_computed_only_if_the_library_writes_the_expected_encoding(
    compressed: dict[str, ExtraMetrics],
) -> None:
    assert cell(compressed[NAMES[0]], "merge-patch").size is not None
    # Jackson writes indefinite-length maps in CBOR.
    assert "encodes differently" in cell(compressed[NAMES[1]], "merge-patch").skipped


def test_a_larger_message_raises_the_peak_memory(golden_pack: Pack, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path, [{"b": "small"}, {"b": "large " * 500_000}])
    (one,) = measured(golden_pack, corpus, NAMES[2:], memory=True).values()
    assert [weighed.phase for weighed in one.resident] == ["", "serialize", "deserialize"]
    loaded, *phases = (weighed.peak for weighed in one.resident)
    for peak in phases:
        assert 2**24 < peak.low < peak.high - 2**24
        assert peak.high > loaded.high + 2**24
    assert [counted.phase for counted in one.allocated] == ["serialize", "deserialize"]


def test_single_calls_have_a_median_and_a_99th_percentile(golden_pack: Pack, tmp_path: Path) -> None:
    found = measured(golden_pack, write_corpus(tmp_path, MESSAGES[:3]), NAMES[:2], single=True)
    assert list(found) == list(NAMES[:2])
    for one in found.values():
        assert [call.call for call in one.single] == ["encode", "decode"]
        for call in one.single:
            assert 0 < call.p50.value <= call.p99.value
            assert 0 <= call.clock_ns < call.p50.value
