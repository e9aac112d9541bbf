"""Compile the libraries of every Rust format beforehand: `python -m wirelab.codecs.prebuild`. Later packs only compile what is their schema's own."""

from __future__ import annotations

from wirelab.codecs.build import build_pack
from wirelab.schema import payload
from wirelab.schema.inference import infer

SMALLEST = b'{"number":1}\n'

if __name__ == "__main__":
    build_pack(infer(payload.parse(SMALLEST, "smallest.jsonl")), progress=print, asked=("all",))
