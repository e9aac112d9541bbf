"""With an inferred and emitted schema, the official Protobuf library writes the sizes that others
published.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.examples.protobuf_sizes import json_sizes, protobuf_sizes
from wirelab.schema.payload import read


def published(shared_data: Path, document: str, format_name: str) -> int:
    with (shared_data / "reference" / "jviotti_sizes.csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return next(int(r["raw"]) for r in rows if (r["document"], r["format"]) == (document, format_name))


@pytest.mark.parametrize("document", ["openweathermap", "openweatherroadrisk"])
def test_protobuf_and_json_have_the_published_size(shared_data: Path, document: str) -> None:
    corpus = read(shared_data / "payloads" / f"{document}.json")
    assert protobuf_sizes(corpus) == [
        published(shared_data, document, "Protocol Buffers (Binary Wire Format)")
    ]
    # The published file ends in a newline.
    assert [size + 1 for size in json_sizes(corpus)] == [published(shared_data, document, "JSON")]
