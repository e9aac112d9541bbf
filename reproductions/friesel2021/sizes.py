"""Mean bytes of the objects by format, encoded by libraries on this machine.

JSON, CBOR, MessagePack, Protobuf and Avro: the encoders of the size preview. Thrift's binary
protocol: thriftpy2. Cap'n Proto, packed: its own `capnp convert`. BSON and UBJSON: nlohmann's JSON
(sizes.cpp).
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

from wirelab.codecs.formats import formats
from wirelab.codecs.message_trees import message_trees
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import Schema
from wirelab.schema.emitters import capnp, thrift

ENCODED = ("json", "cbor", "msgpack", "protobuf", "avro")
NLOHMANN = Path("/usr/include/nlohmann/json.hpp")


class Object(Struct, frozen=True):
    """One object of the study: its own schema, one message without null, maps and timestamps."""

    name: str
    schema: Schema
    message: Any


def mean_sizes(found: Sequence[Object]) -> dict[str, float]:
    """Mean bytes of an object by format.

    A format whose library or program is not installed is absent.
    """
    sizes = {name: [_encoded(name, one) for one in found] for name in ENCODED}
    if find_spec("thriftpy2"):
        sizes["thrift"] = [_thrift(one) for one in found]
    if shutil.which("capnp"):
        sizes["capnp"] = [_capnp(one) for one in found]
    if NLOHMANN.exists() and shutil.which("g++"):
        sizes["bson"], sizes["ubjson"] = _bson_and_ubjson(found)
    return {name: sum(each) / len(each) for name, each in sizes.items()}


def _encoded(name: str, one: Object) -> int:
    encoder = formats()[name].encoder
    assert encoder is not None
    return len(encoder(one.schema)(one.message))


def _tree(one: Object) -> Any:
    return message_trees(one.schema, lambda _: None, numbered=True)(one.message)


def _thrift(one: Object) -> int:
    from thriftpy2.parser.parser import parse_fp  # noqa: PLC0415  (in an extra)
    from thriftpy2.protocol.binary import TBinaryProtocolFactory  # noqa: PLC0415
    from thriftpy2.protocol.json import struct_to_obj  # noqa: PLC0415
    from thriftpy2.utils import serialize  # noqa: PLC0415

    schema = numbered(one.schema)
    module = parse_fp(io.StringIO(thrift.emit(schema)), "object_thrift", enable_cache=False)
    struct = getattr(module, thrift.tables(schema).root)()
    return len(serialize(struct_to_obj(_tree(one), struct), TBinaryProtocolFactory()))


def _capnp(one: Object) -> int:
    schema = numbered(one.schema)
    with tempfile.TemporaryDirectory(prefix="wirelab-schema-") as folder:
        Path(folder, "object.capnp").write_text(capnp.emit(schema), encoding="utf-8")
        command = ["capnp", "convert", "json:packed", "object.capnp", capnp.tables(schema).root]
        text = json.dumps(_tree(one)).encode()
        return len(subprocess.run(command, cwd=folder, input=text, capture_output=True, check=True).stdout)


def _bson_and_ubjson(found: Sequence[Object]) -> tuple[list[int], list[int]]:
    lines = "".join(f"{json.dumps(one.message)}\n" for one in found)
    with tempfile.TemporaryDirectory(prefix="wirelab-sizes-") as folder:
        program = str(Path(folder, "sizes"))
        source = Path(__file__).resolve().with_name("sizes.cpp")
        subprocess.run(["g++", "-std=c++17", "-O0", "-o", program, str(source)], check=True)
        done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    pairs = [line.split() for line in done.stdout.splitlines()]
    return [int(pair[0]) for pair in pairs], [int(pair[1]) for pair in pairs]
