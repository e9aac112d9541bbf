"""The answer and every trial behind it as JSON; its schema is docs/reference/results.schema.json."""

from __future__ import annotations

import msgspec

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer, Results


def text(answer: Answer, view: StoreView) -> str:
    """Indented JSON with a newline at its end."""
    plain = msgspec.json.encode(Results(answer, tuple(view.results())))
    return msgspec.json.format(plain, indent=1).decode() + "\n"
