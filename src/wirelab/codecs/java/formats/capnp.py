"""Cap'n Proto through the library capnproto-java, unpacked and packed."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java import capnp
from wirelab.codecs.java.declaration import ACCESSED, BOUND, READ, JavaFormat

_CAPNP = CodecSpec(
    "capnp",
    "capnproto-java",
    "runtime",
    "new wirelab.pack.cp.CapnpCodec(false)",
    ACCESSED,
    {"buffer": "new for each message", **READ, "packing": "no"},
    unions=True,
    recursion=True,
    free_types=True,
)
FORMAT = JavaFormat(
    codecs=(
        _CAPNP,
        _CAPNP.other(
            "capnproto-java-packed",
            {"packing": "yes"},
            source=_CAPNP.source.replace("false", "true"),
            phases=BOUND,
        ),
    ),
    sources=capnp.sources,
    unsupported=lambda _: capnp.missing_generator(),
)
