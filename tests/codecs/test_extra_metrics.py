"""Compression, batches, deltas, single calls and memory: measurements, their messages, and errors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.codecs import pack_schemas
from wirelab.codecs.bench import measure_codecs
from wirelab.codecs.codec_table import codec_rows
from wirelab.codecs.extra_metrics import METHODS, select_metrics
from wirelab.codecs.merge_patch import merge_patch, obstacle, patch_sizes
from wirelab.codecs.pack import Pack
from wirelab.model.codec_result import CodecComparison, Compressed, ExtraMetrics
from wirelab.model.errors import BadInput
from wirelab.model.schema import Field, Int, List, Record, Ref, Schema, String
from wirelab.report import csv, extra_metrics, markdown_codecs
from wirelab.schema.inference import infer
from wirelab.schema.payload import parse

MESSAGES = [
    {"a": index, "b": f"sensor number {index % 3} of the house", "e": [index, 7, index]}
    for index in range(40)
]
CODECS = ("json", "protobuf", "flatbuffers")


@pytest.fixture(scope="module")
def comparison(
    golden_pack: Pack, pack_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> CodecComparison:
    assert golden_pack.codecs
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in MESSAGES))
    return measure_codecs(
        path,
        pack_schemas.GOLDEN,
        CODECS,
        repeats=2,
        seconds_per=0.002,
        cache=pack_cache,
        more=select_metrics(["all"], ["1", "10", "100"], True, True),
    )


@pytest.fixture(scope="module")
def found(comparison: CodecComparison) -> dict[str, ExtraMetrics]:
    return {codec.format: codec.extra_metrics for codec in comparison.codecs}


def cell(one: ExtraMetrics, method: str, batch: int = 1) -> Compressed:
    return next(c for c in one.compressed if (c.method, c.batch) == (method, batch))


@pytest.mark.matrix
def test_everything_is_measured_on_the_half_that_no_dictionary_was_trained_on(
    comparison: CodecComparison, found: dict[str, ExtraMetrics]
) -> None:
    for codec in comparison.codecs:
        plain = cell(codec.extra_metrics, "none").size
        assert plain is not None
        assert plain.n == 20
        assert plain.value == sum(codec.sizes.per_message[20:]) / 20
        dictionary = cell(codec.extra_metrics, "zstd-dict")
        assert dictionary.trained_on == 20
        assert 0 < dictionary.dictionary_bytes <= max(256, sum(codec.sizes.per_message[:20]) // 10)
    json_sizes = [cell(found["json"], method).size for method in ("zstd", "zstd-dict", "zstd-prev")]
    alone, trained, after = [size.value for size in json_sizes if size is not None]
    assert trained < alone
    assert after < alone


@pytest.mark.matrix
def test_a_batch_is_compressed_as_one_and_counted_per_message(found: dict[str, ExtraMetrics]) -> None:
    alone, batch = (cell(found["json"], "gzip", number).size for number in (1, 10))
    assert alone is not None
    assert batch is not None
    assert batch.n == 20
    assert batch.value < alone.value / 2
    framed, plain = (cell(found["json"], "none", number).size for number in (10, 1))
    assert framed is not None
    assert plain is not None
    assert framed.value == plain.value + 1
    assert cell(found["json"], "zstd", 100).skipped == "20 messages are fewer than a batch of 100"


@pytest.mark.matrix
def test_compressed_sizes_have_times_and_uncompressed_ones_have_none(found: dict[str, ExtraMetrics]) -> None:
    for one in found.values():
        for compressed in one.compressed:
            timed = compressed.method not in ("none", "merge-patch") and not compressed.skipped
            assert (compressed.compress is not None) == (compressed.decompress is not None) == timed
            assert not timed or (compressed.compress and compressed.compress.replicates == 2)


@pytest.mark.matrix
def test_only_formats_that_carry_keys_have_a_merge_patch(found: dict[str, ExtraMetrics]) -> None:
    patched = cell(found["json"], "merge-patch").size
    assert patched is not None
    assert (
        patched.value
        == sum(
            len(json.dumps(merge_patch(MESSAGES[i - 1], MESSAGES[i]), separators=(",", ":")))
            for i in range(21, 40)
        )
        / 19
    )
    for form in ("protobuf", "flatbuffers"):
        assert "omits fields" in cell(found[form], "merge-patch").skipped


@pytest.mark.matrix
def test_allocations_of_an_operation_are_counted_exactly(found: dict[str, ExtraMetrics]) -> None:
    counts = {
        (form, one.phase): (one.allocations, one.bytes)
        for form, kept in found.items()
        for one in kept.allocated
    }
    # serde_json writes into a buffer that has grown, and reads a string and a list.
    assert counts["json", "serialize"] == (0, 0)
    # prost's struct takes copies of the string of 28 bytes and the list of three integers.
    assert counts["protobuf", "serialize"] == (2, 40)
    # FlatBuffers is read in place.
    assert counts["flatbuffers", "deserialize"] == (0, 0)
    assert counts["json", "deserialize"][0] >= 2


@pytest.mark.matrix
def test_memory_is_measured_before_and_after_each_direction(found: dict[str, ExtraMetrics]) -> None:
    for one in found.values():
        assert [weighed.phase for weighed in one.resident] == ["", "serialize", "deserialize"]
        for weighed in one.resident:
            assert weighed.peak.n == 9
            assert 2**20 < weighed.peak.low <= weighed.peak.value <= weighed.peak.high < 2**27


@pytest.mark.matrix
def test_single_calls_have_a_median_and_a_tail(found: dict[str, ExtraMetrics]) -> None:
    for one in found.values():
        assert [call.call for call in one.single] == ["encode", "decode"]
        for call in one.single:
            assert 0 < call.p50.value <= call.p99.value
            assert call.clock_ns < 10_000


@pytest.mark.matrix
def test_single_calls_without_a_steady_state_are_noted(comparison: CodecComparison) -> None:
    codec = comparison.codecs[0]
    encode, decode = codec.extra_metrics.single
    moving = replace(
        codec, extra_metrics=replace(codec.extra_metrics, single=(encode, replace(decode, steady=False)))
    )
    rows = codec_rows(replace(comparison, codecs=(codec, moving)))
    assert [row.notes for row in rows] == [(), ("single calls: no steady state (decode)",)]


@pytest.mark.matrix
def test_every_view_shows_them(comparison: CodecComparison) -> None:
    rows = codec_rows(comparison)
    titles = [table.title for table in extra_metrics.tables(rows)]
    assert titles == ["After compression", "In batches of 10, after compression", "Single calls", "Memory"]
    head = csv.codecs(rows).splitlines()[0].split(",")
    for name in (
        "gzip_batch1_bytes",
        "zstd_dict_batch10_compress_ns",
        "zstd_dict_batch1_dictionary_bytes",
        "merge_patch_batch1_bytes",
        "serialize_allocations",
        "deserialize_peak_resident_bytes",
        "single_encode_p99_ns",
    ):
        assert name in head
    assert re.search(
        r"### After compression\n\nper message: bytes, and CPU time; .* the 20 messages",
        markdown_codecs.codecs(rows),
    )
    assert (
        "zstd: 20 messages are fewer than a batch of 100 (json, protobuf, flatbuffers)"
        in extra_metrics.skipped(rows)
    )


@pytest.mark.matrix
def test_extra_metrics_are_measured_only_on_request(
    golden_pack: Pack, pack_cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "c.jsonl").write_text('{"a":1}\n')
    result = measure_codecs(
        tmp_path / "c.jsonl", pack_schemas.GOLDEN, ("json",), 1, seconds_per=0.001, cache=pack_cache
    )
    assert result.codecs[0].extra_metrics == ExtraMetrics()
    assert extra_metrics.tables(codec_rows(result)) == []


@pytest.mark.parametrize(
    ("methods", "batches", "complaint"),
    [(["gzp"], ["1"], "did you mean gzip?"), ([], ["0"], "batch '0': not a number from 1 to 100,000")],
)
def test_unknown_methods_and_batches_are_refused(
    methods: list[str], batches: list[str], complaint: str
) -> None:
    with pytest.raises(BadInput) as caught:
        select_metrics(methods, batches, False, False)
    assert complaint in caught.value.sentence


def test_all_selects_every_method() -> None:
    assert select_metrics(["zstd", "all"], [], False, False).methods == METHODS


# RFC 7396, appendix A, where original and result are objects.
@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"a": "b", "b": "c"}, {"b": "c"}),
        ({"a": "b"}, {}, {"a": None}),
        ({"a": "b", "b": "c"}, {"b": "c"}, {"a": None}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d"}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({}, {"a": {"bb": {}}}, {"a": {"bb": {}}}),
        ({"a": 1}, {"a": 1}, {}),
    ],
)
def test_a_patch_holds_changed_fields_and_null_for_removed_ones(before: Any, after: Any, patch: Any) -> None:
    assert merge_patch(before, after) == patch


def test_a_patch_is_sized_in_the_types_of_the_schema() -> None:
    schema = Schema(
        Ref(name="R"),
        (Record("R", (Field("n", "n", Int(low=0, high=9)), Field("l", "l", List(items=String())))),),
    )
    messages = [{"n": 1, "l": ["a"]}, {"n": 2, "l": ["a"]}, {"n": 2, "l": []}]
    assert patch_sizes("json", schema, messages) == [len('{"n":2}'), len('{"l":[]}')]
    assert patch_sizes("cbor", schema, messages) == [
        len(bytes.fromhex("a1616e02")),
        len(bytes.fromhex("a1616c80")),
    ]
    whole = [len('{"n":1,"l":["a"]}'), len('{"n":2,"l":["a"]}'), len('{"n":2,"l":[]}')]
    assert obstacle("json", schema, [{"n": None}], []) != ""
    assert obstacle("json", schema, messages, whole) == ""
    assert "json.hpp encodes differently" in obstacle(
        "json/json.hpp", schema, messages, [*whole[:2], whole[2] + 1]
    )
    mixed = infer(parse(b'{"n":1}\n{"n":"x"}', "mixed.jsonl"))
    assert obstacle("json", mixed, [], []) == "patches have no such type: int 1..1|string at n"
    assert obstacle("json", Schema(String()), ["a", "b"], []) == "a patch needs messages that are objects"
