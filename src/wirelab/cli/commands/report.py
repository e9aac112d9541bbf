"""`wirelab report`: every view of a run, rebuilt from its store."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.cli.options import levels, view_option


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--need", "needs", multiple=True, help="Judge by these needs instead of the run's own.")
@click.option("--rank-by", default="", help="Rank by these instead of the run's own.")
@view_option
def command(run: Path, needs: tuple[str, ...], rank_by: str, view: str) -> int:
    """Rebuild every view of the run in directory RUN and print one of them. Nothing is measured.

    RUN may also be a directory of studies run again: their claims' scores are printed, and index.html is written over their reports.
    """
    from wirelab.cli.pipeline import show
    from wirelab.cli.verdicts import kept_in, show_paper
    from wirelab.report import study as pages
    from wirelab.store.run import JOURNAL, RunStore

    if not (run / JOURNAL).exists() and pages.summaries(run):
        pages.write_index(run)
        click.echo(pages.scores(run), nl=False)
        return 0
    with RunStore.open(run) as store:
        kept = kept_in(store)
        if kept is not None:
            return show_paper(store, kept)
        return show(store, view, needs=needs or None, objectives=levels(rank_by) or None)
