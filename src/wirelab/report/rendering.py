"""Pages: HTML files that open offline, with no script and no remote asset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from wirelab import __version__


def filled(template: str, **values: Any) -> str:
    """A template as text, with wirelab's version; everything from outside is escaped."""
    environment = Environment(
        loader=PackageLoader("wirelab.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(version=__version__, **values)


def put(path: Path, text: str) -> None:
    """Write a file: whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", errors="replace")
    os.replace(part, path)
