"""Schemas beyond every bound: too deep, too large, in circles. Each ends soon with what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.schema.given_files import given, only, refusal, typed
from wirelab.schema.importers import read

AVDL = "protocol P {{ {} }}"
ASN1 = "M DEFINITIONS AUTOMATIC TAGS ::= BEGIN {} END"
CAPNP = "@0xbf5147cbbecf40c1;\n{}"
CRASHES = "crashes at it; look for types nested too deeply, and for files that include each other"


def chain(text: str, last: str, count: int) -> str:
    return " ".join([*(text.format(at, at + 1) for at in range(count)), last.format(count)])


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("m.avdl", AVDL.format(chain("record A{} {{ A{} x; }}", "record A{} {{ int x; }}", 5000)),
         "m.avdl, at $: more than 4,096 fields or records"),
        ("m.thrift", chain("struct A{} {{ 1: A{} x }}", "struct A{} {{ 1: i32 x }}", 300),
         "nested deeper than 64 levels"),
        ("m.asn1", ASN1.format("M ::= " + "SEQUENCE OF " * 5000 + "INTEGER"),
         "m.asn1: nested too deeply; flatten the types"),
        ("m.asn1", ASN1.format("M ::= SEQUENCE { x A0 } " + chain("A{} ::= A{}", "A{} ::= INTEGER", 80)),
         "m.asn1, at x: names of names, more than 64 deep"),
        ("m.capnp", CAPNP.format("struct M { x @0 :" + "List(" * 10000 + "Int8" + ")" * 10000 + "; }"),
         f"m.capnp: capnp {CRASHES}"),
        ("m.thrift", 'include "m.thrift"\nstruct M { 1: i32 x }', f"m.thrift: thrift {CRASHES}"),
        ("m.avsc", '{"type": "array", "items": ' * 5000 + '"int"' + "}" * 5000, "nested deeper than 64 levels"),
        ("m.json", '{"allOf": [' * 5000 + "{}" + "]}" * 5000, "nested deeper than 64 levels"),
    ],
    ids=["avdl records", "thrift structs", "asn1 lists", "asn1 names", "capnp lists", "thrift circle",
         "avsc arrays", "json allOf"],
)  # fmt: skip
def test_a_schema_without_a_bound_is_refused(tmp_path: Path, name: str, text: str, why: str) -> None:
    assert why in refusal(tmp_path, name, text, {})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.proto", "syntax = 'proto3'; message M { oneof v { "
         + " ".join(f"int32 k{at} = {at + 1};" for at in range(1000)) + " } }", {"k7": 3}),
        ("m.thrift", "union V { " + " ".join(f"{at + 1}: i32 k{at}" for at in range(1000)) + " } struct M { 1: V v }",
         {"v": {"k7": 3}}),
        ("m.avdl", AVDL.format(" ".join(f"record A{at} {{ int k{at}; }}" for at in range(1000)) + "record M { union { "
         + ", ".join(f"A{at}" for at in range(1000)) + " } v; }"), {"v": {"k7": 3}}),
    ],
    ids=["oneof", "thrift", "avro"],
)  # fmt: skip
def test_a_union_of_a_thousand_alternatives_is_read(
    tmp_path: Path, name: str, text: str, message: dict[str, Any]
) -> None:
    assert typed(given(tmp_path, name, text, message)) == [message]


@pytest.mark.parametrize(
    ("names", "texts", "result"),
    [
        (("m.proto", "b.proto"), ('syntax = "proto3"; import "b.proto"; message M { B b = 1; }',
         'syntax = "proto3"; import "m.proto"; message B { int32 x = 1; }'), "File recursively imports itself"),
        (("m.avdl", "b.avdl"), ('protocol P { import idl "b.avdl"; record M { B b; } }',
         'protocol Q { import idl "m.avdl"; record B { int x; } }'), [{"b": {"x": 1}}]),
        (("m.capnp", "b.capnp"), ('@0xbf5147cbbecf40c1; using B = import "b.capnp"; struct M { b @0 :B.B; }',
         '@0xbf5147cbbecf40c2; using M = import "m.capnp"; struct B { x @0 :Int32; }'), [{"b": {"x": 1}}]),
        (("m.json", "b.json"), ('{"$ref": "b.json"}', '{"$ref": "m.json"}'), "a reference that leads to itself"),
        (("m.json", "b.json"), ('{"properties": {"b": {"$ref": "b.json"}}}',
         '{"properties": {"m": {"$ref": "m.json"}, "x": {"type": "integer"}}}'), [{"b": {"x": 1}}]),
    ],
    ids=["proto", "avdl", "capnp", "json", "json within properties"],
)  # fmt: skip
def test_files_that_import_each_other_are_read_or_refused(
    tmp_path: Path, names: tuple[str, str], texts: tuple[str, str], result: list[Any] | str
) -> None:
    (tmp_path / names[1]).write_text(texts[1])
    if isinstance(result, str):
        assert result in refusal(tmp_path, names[0], texts[0], {})
    else:
        assert typed(given(tmp_path, names[0], texts[0], *result)) == result


def test_references_through_many_others_are_refused(tmp_path: Path) -> None:
    names = ", ".join(f'"A{at}": {{"$ref": "#/$defs/A{at + 1}"}}' for at in range(300))
    text = f'{{"$ref": "#/$defs/A0", "$defs": {{{names}, "A300": {{"type": "integer"}}}}}}'
    why = "m.json, at $: a reference that leads to itself, or through more than 64 others"
    assert why in refusal(tmp_path, "m.json", text, {})


@pytest.mark.parametrize("suffix", ["avsc", "avdl", "json", "proto", "thrift", "fbs", "capnp", "asn1"])
def test_a_schema_of_more_than_4_mib_is_refused_before_it_is_parsed(tmp_path: Path, suffix: str) -> None:
    why = f"m.{suffix}: larger than 4 MiB; keep the types that messages have, and leave out the others"
    assert why in refusal(tmp_path, f"m.{suffix}", " " * (4 * 2**20 + 1), {})


def test_types_of_avro_that_name_later_ones_are_read_through_all_of_them(tmp_path: Path) -> None:
    records = [
        f"record P{at} {{ union {{null, P{(at + 1) % 900}}} a; union {{null, P{at * 7 % 900}}} b; }}"
        for at in range(900)
    ]
    (tmp_path / "m.avdl").write_text(AVDL.format(" ".join(records)))
    assert len(read.schema(f"{tmp_path}/m.avdl:P0").schema.records) == 900


def test_a_type_of_avro_may_name_a_later_one(tmp_path: Path) -> None:
    text = AVDL.format(chain("record A{} {{ A{} x; }}", "record A{} {{ int x; }}", 30))
    assert only(tmp_path, "m.avdl", text).count("[record.") == 31


def test_subschemas_that_are_combined_without_bound_are_refused(tmp_path: Path) -> None:
    twice = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(28)}
    text = json.dumps({"$ref": "#/$defs/d0", "$defs": {**twice, "d28": {"type": "integer"}}})
    why = "m.json, at $: it combines more than 20,000 subschemas; correct the schema"
    assert why in refusal(tmp_path, "m.json", text, {})
