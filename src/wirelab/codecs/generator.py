"""Generates the sources of a Rust codec pack from a schema."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from wirelab.codecs.registry import MODULES
from wirelab.codecs.rust import borrowed_codecs, model, names
from wirelab.codecs.rust.cycles import with_cycles
from wirelab.codecs.rust.declaration import RustCodec
from wirelab.model.errors import BadInput
from wirelab.model.schema import Int, Schema, walk
from wirelab.schema.emitters.common import width
from wirelab.schema.lowering import lowered

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


_USUAL = (b'"nonfinite":false,', b'"coding":"","nullable":false,"type":"any"')
"""Whose first keys the hash leaves out: schemas keep the hash that they had before these keys."""


def schema_hash(schema: Schema) -> str:
    """A short name for a schema: equal for equal schemas."""
    text = msgspec.json.encode(schema, order="sorted")
    for usual in _USUAL:
        text = text.replace(usual, usual.partition(b",")[2])
    return hashlib.sha256(text).hexdigest()[:16]


def generate(schema: Schema, codecs: tuple[RustCodec, ...], describe: str) -> dict[str, str]:
    """The sources of a pack with these codecs, by their path under `src`.

    `compiled` adds the sources that the formats' compilers write. Raises BadInput for a schema that
    no pack supports.
    """
    schema = with_cycles(lowered(schema))
    names.check(schema)
    _check_integers(schema)
    arms = "".join(f"        {_text(c.name)} => Session::<{c.source}>::open(corpus),\n" for c in codecs)
    modules = {codec.module for codec in codecs}
    derived = [MODULES[module].derives for module in sorted(modules) if MODULES[module].derives]
    cyclic = [MODULES[module].cyclic for module in sorted(modules)]
    additions = [add(schema) for add in (MODULES[module].additions for module in sorted(modules)) if add]
    # A module may have more codecs than were selected.
    declared = "\n".join(f"#[allow(dead_code)]\nmod {module};" for module in sorted(modules))
    lib = _LIB.format(modules=declared, arms=arms, describe="c" + _text(describe))
    sources = {"lib.rs": lib, "generated/model.rs": model.module(schema, derived, additions, cyclic)}
    sources |= {f"{module}.rs": MODULES[module].code for module in sorted(modules) if MODULES[module].code}
    for write in [MODULES[module].sources for module in sorted(modules)]:
        if write is not None:
            sources |= {f"generated/{path}": text for path, text in write(schema).items()}
    if any(codec.borrows for codec in codecs):
        sources["generated/borrowed.rs"] = borrowed_codecs.module(schema)
    names_of = [Path(path).stem for path in sources if path.startswith("generated/") and path.endswith(".rs")]
    return sources | {"generated/mod.rs": "".join(map(_DECLARED.format, names_of))}


def compiled(sources: Mapping[str, str]) -> dict[str, str | bytes]:
    """The sources that the formats' compilers write for the schemas of a pack.

    Raises BadInput with the error of a compiler.
    """
    made: dict[str, str | bytes] = {}
    for compiler in [module.compiler for module in MODULES.values() if module.compiler]:
        if (text := sources.get(f"generated/{compiler.schema}")) is not None:
            made[f"generated/{compiler.output}"] = compiler.run(text)
    return made


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
