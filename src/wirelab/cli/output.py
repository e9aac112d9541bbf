"""What `codecs` and `devices` do with what they found: print it in one shape, and write it in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from wirelab.report import rendering


def show_views(
    stem: str, view: str, out: Path | None, text: Callable[[], None], files: Mapping[str, Callable[[], str]]
) -> None:
    """Print one view; `text` prints its own. With `out` write every one of `files`, keyed by ending and html among them, there."""
    if view == "text":
        text()
    else:
        click.echo(files[view](), nl=False)
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    for ending, content in files.items():
        rendering.put(out / f"{stem}.{ending}", content())
    click.echo(f"report: {out / f'{stem}.html'}", err=True)
