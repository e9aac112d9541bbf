"""`wirelab adopt`: a row of a run as files to start from."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.cli.grouped_help import OUTPUT
from wirelab.cli.options import grouped_command, option


@grouped_command("adopt")
@click.argument("run", type=click.Path(path_type=Path))
@option(
    "--row", group=OUTPUT, type=int, default=1, show_default=True, help="Row of the ranking, 1 is the first."
)
@option(
    "-o", "--out", group=OUTPUT, type=click.Path(path_type=Path), help="Write the files to this directory."
)
def command(run: Path, row: int, out: Path | None) -> int:
    """Print a row of the run in directory RUN as files to start from.

    They are the schema, the client's options as measured, a program for some client libraries, and
    the server's settings. Over several links, rows count in the ranking over all of them.
    """
    import msgspec

    from wirelab.cli.run_answer import answer_of
    from wirelab.model.errors import BadInput
    from wirelab.model.study import Study
    from wirelab.report.adoption import adopt
    from wirelab.store.run import RunStore

    with RunStore.open(run) as store:
        found = answer_of(store, msgspec.convert(store.meta()["study"], Study))
        adopted = adopt(found, {record.trial.id: record for record in store.results()}, row)
    if out is None:
        click.echo(adopted.markdown, nl=False)
        return 0
    taken = [name for name in adopted.files if (out / name).exists()]
    if taken:
        raise BadInput(f"directory {out}", f"already holds {', '.join(taken)}", "name another with -o")
    out.mkdir(parents=True, exist_ok=True)
    for name, content in adopted.files.items():
        (out / name).write_text(content)
    click.echo("\n".join([adopted.title, *adopted.notes, *(str(out / name) for name in adopted.files)]))
    return 0
