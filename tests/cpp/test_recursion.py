"""Recursive records in C++: they come back, and damaged ones are refused before the stack ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas, test_recursion
from tests.codecs.pack_ffi import Library, Refused
from tests.codecs.test_unions import returned_by
from tests.cpp.test_unions import PAIRS
from wirelab.codecs.build import build_pack
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.generator import unit
from wirelab.codecs.cpp.registry import CPP, cpp_codecs
from wirelab.codecs.pack import Pack
from wirelab.schema.text import load

TREE = load("""\
root = "Node"
[record.Node]
name = "string"
value = "int 0..9|string|tuple<int 0..9, Node>|list<Node>|Node|Leaf?"
left = "Node?"
right = "Node|null"
kids = "list<Node>"
named = "map<Node|null>"
pair = "Pair?"
[record.Leaf]
leaf = "bool"
[record.Pair]
of = "tuple<int 0..9, Node|null>"
""")
CODECS = sorted(codec.name for codec in cpp_codecs(TREE)[0])


def node(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "right": None, "kids": [], "named": {}, **more}


def chain(levels: int) -> dict[str, Any]:
    """Nodes inside one another, by two fields in turn."""
    inner = node("end")
    for level in range(levels - 1):
        inner = node(str(level), **{("left", "right")[level % 2]: inner})
    return inner


MESSAGES: list[Any] = [
    node("alone"),
    node("a", value=7, left=node("b", value="x"), right=node("c")),
    node("a", value=[1, node("in a tuple")]),
    node("a", value=[node("in a list", value=node("in a union")), node("b", value={"leaf": True})]),
    node("a", kids=[node("b", kids=[node("c")]), node("d")], named={"k": node("v"), "n": None}),
    node("a", pair={"of": [3, node("b", pair={"of": [4, None]})]}),
    chain(25),
]


@pytest.fixture(scope="module")
def chain_pack(root: Path) -> Pack:
    schema = pack_schemas.CHAIN
    return build_cpp_pack(schema, cpp_codecs(schema)[0], root / "target" / "test-packs")


@pytest.mark.parametrize("name", CODECS)
def test_a_chain_comes_back_at_every_depth_that_a_payload_may_have(chain_pack: Pack, name: str) -> None:
    messages = [test_recursion.chain(levels) for levels in (0, 1, 2, 30, 60)]
    assert returned_by(Library(chain_pack.path, messages), name, len(messages)) == messages


@pytest.mark.parametrize("name", [name for name in CODECS if PAIRS[name] in test_recursion.BYTES])
def test_bytes_of_a_format_are_read_and_ten_thousand_levels_refused(chain_pack: Pack, name: str) -> None:
    session = Library(chain_pack.path, [test_recursion.TWO]).session(name)
    written = test_recursion.BYTES[PAIRS[name]]
    assert session.message(written(2)) == test_recursion.TWO
    assert session.encode(0) == written(2) or name.startswith("flatbuffers")
    for read in (session.decode, session.message):
        with pytest.raises(Refused, match=r"\w+"):
            read(written(10_000))


def test_every_codec_carries_recursive_records() -> None:
    assert set(CODECS) == PAIRS.keys()


def test_a_struct_inside_itself_is_a_reference_in_thrift() -> None:
    thrift = next(codec for codec in CPP if codec.format == "thrift")
    assert "struct T0 {\n  1: optional T0 & f0;\n}\n" in unit(pack_schemas.CHAIN, thrift).text
    assert (
        "struct T0 {\n  1: required i32 f0;\n  2: required string f1;\n}\n"
        in unit(pack_schemas.UGLY, thrift).text
    )


@pytest.mark.matrix
def test_a_field_that_is_missing_behind_a_reference_is_refused(pack: Pack) -> None:
    session = Library(pack.path, [node("a")]).session("thrift/thrift-cpp-binary")
    for refuses in (session.decode, session.message):
        with pytest.raises(Refused, match="a field is missing"):
            refuses(b"\0")


@pytest.mark.matrix
@pytest.mark.parametrize("name", CODECS)
def test_each_language_reads_the_records_of_the_other_with_the_same_checksum(root: Path, name: str) -> None:
    schema, messages, cache = pack_schemas.RECURSIVE, test_recursion.MESSAGES, root / "target" / "test-packs"
    ours = Library(build_cpp_pack(schema, cpp_codecs(schema)[0], cache).path, messages).session(name)
    theirs = Library(build_pack(schema, cache, None, ("all",)).path, messages).session(PAIRS[name])
    # These libraries bound the levels of structs by 64, which the last message has more of.
    is_bounded = name.startswith(("capnp", "flatbuffers"))
    for index in range(len(messages) - is_bounded):
        written, read = ours.encode(index), theirs.encode(index)
        assert theirs.message(written) == ours.message(read)
        assert ours.decode(read) == theirs.decode(written) == theirs.decode(read)


@pytest.fixture(scope="module")
def pack(root: Path) -> Pack:
    return build_cpp_pack(TREE, cpp_codecs(TREE)[0], root / "target" / "test-packs")


@pytest.mark.matrix
@pytest.mark.parametrize("name", CODECS)
def test_every_level_comes_back(pack: Pack, name: str) -> None:
    session = Library(pack.path, MESSAGES).session(name)
    for index, message in enumerate(MESSAGES):
        assert session.message(session.encode(index)) == message


@pytest.mark.matrix
def test_the_checksum_is_the_same_in_every_format(pack: Pack) -> None:
    library = Library(pack.path, MESSAGES)
    sessions = [library.session(name) for name in CODECS]
    for index in range(len(MESSAGES)):
        assert len({one.decode(one.encode(index)) for one in sessions}) == 1


@pytest.mark.matrix
def test_a_record_inside_itself_has_the_bytes_of_its_specification(pack: Pack) -> None:
    library = Library(pack.path, [node("a", left=node("b"))])
    # RFC 4506: text, no value; left is there: text, nothing, nothing, nothing, no kids, no map, no
    # pair; then right, kids, map and pair of the outer one.
    end = "00000000 00000000 00000000 00000000"
    assert library.session("xdr/generated-cpp").encode(0).hex() == (
        f"00000001 61000000 00000000 00000001 00000001 62000000 00000000 00000000 {end} {end}"
    ).replace(" ", "")
    # Field 1 is the name, field 3 the node on the left.
    assert library.session("protobuf/protobuf-cpp").encode(0).hex() == "0a0161" + "1a03" + "0a0162"


@pytest.mark.matrix
def test_levels_are_bounded(pack: Pack) -> None:
    session = Library(pack.path, [node("a")]).session("xdr/generated-cpp")
    down = bytes.fromhex("00000000 00000000 00000001")  # no name, no value, a node on the left
    for refuses in (session.decode, session.message):
        with pytest.raises(Refused, match="a message has more than 192 levels of recursive records"):
            refuses(down * 100_000)


@pytest.mark.matrix
def test_many_levels_of_alternatives_that_only_their_content_tells_apart_are_quick(pack: Pack) -> None:
    inner = node("end")
    for _ in range(20):
        inner = node("", value=[1, inner])
    session = Library(pack.path, [inner]).session("json/rapidjson")
    assert session.message(session.encode(0)) == inner


@pytest.mark.matrix
@pytest.mark.parametrize("name", ["json/rapidjson", "json/jsoncpp", "msgpack/msgpack-cxx", "bson/libbson"])
def test_a_message_of_many_levels_does_not_use_up_the_stack(pack: Pack, name: str) -> None:
    session = Library(pack.path, [node("a")]).session(name)
    opened = b"\x81\xa4left" if name.startswith("msgpack") else b'{"left":'
    for message in (opened * 500_000, b"[" * 1_000_000, b"\x91" * 1_000_000):
        with pytest.raises(Refused, match=r"\w+"):
            session.decode(message)
