"""Sizes of the shipped examples in JSON and Protobuf, by the official Protobuf compiler and library.

python -m tests.examples.protobuf_sizes
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from wirelab.model.schema import Ref, Schema
from wirelab.schema.corpus import Corpus
from wirelab.schema.emitters import emit
from wirelab.schema.emitters.protobuf import tables
from wirelab.schema.inference import infer
from wirelab.schema.payload import parse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def protobuf_sizes(corpus: Corpus) -> list[int]:
    """The encoded size in bytes of every message, with the schema inferred from the corpus."""
    from google.protobuf import json_format

    schema = infer(corpus)
    message = getattr(_compiled(schema), tables(schema).root)
    is_record = isinstance(schema.root, Ref)
    encoded = []
    for value in corpus.messages:
        native = json_format.ParseDict(value if is_record else {"value": value}, message())
        encoded.append(len(native.SerializeToString()))
    return encoded


def json_sizes(corpus: Corpus) -> list[int]:
    """The compact size in bytes of every message."""
    return [len(json.dumps(value, separators=(",", ":")).encode()) for value in corpus.messages]


def _compiled(schema: Schema) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "m.proto").write_text(emit(schema, "protobuf"), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "grpc_tools.protoc",
            f"-I{folder}",
            f"--python_out={folder}",
            "m.proto",
        ]
        subprocess.run(command, check=True, cwd=folder)
        # The descriptor pool knows a file by name and content, so that each schema needs its own pool.
        source = (Path(folder) / "m_pb2.py").read_text(encoding="utf-8")
        source = source.replace("_descriptor_pool.Default()", "_descriptor_pool.DescriptorPool()")
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("m_pb2", None))  # type: ignore[arg-type]
        exec(source, module.__dict__)
        return module


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
