"""The output of `codecs` and `devices`: one format printed, all of them written to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from wirelab.report import rendering


def show_views(
    stem: str, view: str, out: Path | None, text: Callable[[], None], files: Mapping[str, Callable[[], str]]
) -> None:
    """Print one view; `text` prints its own.

    With `out`, write all `files` there. Their keys are endings; html is one of them.
    """
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
