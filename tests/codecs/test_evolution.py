"""Readers of one version of a schema get messages of another, in real packs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from wirelab.cli.commands.schema import command
from wirelab.codecs.evolution.differences import Difference, differences, kept_values, values
from wirelab.codecs.evolution.exchange import Reading
from wirelab.codecs.evolution.judgement import judge
from wirelab.codecs.evolution.measurement import measure_evolution
from wirelab.codecs.evolution.messages import read_version
from wirelab.model.errors import BadInput
from wirelab.model.evolution import Compatibility, Evolution, ReaderResult
from wirelab.schema.numerals import Numeral
from wirelab.schema.text import load

OLD = 'root = "Status"\n[record.Status]\nid = "int 0..1000"\nnote = "string?"\nname = "string"\n'
NEW = 'root = "Status"\n[record.Status]\nid = "int 0..1000"\nname = "string"\nbattery = "int 0..100?"\n'
MESSAGES = [{"id": 7, "note": "ok", "name": "truck"}, {"id": 8, "name": "van", "battery": 40}]


def write(folder: Path, old: str, new: str, messages: list[Any]) -> tuple[str, str, str]:
    paths = [folder / name for name in ("old.toml", "new.toml", "messages.jsonl")]
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    for path, text in zip(paths, (old, new, lines), strict=True):
        path.write_text(text)
    return str(paths[0]), str(paths[1]), str(paths[2])


def evolution(
    folder: Path, formats: list[str], old: str = OLD, new: str = NEW, messages: list[Any] = MESSAGES
) -> Evolution:
    first, second, payload = write(folder, old, new, messages)
    return measure_evolution(read_version(first), read_version(second), [payload], formats)


def results(found: Evolution, writer: str) -> dict[str, ReaderResult]:
    direction = next(one for one in found.directions if one.writer == writer)
    return {row.codec.partition("/")[0]: row for row in direction.results}


def found(expected: Any, read: Any) -> list[tuple[str, str]]:
    return [(one.path, one.kind) for one in differences(expected, read)]


def test_equal_values_are_no_difference() -> None:
    assert found({"a": 1, "b": [True], "c": None}, {"a": 1.0, "b": [1], "d": []}) == []


def test_each_difference_has_its_kind() -> None:
    assert found({"a": 5}, {}) == [("a", "missing")]
    assert found({}, {"a": 0}) == [("a", "default")]
    assert found({}, {"a": {"b": ""}}) == [("a", "default")]
    assert found({}, {"a": 5}) == [("a", "misread")]
    assert found({"a": 0.1}, {"a": 0.10000000149011612}) == [("a", "rounded")]
    assert found({"a": {"b": 80.5}}, {"a": {"b": 40}}) == [("a.b", "misread")]
    assert found({"a": 1}, {"a": "1"}) == [("a", "misread")]
    assert found({"a": [1, 2]}, {"a": [1]}) == [("a", "misread")]
    assert found({"a": [{"b": 1}]}, {"a": [{"b": 2}]}) == [("a[].b", "misread")]
    assert list(differences(0.0, -0.0)) == [Difference("$", "rounded", "0.0", "-0.0")]


def test_digits_of_decimals_count_and_spellings_of_floats_do_not() -> None:
    def found(one: str, other: str) -> list[str]:
        return [each.kind for each in differences(Numeral(one), Numeral(other))]

    assert found("1.50", "1.5") == ["rounded"]
    assert found("0.1234567890123456789", "0.12345678901234568") == ["rounded"]
    assert found("0.0", "-0.0") == ["rounded"]
    assert found("100000000000000.0", "1e14") == found("1.50", "1.50") == []


def test_values_are_counted_where_they_were_written() -> None:
    assert values({"a": 1, "b": [1, "x", None], "c": {}}) == 3
    assert kept_values({"a": 1, "b": [1, "x"]}, {"a": 2, "b": [1, "x", 3], "c": 9}) == 2


def test_what_a_format_loses_without_a_change_is_no_difference() -> None:
    schema = load(OLD)
    own = [Reading(b"abc", {"id": 7, "name": "x"})]
    row = judge("x/y", own, [Reading(b"abc", {"id": 7, "name": "x"})], schema)
    assert (row.verdict, row.bytes, row.kept, row.values) == (Compatibility.OK, 3.0, 2, 2)


def test_a_reader_that_dies_fails_all_messages() -> None:
    own = [Reading(b"abc", {"id": 7, "name": "x"})]
    row = judge("x/y", own, "the process died of SIGABRT", load(OLD))
    assert (row.verdict, row.failed, row.kept) == (Compatibility.FAILS, 1, 0)
    assert row.reason == "the process died of SIGABRT"


def test_an_added_optional_field_is_ignored_by_names_and_numbers(tmp_path: Path) -> None:
    measured = evolution(tmp_path, ["json", "protobuf"])
    assert measured.changes == ("Status.battery added: int 0..100?", "Status.note removed: string?")
    forward = results(measured, "new")
    assert [forward[name].verdict for name in ("json", "protobuf")] == ["ok", "ok"]
    # {"id":8,"name":"van","battery":40}; 08 08, 1a 03 v a n, 20 50: name has number 3, battery 4.
    assert [forward[name].bytes for name in ("json", "protobuf")] == [34.0, 9.0]
    assert [forward[name].kept for name in ("json", "protobuf")] == [2, 2]
    assert measured.directions[0].unread == ("battery",)
    assert measured.directions[0].absent == ("note",)
    back = results(measured, "old")
    assert [back[name].verdict for name in ("json", "protobuf")] == ["ok", "ok"]


@pytest.mark.matrix
def test_formats_by_position_do_not_survive_a_removed_field(tmp_path: Path) -> None:
    formats = ["cbor", "msgpack", "avro", "xdr", "postcard", "flatbuffers", "capnp", "thrift", "bitcode"]
    forward = results(evolution(tmp_path, formats), "new")
    good = {name for name, row in forward.items() if row.verdict == "ok"}
    assert good >= {"cbor", "msgpack", "flatbuffers", "capnp", "thrift"}
    assert {forward[name].verdict for name in ("xdr", "postcard", "bitcode")} <= {"fails", "misread"}


@pytest.mark.matrix
def test_avro_survives_where_the_reader_has_the_schema_of_the_writer(tmp_path: Path) -> None:
    rows = evolution(tmp_path, ["avro"]).directions[0].results
    assert [(row.codec, row.verdict) for row in rows] == [
        ("avro/fastavro[schema=writer]", "ok"),
        ("avro/serde_avro_fast", "fails"),
    ]


@pytest.mark.matrix
def test_an_integer_that_became_a_float_is_misread_or_refused(tmp_path: Path) -> None:
    old = 'root = "S"\n[record.S]\nspeed = "int 0..200"\n'
    new = 'root = "S"\n[record.S]\nspeed = "float"\n'
    messages = [{"speed": 80}, {"speed": 80.5}]
    measured = evolution(tmp_path, ["json", "protobuf", "flatbuffers"], old, new, messages)
    forward = results(measured, "new")
    assert forward["json"].verdict == "fails"
    assert forward["protobuf"].verdict == "fails"
    assert forward["flatbuffers"].verdict == "misread"
    assert results(measured, "old")["json"].verdict == "ok"


@pytest.mark.matrix
def test_a_required_field_that_nobody_wrote_reads_as_a_default(tmp_path: Path) -> None:
    old = 'root = "S"\n[record.S]\nid = "int 0..9"\n'
    new = 'root = "S"\n[record.S]\nid = "int 0..9"\nbattery = "int 0..100"\n'
    measured = evolution(tmp_path, ["json", "protobuf"], old, new, [{"id": 1}])
    back = results(measured, "old")
    assert (back["json"].verdict, back["json"].reason[:23]) == ("fails", "missing field `battery`")
    assert (back["protobuf"].verdict, back["protobuf"].differences[0].kind) == ("loses", "default")


def test_equal_versions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the schemas are equal"):
        evolution(tmp_path, ["json"], new=OLD)


def test_a_payload_that_fits_no_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no message fits the old or the new version"):
        evolution(tmp_path, ["json"], messages=[{"x": 1}])


def test_a_payload_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    old, new, _ = write(tmp_path, OLD, NEW, MESSAGES)
    with pytest.raises(BadInput, match="no such file"):
        measure_evolution(read_version(old), read_version(new), [str(tmp_path / "absent.jsonl")], ["json"])


def test_versions_may_be_payloads_and_json_is_printed(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text('{"id":1}\n{"id":9}\n')
    new.write_text('{"id":2,"name":"a"}\n{"id":30}\n')
    run = CliRunner().invoke(command, ["evolve", str(old), str(new), "--format", "json", "--json", "-q"])
    assert run.exit_code == 0, run.output
    printed = json.loads(run.stdout)
    assert printed["changes"] == ["Old.name added: string?"]
    assert [(one["writer"], one["messages"]) for one in printed["directions"]] == [("new", 2), ("old", 2)]
    assert printed["directions"][0]["results"][0]["verdict"] == "ok"


FREE = """
root = "Node"
[record.Node]
price = "decimal"
extra = "any?"
below = "list<Node>"
"""


def test_recursive_records_any_values_and_decimals_evolve(tmp_path: Path) -> None:
    message = (
        '{"price":1.50,"extra":{"x":[1,null]},"below":[{"price":2.00,"below":[]}],'
        '"next":{"price":0.1234567890123456789,"below":[]},"note":null,"cost":3.00}'
    )
    new = FREE + 'next = "Node?"\nnote = "any?"\ncost = "decimal?"\n'
    (tmp_path / "m.json").write_text(message)
    for name, text in (("old.toml", FREE), ("new.toml", new)):
        (tmp_path / name).write_text(text)
    old, new_version = (read_version(str(tmp_path / name)) for name in ("old.toml", "new.toml"))
    measured = measure_evolution(old, new_version, [str(tmp_path / "m.json")], ["json"])
    forward, back = results(measured, "new")["json"], results(measured, "old")["json"]
    assert (forward.verdict, back.verdict) == ("ok", "ok")
    assert forward.bytes == len(message)
    assert measured.directions[0].unread == ("next", "note", "cost")
