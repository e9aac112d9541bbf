"""Pages: HTML files that open offline, with no script and no remote asset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wirelab import __version__


def render(template: str, **values: Any) -> Markup:
    """A template as markup, with wirelab's version; everything from outside is escaped.

    `origin` is a line in the head of a page.

    Templates are in `templates/`, and in the folder of a section: `over_time/section.html`.
    """
    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("wirelab.report", folder) for folder in ("templates", "sections")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    known = {"version": __version__, "origin": "", **values}
    return Markup(environment.get_template(template).render(**known))


def render_page(template: str, **values: Any) -> str:
    """A whole page, as plain text: markup would escape later additions."""
    return str(render(template, **values))


def put(path: Path, text: str) -> None:
    """Write a file atomically."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", errors="replace")
    os.replace(part, path)
