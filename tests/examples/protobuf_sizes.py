"""Sizes of the shipped examples in JSON and Protobuf, by the official Protobuf compiler and
library.

python -m tests.examples.protobuf_sizes
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from wirelab.model.schema import Ref, Schema
from wirelab.schema.corpus import Corpus
from wirelab.schema.emitters import emit
from wirelab.schema.emitters.protobuf import tables
from wirelab.schema.importers.protobuf_files import compiled
from wirelab.schema.inference import infer
from wirelab.schema.payload import parse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def protobuf_sizes(corpus: Corpus) -> list[int]:
    """The encoded size in bytes of every message, with the schema inferred from the corpus."""
    from google.protobuf import json_format

    schema = infer(corpus)
    message = _message_class(schema)
    is_record = isinstance(schema.root, Ref)
    encoded = []
    for value in corpus.messages:
        native = json_format.ParseDict(value if is_record else {"value": value}, message())
        encoded.append(len(native.SerializeToString()))
    return encoded


def json_sizes(corpus: Corpus) -> list[int]:
    """The compact size in bytes of every message."""
    return [len(json.dumps(value, separators=(",", ":")).encode()) for value in corpus.messages]


def _message_class(schema: Schema) -> Any:
    from google.protobuf import message_factory

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.proto")
        path.write_text(emit(schema, "protobuf"), encoding="utf-8")
        return message_factory.GetMessageClass(compiled(path).message_types_by_name[tables(schema).root])


def table() -> str:
    """The table of examples/README.md."""
    rows = [
        "| file | messages | JSON mean (min-max) | Protobuf mean (min-max) | ratio |",
        "|---|---:|---:|---:|---:|",
    ]
    for name in ("vehicle-status.jsonl", "small.jsonl", "sensor.jsonl"):
        corpus = parse((EXAMPLES / name).read_bytes(), name)
        wide, slim = json_sizes(corpus), protobuf_sizes(corpus)
        ratio = statistics.mean(wide) / statistics.mean(slim)
        rows.append(f"| `{name}` | {len(wide)} | {_range(wide)} | {_range(slim)} | {ratio:.1f} |")
    return "\n".join(rows) + "\n"


def _range(sizes: list[int]) -> str:
    return f"{statistics.mean(sizes):,.0f} B ({min(sizes):,}-{max(sizes):,})"


if __name__ == "__main__":
    print(table(), end="")
