"""NaN and infinities as values: read where a format has them, typed, and written as text in JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path

import fastavro
import pytest

from wirelab.codecs.encoders import cbor, msgpack
from wirelab.codecs.encoders import json as json_bytes
from wirelab.codecs.generator import schema_hash
from wirelab.model.errors import BadInput
from wirelab.model.schema import Float, Schema
from wirelab.schema.check import check
from wirelab.schema.emitters import SUFFIXES, emit
from wirelab.schema.importers import read
from wirelab.schema.inference import infer, infer_with_notes
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.payload import normalised, parse
from wirelab.schema.text import dump, load

NAN = 'root = "R"\n[record.R]\nt = "float nonfinite"\nu = "list<float32 nonfinite|null>?"\n'


def test_the_text_of_a_schema_with_nan_is_read_back() -> None:
    schema = load(NAN)
    assert schema.records[0].fields[0].type == Float(nonfinite=True)
    assert load(dump(schema)) == schema


def test_schemas_without_nan_keep_their_hash() -> None:
    assert schema_hash(load('root="R"\n[record.R]\na="float"\nb="float32|null?"\n')) == "5a2c9b95929ec54a"


def test_lenient_json_with_nan_is_a_float_with_nan() -> None:
    corpus = parse(b'{"t":1}\n{"t":nan}\n{"t":-inf}\n', "p.jsonl", InputOptions(lenient=True))
    found = infer_with_notes(corpus)
    assert found.schema.records[0].fields[0].type == Float(nonfinite=True)
    assert found.notes["P", "t"] == "ints and floats seen; NaN or infinities seen"
    assert normalised(corpus, found.schema) == b'{"t":1.0}\n{"t":"NaN"}\n{"t":"-Infinity"}\n'


@pytest.mark.parametrize(
    ("data", "form"),
    [
        ("a16174f97e00 a16174f97c00", "cbor"),
        ("81a174cb7ff8000000000000 81a174cb7ff0000000000000", "msgpack"),
        ("1000000001740000 0000000000f87f00 1000000001740000 0000000000f07f00", "bson"),
    ],
)
def test_nan_of_a_binary_format_is_a_float(data: str, form: str) -> None:
    corpus = parse(bytes.fromhex(data), "p.bin", InputOptions(format=form))
    assert normalised(corpus, infer(corpus)) == b'{"t":"NaN"}\n{"t":"Infinity"}\n'


def test_nan_of_an_avro_file_is_a_float() -> None:
    stream = io.BytesIO()
    kind = {"type": "record", "name": "R", "fields": [{"name": "t", "type": "double"}]}
    fastavro.writer(stream, kind, [{"t": float("nan")}])
    corpus = parse(stream.getvalue(), "p.avro")
    assert normalised(corpus, infer(corpus)) == b'{"t":"NaN"}\n'


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        (b'{"a": "NaN", "b": ["-Infinity", 1]}', "p.json"),
        (bytes.fromhex("0d0000c07f 1210 000000000000f0ff 000000000000f03f"), "p.pb"),
    ],
)
def test_nan_of_protobuf_is_a_float_in_json_and_in_bytes(tmp_path: Path, payload: bytes, name: str) -> None:
    (tmp_path / "m.proto").write_text('syntax = "proto3"; message M { float a = 1; repeated double b = 2; }')
    (tmp_path / name).write_bytes(payload)
    found = read.read(str(tmp_path / name), str(tmp_path / "m.proto"))
    assert 'a = "float32 nonfinite = 1"' in dump(found.schema)
    assert 'b = "list<float nonfinite> = 2"' in dump(found.schema)
    assert "at a: NaN or infinities in messages" in found.notes
    assert found.corpus is not None
    assert normalised(found.corpus, found.schema) == b'{"a":"NaN","b":["-Infinity",1.0]}\n'


def test_a_given_schema_gets_nan_only_where_messages_have_it(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'root = "list<R|float>"\n[record.R]\nx = "float"\ny = "map<tuple<float, string>>"\n'
    )
    (tmp_path / "p.json").write_bytes(b'[{"x": 1.5, "y": {"k": [nan, "a"]}}, 2.5]')
    found = read.read(str(tmp_path / "p.json"), str(tmp_path / "s.toml"), options=InputOptions(lenient=True))
    text = dump(found.schema)
    assert 'root = "list<float|R>"' in text
    assert 'x = "float"\ny = "map<tuple<float nonfinite, string>>"' in text


def test_a_float_without_nan_refuses_it() -> None:
    corpus = parse(b'{"t":nan}', "p.json", InputOptions(lenient=True))
    with pytest.raises(BadInput, match="at t: the schema expects float, found NaN"):
        check(corpus, load('root = "R"\n[record.R]\nt = "float"\n'))


def test_values_of_any_type_have_null_for_nan() -> None:
    corpus = parse(b'{"t":[nan,{"a":inf}]}', "p.json", InputOptions(lenient=True))
    schema = load('root = "R"\n[record.R]\nt = "any"\n')
    assert normalised(corpus, schema) == b'{"t":[null,{"a":null}]}\n'


def test_libraries_without_a_schema_write_what_compiled_codecs_do() -> None:
    schema, message = load(NAN), {"t": "NaN", "u": ["Infinity", None]}
    assert json_bytes(schema)(message) == b'{"t":null,"u":[null,null]}'
    assert cbor(schema)(message).hex() == "a2 6174 f97e00 6175 82 f97c00 f6".replace(" ", "")
    assert msgpack(schema)(message).hex() == "82a174cb7ff8000000000000a17592ca7f800000c0"


@pytest.mark.parametrize("name", SUFFIXES)
def test_every_schema_language_writes_the_floats(name: str) -> None:
    assert "t" in emit(load(NAN), name)


def test_json_schema_says_how_json_here_writes_them() -> None:
    found = json.loads(emit(Schema(Float(nonfinite=True)), "jsonschema"))
    assert found["anyOf"] == [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]
