"""`wirelab codecs`: size and time by phase of every format."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.cli.options import beyond_options, levels, quiet_option, schema_option, view_option


@click.command("codecs")
@click.argument("payload", type=click.Path(path_type=Path))
@schema_option
@click.option(
    "--format",
    "formats",
    default="",
    help="Formats, FORMAT/LIBRARY, FORMAT/* or all; the six best known if not given.",
)
@click.option(
    "--language",
    "languages",
    default="rust",
    show_default=True,
    help="Languages of the codecs: rust, cpp, java.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Processes that measure, each on its own.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, 60, min_open=True),
    default=0.05,
    show_default=True,
    help="Seconds per codec and phase in each process.",
)
@click.option("--seed", default=1, show_default=True)
@beyond_options
@view_option
@quiet_option
def command(
    payload: Path,
    schema_file: Path | None,
    numbers: str,
    formats: str,
    languages: str,
    repeats: int,
    seconds: float,
    seed: int,
    compress: str,
    batch: str,
    memory: bool,
    single: bool,
    view: str,
    quiet: bool,
) -> int:
    """Size and time by phase of every format for the messages in PAYLOAD (JSON or JSON Lines)."""
    import msgspec

    from wirelab.codecs.bench import measure_codecs
    from wirelab.codecs.beyond import asked_more
    from wirelab.codecs.in_memory import in_memory
    from wirelab.codecs.preview import preview_sizes
    from wirelab.codecs.table import codec_rows
    from wirelab.report import csv, markdown, terminal, terminal_codecs
    from wirelab.report.progress import progress
    from wirelab.studies.prepare import read_subject

    more = asked_more(levels(compress), levels(batch), memory, single)
    subject = read_subject(str(payload), str(schema_file or ""), numbers)
    for note in subject.notes:
        click.echo(f"note: {note}", err=True)
    if not quiet:
        chosen = [] if formats in ("", "all") else levels(formats)
        previews = preview_sizes(subject.corpus.messages, subject.schema, chosen)
        click.echo(terminal.preview_text(previews), err=True)
    with in_memory(subject.normalised) as corpus, progress("compiling and timing the codecs", quiet):
        comparison = measure_codecs(
            corpus,
            subject.schema,
            levels(formats),
            repeats,
            seed,
            languages=levels(languages),
            seconds_per=seconds,
            more=more,
        )
    rows = codec_rows(comparison)
    if view == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(comparison)).decode())
    elif view == "text":
        terminal_codecs.print_codecs(rows, terminal.plain_console())
    else:
        click.echo(markdown.codecs(rows) + "\n" if view == "md" else csv.codecs(rows), nl=False)
    return 2 if any(result.failed for result in comparison.codecs) else 0
