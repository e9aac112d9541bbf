"""Compile the libraries of all Rust formats in advance: `python -m wirelab.codecs.prebuild`.

Later builds of packs then compile only the code generated from their schema.
"""

from __future__ import annotations

from wirelab.codecs.build import build_pack
from wirelab.schema import payload
from wirelab.schema.inference import infer

SMALLEST = b'{"number":1}\n'

if __name__ == "__main__":
    build_pack(infer(payload.parse(SMALLEST, "smallest.jsonl")), progress=print, asked=("all",))
