"""The published JSON Schema of the results.

`python -m wirelab.model.results_schema > docs/reference/results.schema.json` writes it.
"""

from __future__ import annotations

import json
import sys

import msgspec

from wirelab.model.answer import Results


def results_schema() -> str:
    """The schema (JSON Schema 2020-12) of the JSON report, as in docs/."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of a wirelab run",
        "description": "Times in ns, sizes in bytes, shares as fractions; every estimate names its unit.",
        **msgspec.json.schema(Results),
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(results_schema())
