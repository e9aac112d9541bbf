"""The codecs of Rust packs, from `wirelab.codecs.rust.formats`, and the selection of codecs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from wirelab.codecs.codec_spec import CodecSpec, declared, lacks_types
from wirelab.codecs.rust import formats
from wirelab.codecs.rust.borrowed_codecs import holds_text
from wirelab.codecs.rust.declaration import BORROWED, PackModule, RustCodec
from wirelab.model.codec_id import CodecId
from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.model.study import FORMATS
from wirelab.model.suggestions import nearest

MODULES: dict[str, PackModule] = declared(formats, "MODULE", PackModule, "wirelab.rust_codecs")
"""The declaration of each module of a pack, including those of other packages."""


def in_order(codecs: Sequence[RustCodec]) -> tuple[RustCodec, ...]:
    """Codecs in display order: formats compared by default first, then by name.

    Within a format, the module of the same name comes first: it has the default codec.
    """
    default = {name: index for index, name in enumerate(FORMATS)}

    def rank(codec: RustCodec) -> tuple[int, str, bool, str]:
        return (
            default.get(codec.format, len(default)),
            codec.format,
            codec.module != codec.format,
            codec.module,
        )

    return tuple(sorted(codecs, key=rank))


_EVERY = in_order([codec for module in MODULES.values() if not module.carries for codec in module.codecs])
RUST = tuple(codec for codec in _EVERY if not codec.is_variant)
"""Codecs with default settings that support every schema."""


def _fresh(codec: RustCodec) -> RustCodec:
    """The codec with new buffers for each message."""
    setting = {"buffer": "fresh for each message"}
    source = f"wirelab_pack_runtime::FreshBuffers<{codec.source}>"
    return codec.other(f"{codec.library}[buffer=fresh]", setting, source=source)


def _borrowing(codec: RustCodec) -> RustCodec:
    """The codec whose decoded strings stay in the message's bytes."""
    library = codec.source.removeprefix("SerdeCodec<").removesuffix(">")
    source = f"wirelab_pack_runtime::Borrowing<{library}, generated::borrowed::Message>"
    name = f"{codec.library}[strings=borrowed]"
    return codec.other(
        name, {"strings": BORROWED}, source=source, unions=False, recursion=False, free_types=False
    )


VARIANTS = (
    *(codec for codec in _EVERY if codec.is_variant),
    *(_fresh(codec) for codec in RUST if codec.options["buffer"] == "reused"),
    *(_borrowing(codec) for codec in RUST if codec.lends),
)
"""Codecs with a non-default setting: measured only if named in full."""


def codecs_for(schema: Schema) -> tuple[RustCodec, ...]:
    """The codecs that support a schema on this machine."""
    left = skipped(schema)
    special = [
        codec
        for module in MODULES.values()
        if module.carries and module.carries(schema)
        for codec in module.codecs
    ]
    every = (*RUST, *VARIANTS, *special)
    has_text = holds_text(schema)
    return tuple(codec for codec in every if codec.name not in left and (has_text or not codec.borrows))


def skipped(schema: Schema) -> dict[str, str]:
    """The codecs that cannot be used here, or not for this schema: name -> reason."""
    absent = {name: why for module in MODULES.values() for name, why in module.absent.items()}
    lacking = {codec.name: _unfit(codec, schema) for codec in (*RUST, *VARIANTS)}
    return {name: why for name, why in lacking.items() if why} | absent


def _unfit(codec: RustCodec, schema: Schema) -> str:
    """Why a codec cannot be used; "" if it can."""
    module = MODULES[codec.module]
    missing = module.compiler.missing if module.compiler else ""
    lacking = missing or lacks_types(codec, schema)
    return lacking or (module.unsupported(schema) if module.unsupported else "")


def left_out(schema: Schema) -> tuple[str, ...]:
    """A note for each default format without a codec for this schema: its reason."""
    fit = {codec.format for codec in codecs_for(schema)}
    reasons = {CodecId.parse(name).format: why for name, why in reversed(skipped(schema).items())}
    return tuple(f"{name} is left out: {reasons[name]}" for name in FORMATS if name in reasons.keys() - fit)


def select(
    asked: Sequence[str], known: Sequence[str], left: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """The codecs in `known` that words select, in the order of the words.

    A format selects its first codec, `format/*` all of its codecs, and `all` every codec. The last
    two leave out codecs with another setting (`library[setting=value]`). Without words, the default
    formats and `raw` are selected. Raises BadInput for a word that selects nothing, with the reason
    if `left` has one for the codec.
    """
    ids = {name: CodecId.parse(name) for name in known}
    chosen: list[str] = []
    for word in asked or (*FORMATS, "raw"):
        found = [
            name for name, id_ in ids.items() if not id_.is_variant and word in ("all", f"{id_.format}/*")
        ]
        found = found or [name for name in known if name == word]
        found = found or [name for name, id_ in ids.items() if id_.format == word][:1]
        if not found and asked:
            reasons = [why for name, why in left.items() if word in (name, CodecId.parse(name).format)]
            if reasons:
                raise BadInput(f"format '{word}'", reasons[0], "choose another format")
            formats = {id_.format for id_ in ids.values()}
            raise BadInput(
                f"format '{word}'", "unknown for this payload", nearest(word, formats.union(known))
            )
        chosen += [name for name in found if name not in chosen]
    return tuple(chosen)


__all__ = ["MODULES", "RUST", "VARIANTS", "CodecSpec", "codecs_for", "left_out", "select", "skipped"]
