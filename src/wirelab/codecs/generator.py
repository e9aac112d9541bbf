"""From a schema to the sources of its Rust codec pack."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from wirelab.codecs.registry import CodecSpec
from wirelab.codecs.rust import (
    avro,
    borrowed_codecs,
    capnp,
    flatbuffers,
    model,
    names,
    protobuf,
    thrift,
    upb,
    uper,
)
from wirelab.model.errors import BadInput
from wirelab.model.schema import Int, Schema, walk
from wirelab.schema.emitters import flatbuffers as fbs
from wirelab.schema.emitters.common import width

_LIB = """//! One payload's codec pack, generated from its schema.
{modules}
mod generated;

use wirelab_pack_runtime::abi::SessionHandle;
#[allow(unused_imports)]
use wirelab_pack_runtime::SerdeCodec;
use wirelab_pack_runtime::{{Corpus, Failure, Session}};

use generated::model::Message;

fn open(corpus: &Corpus<Message>, name: &str) -> Result<SessionHandle, Failure> {{
    match name {{
{arms}        _ => Err(format!("there is no codec '{{name}}' in this pack").into()),
    }}
}}

wirelab_pack_runtime::export_pack!(Message, {describe}, open);
"""

_DECLARED = (
    "#[allow(non_snake_case, unused_variables, unused_mut, unused_parens, clippy::all)]\npub mod {};\n"
)

_TABLES = """
#[allow(warnings, clippy::all)]
#[rustfmt::skip]
pub mod {name} {{
    include!({file});
}}
"""


def _protobuf(schema: Schema) -> dict[str, str]:
    return {"protobuf.rs": protobuf.module(schema)}


def _flatbuffers(schema: Schema) -> dict[str, str]:
    compiled = fbs.emit(flatbuffers.compiled_schema(schema))
    return {
        "flatbuffers.rs": flatbuffers.module(schema) + _tables("tables", '"schema_generated.rs"'),
        "schema.fbs": compiled,
    }


def _capnp(schema: Schema) -> dict[str, str]:
    tables = _tables("structs_capnp", 'concat!(env!("OUT_DIR"), "/structs_capnp.rs")')
    return {"capnp.rs": capnp.module(schema) + tables, "structs.capnp": capnp.schema_text(schema)}


def _thrift(schema: Schema) -> dict[str, str]:
    tables = _tables("structs", '"structs.rs"')
    return {"thrift.rs": thrift.module(schema) + tables, "structs.thrift": thrift.schema_text(schema)}


def _upb(schema: Schema) -> dict[str, str]:
    tables = _tables("structs_proto", '"structs.u.pb.rs"')
    return {"upb.rs": upb.module(schema) + tables, "structs.proto": upb.schema_text(schema)}


def _uper(schema: Schema) -> dict[str, str]:
    return {"uper.rs": uper.module(schema)}


def _avro(schema: Schema) -> dict[str, str]:
    return {"schema.avsc": avro.schema_json(schema)}


GENERATED: dict[str, Callable[[Schema], dict[str, str]]] = {
    "protobuf": _protobuf,
    "flatbuffers": _flatbuffers,
    "avro": _avro,
    "capnp": _capnp,
    "thrift": _thrift,
    "upb": _upb,
    "uper": _uper,
}
"""What is written from the schema for a module of the pack, by its path under `generated`."""


def _tables(name: str, file: str) -> str:
    """The module of what an official compiler wrote into a file."""
    return _TABLES.format(name=name, file=file)


def schema_hash(schema: Schema) -> str:
    """A short name for a schema: equal for equal schemas."""
    return hashlib.sha256(msgspec.json.encode(schema, order="sorted")).hexdigest()[:16]


def generate(schema: Schema, codecs: tuple[CodecSpec, ...], describe: str) -> dict[str, str]:
    """The sources of a pack with these codecs, by their path under `src`.

    All but what the formats' compilers write: `compilers.compiled` adds that. Raises BadInput for a schema that no
    pack can carry.
    """
    names.check(schema)
    _check_integers(schema)
    arms = "".join(f"        {_text(c.name)} => Session::<{c.source}>::open(corpus),\n" for c in codecs)
    modules = {codec.module for codec in codecs}
    # A module may have more codecs than were asked for.
    declared = "\n".join(f"#[allow(dead_code)]\nmod {module};" for module in sorted(modules))
    lib = _LIB.format(modules=declared, arms=arms, describe="c" + _text(describe))
    sources = {"lib.rs": lib, "generated/model.rs": model.module(schema, modules)}
    for module in sorted(modules & GENERATED.keys()):
        sources |= {f"generated/{path}": text for path, text in GENERATED[module](schema).items()}
    if any(codec.borrows for codec in codecs):
        sources["generated/borrowed.rs"] = borrowed_codecs.module(schema)
    names_of = [Path(path).stem for path in sources if path.startswith("generated/") and path.endswith(".rs")]
    return sources | {"generated/mod.rs": "".join(map(_DECLARED.format, names_of))}


def _text(text: str) -> str:
    return names.literal(text)


def _check_integers(schema: Schema) -> None:
    fields = [(field.key, field.type) for record in schema.records for field in record.fields]
    for key, kind in [*fields, ("(the message)", schema.root)]:
        for inner in walk(kind):
            if isinstance(inner, Int):
                try:
                    width(inner)
                except ValueError as error:
                    raise BadInput(f"field '{key}'", str(error), "make it a float or a string") from error
