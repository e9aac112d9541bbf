"""The schemas of the test packs, and messages that go with them."""

from __future__ import annotations

from typing import Any

from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.schema.text import load


def field(key: str, kind: AnyType, optional: bool = False, name: str = "") -> Field:
    return Field(key, name or key, kind, optional)


# The first six fields have the numbers of the examples in Protobuf's encoding guide.
GOLDEN = Schema(
    Ref(name="Golden"),
    (
        Record("Test1", (field("a", Int(low=0, high=1000)),)),
        Record("Test", (field("a", Int(low=-(2**40), high=2**40)), field("b", String()))),
        Record(
            "Golden",
            (
                field("a", Int(low=0, high=2**64 - 1), optional=True),
                field("b", String(), optional=True),
                field("c", Ref(name="Test1"), optional=True),
                field("d", Int(low=-(2**63), high=2**63 - 1), optional=True),
                field("f", Float(nullable=True), optional=True),
                field("e", List(items=Int(low=0, high=100_000)), optional=True),
                field("compact", Bool(), optional=True),
                field("schema", Int(low=0, high=9), optional=True),
                field("test", Ref(name="Test"), optional=True),
                field("m", Map(values=Int(low=0, high=9)), optional=True),
            ),
        ),
    ),
)
AVRO_BEFORE_TEST, AVRO_AFTER_TEST = "00" * 8, "00"

_INNER = Ref(name="Option")
UGLY = Schema(
    Ref(name="Root"),
    (
        Record("Option", (field("x", Int(low=0, high=5)), field("s", String()))),
        Record("String", ()),
        Record(
            "Root",
            (
                field("first-name", String(), name="first_name"),
                field("first_name", String(), optional=True, name="first_name_2"),
                field("type", Int(low=-5, high=5), optional=True),
                field("self", Int(nullable=True, low=0, high=2**40)),
                field("both", Float(nullable=True), optional=True),
                field("big", Int(low=0, high=2**64 - 1)),
                field("bigs", List(items=Int(low=0, high=2**64 - 1))),
                field("neg", Int(low=-(2**63), high=5)),
                field("grid", List(items=List(items=Int(low=-3, high=9)))),
                field("deep", List(items=List(nullable=True, items=List(items=String(nullable=True))))),
                field("flags", List(items=Bool())),
                field("oflags", List(nullable=True, items=Bool(nullable=True)), optional=True),
                field("opt", _INNER, optional=True),
                field("optn", Ref(name="Option", nullable=True), optional=True),
                field("req", _INNER),
                field("empty", Ref(name="String")),
                field("m", Map(values=Float())),
                field("mm", Map(values=Map(values=Ref(name="Option", nullable=True)))),
                field("mo", Map(values=List(items=_INNER)), optional=True),
                field("mb", Map(values=Base64())),
                field("t", Timestamp()),
                field("ot", Timestamp(nullable=True), optional=True),
                field("ts", List(items=Timestamp())),
                field("b", Base64()),
                field("bs", List(items=Base64(nullable=True))),
                field("f32", Float(bits=32)),
                field("bb", Bool(), optional=True),
                field('ü\n"\\', String(nullable=True), name="u"),
                field("create", Int(low=0, high=1)),
                field("lo", List(items=Ref(name="Option", nullable=True))),
            ),
        ),
    ),
)

FULL: dict[str, Any] = {
    "first-name": "é\r\n<\u20ac\U0001f600",
    "first_name": "another key of the same name",
    "type": -3,
    "self": 5,
    "both": 1e300,
    "big": 2**64 - 1,
    "bigs": [0, 2**64 - 1],
    "neg": -(2**63),
    "grid": [[], [1, -2]],
    "deep": [None, [[], ["a", None]]],
    "flags": [True, False],
    "oflags": [True, None],
    "opt": {"x": 5, "s": "q"},
    "optn": {"x": 1, "s": ""},
    "req": {"x": 0, "s": ""},
    "empty": {},
    "m": {"b": 1.5, "a": 0.1},
    "mm": {"k": {}, "l": {"x": None, "y": {"x": 1, "s": "s"}}},
    "mo": {"z": [{"x": 1, "s": "t"}]},
    "mb": {"k": "Zm9v", "empty": ""},
    "t": "2024-02-29T12:00:00Z",
    "ot": "2024-02-29T12:00:00.120Z",
    "ts": ["1970-01-01T00:00:00Z", "1969-12-31T23:59:59.000000001Z"],
    "b": "Zg==",
    "bs": [None, "", "Zm8="],
    "f32": 0.5,
    "bb": False,
    'ü\n"\\': "x",
    "create": 1,
    "lo": [None, {"x": 2, "s": "u"}],
}
BARE: dict[str, Any] = {
    **{key: FULL[key] for key in ("req", "empty", "big", "t", "f32", "create")},
    **{key: [] for key in ("bigs", "grid", "deep", "flags", "ts", "bs", "lo")},
    **{key: {} for key in ("m", "mm", "mb")},
    **{"first-name": "", "self": None, "neg": 5, "b": "", 'ü\n"\\': None},
}

# More fields than serde's derived code is used for.
_KINDS: tuple[AnyType, ...] = (
    Int(low=0, high=9),
    String(),
    Float(),
    Bool(),
    List(items=String()),
    Ref(name="Part"),
    String(nullable=True),
)
WIDE = Schema(
    Ref(name="Wide"),
    (
        Record("Part", (field("x", Int(low=0, high=5)),)),
        Record(
            "Wide",
            tuple(field(f"k{i}", _KINDS[i % 7], optional=i % 3 == 0, name=f"name_{i}") for i in range(80)),
        ),
    ),
)
_VALUES: tuple[Any, ...] = (7, "text", 0.5, True, ["a", ""], {"x": 3}, "maybe")
WIDE_FULL: dict[str, Any] = {f"k{i}": _VALUES[i % 7] for i in range(80)}
WIDE_BARE: dict[str, Any] = {f"k{i}": None if i % 7 == 6 else _VALUES[i % 7] for i in range(80) if i % 3}


MIXED = load("""\
root = "bool|int 0..100|base64|string|tuple<int 0..9, string>|tuple<string, Point|null, float32>|list<int 0..9|string>|Point|Report|map<int 0..9>"
[record.Point]
x = "int -9..9"
at = "timestamp?"
[record.Report]
id = "int 0..9|string"
value = "bool|float|string?"
limits = "int -5..5|string|list<int 0..9>|null"
both = "float|string|null?"
since = "bool|timestamp"
path = "list<float|list<float>|null>"
named = "map<int 0..9|Point>"
pair = "tuple<float, string|null>"
frame = "tuple<bool, tuple<int 0..9, string>>|null?"
""")
"""Unions and tuples of every kind. The root is a union, so that its bytes stand alone."""

MIXED_REPORT: dict[str, Any] = {
    "id": "a7",
    "value": 0.5,
    "limits": [1, 2],
    "both": 1.5,
    "since": "2024-02-29T23:59:59.123Z",
    "path": [1.0, [2.0, 3.0], None],
    "named": {"a": 3, "b": {"x": -1, "at": "1970-01-01T00:00:00Z"}},
    "pair": [0.5, None],
    "frame": [True, [7, "x"]],
}

CHAIN = load('root = "Chain"\n[record.Chain]\nnext = "Chain?"\n')
RECURSIVE = load("""\
root = "Tree"
[record.Tree]
name = "string"
top = "Node"
[record.Node]
size = "int 0..9"
below = "list<Node>"
next = "Node?"
last = "Node|null"
link = "Link?"
by_name = "map<Node|null>?"
grid = "list<list<Node|null>>?"
[record.Link]
to = "Node|tuple<Link, bool>|string"
""")

FREE = load("""
root = "Order"
[record.Order]
extra = "any?"
amount = "decimal?"
rest = "list<any>?"
prices = "map<decimal|null>?"
""")

NONFINITE = load("""
root = "Reading"
[record.Reading]
t = "float nonfinite"
short = "float32 nonfinite?"
many = "list<float nonfinite|null>?"
by_name = "map<float32 nonfinite>?"
either = "float nonfinite|string?"
maybe = "float nonfinite|null?"
""")
