"""`wirelab report`: every view of a run, rebuilt from its store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wirelab.cli.options import grouped_command, view_option
from wirelab.cli.study_options import study_options


@grouped_command("report")
@click.argument("run", type=click.Path(path_type=Path))
@study_options("thresholds", "rank_by", "rank_floors", defaults=False)
@view_option
def command(run: Path, given: dict[str, Any], view: str) -> int:
    """Rebuild every view of the run in directory RUN and print one of them. Nothing is measured.

    --threshold, --rank-by and --rank-floors replace the run's own. RUN may also be a directory of
    reproduced studies: the scores of their claims are printed, and an index.html links their
    reports.
    """
    from wirelab.cli.pipeline import show
    from wirelab.cli.verdicts import show_paper, study_record
    from wirelab.report import study as pages
    from wirelab.store.run import JOURNAL, RunStore

    if not (run / JOURNAL).exists() and pages.summaries(run):
        pages.write_index(run)
        click.echo(pages.scores(run), nl=False)
        return 0
    with RunStore.open(run) as store:
        kept = study_record(store)
        if kept is not None:
            return show_paper(store, kept)
        return show(
            store,
            view,
            tuple(given.get("thresholds", ())),
            tuple(given.get("rank_by", ())),
            given.get("rank_floors", False),
        )
