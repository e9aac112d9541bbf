"""Hooks of the site: pages from outside docs/, and links to files of the repository that the site
does not hold.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def outside() -> dict[str, str]:
    """Pages of the repository that become pages of the site: path in the repository, path on the
    site.
    """
    readmes = sorted(ROOT.glob("reproductions/*/README.md"))
    pages = {str(page.relative_to(ROOT)): f"reproductions/{page.parent.name}.md" for page in readmes}
    index = ROOT / "reproductions" / "README.md"
    return pages | ({"reproductions/README.md": "reproductions/index.md"} if index.exists() else {})


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages from outside docs/."""
    for source, page in outside().items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:  # noqa: ARG001
    """Lead links to pages of the site there; turn links to other files of the repository into code."""
    places = outside()
    here = page.file.src_uri
    source = next((one for one, place in places.items() if place == here), f"docs/{here}")

    def target(match: re.Match[str]) -> str:
        text, link, anchor = match[1], match[2], match[3] or ""
        path = os.path.normpath(os.path.join(os.path.dirname(source), link))
        place = places.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else "")
        if place and files.get_file_from_path(place):
            return f"[{text}]({os.path.relpath(place, os.path.dirname(here) or '.')}{anchor})"
        return f"`{path}`" if path.endswith(text.strip("`")) else f"{text} (`{path}`)"

    parts = FENCED.split(markdown)
    return "".join(part if FENCED.match(part) else LINK.sub(target, part) for part in parts)
