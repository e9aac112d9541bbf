"""A made-up study's page: fixed numbers, very long names."""

from __future__ import annotations

from wirelab.model.estimate import Estimate
from wirelab.report.study import Page
from wirelab.studies.claims import CONFIRMED, REFUTED, Checked
from wirelab.studies.published_tables import Drawing, Published, Series, Table
from wirelab.studies.study_file import Deviation

FORMATS = (
    "flatbuffers", "protobuf", "capnp", "avro", "cbor", "smile", "thrift", "json", "capnp-packed", "msgpack", "bson", "xml",
    "ion", "yaml",
)  # fmt: skip


def times(joined: bool) -> Table:
    """14 formats, 1 us, 2 us ... each, with what was published for the first."""
    found = [Estimate(1e3 * n, 0.9e3 * n, 1.1e3 * n, "ns", 5, 50, "t") for n in range(1, 15)]
    rows = [(name, [str(one)]) for name, one in zip(FORMATS, found, strict=True)]
    marks = [Published(1.5e3, 1.5e3, 0, "published: <flatbuffers>")]
    drawing = Drawing("median time", "ns", "format", FORMATS, [Series("here", found)], marks, joined)
    return Table("Serializing <fast>", ["median"], rows, "Table 1", "format", drawing)


PAGE = Page(
    "made-up2026",
    "About | formats",
    "A. Author",
    "Which is <fastest>?",
    [Deviation("a <machine>", "this one", "slower")],
    [
        Checked("a < b", CONFIRMED, "3 against 4", "", ("a 1", "b 2"), "Table 1"),
        Checked("c", REFUTED, "6", "contradicted: c (5) < d (4)", ("c 5", "d 4", "e 3", "f 2")),
    ],
    [times(joined=False), Table("Opened", ["small"], [("capnp", ["20 ns"])], corner="format")],
    "wirelab reproduce made-up2026",
    took_s=12.0,
)
