"""`wirelab codecs`: size and time by phase of every format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wirelab.cli.grouped_help import OUTPUT
from wirelab.cli.options import grouped_command, option, out_option, quiet_option, view_option
from wirelab.cli.study_options import levels, study_options
from wirelab.model.errors import BadInput
from wirelab.model.study import MATRIX, NETWORK, STATISTICS

if TYPE_CHECKING:
    from wirelab.model.answer import CodecRow
    from wirelab.model.codec_result import CodecComparison


@grouped_command("codecs")
@click.argument("payload", type=click.Path(path_type=Path))
@study_options(
    "schema",
    "proto_path",
    "input_format",
    "lenient",
    "narrow_floats",
    "kinds",
    "compress",
    "batch_size",
    "memory",
    "call_latency",
)
@option(
    "--format",
    "formats",
    group=MATRIX,
    default="",
    metavar="FORMAT,...",
    help="Formats: a format, FORMAT/LIBRARY, FORMAT/* or all [default: the six best known].",
)
@option(
    "--language",
    "languages",
    group=MATRIX,
    metavar="LANGUAGE,...",
    default="rust",
    show_default=True,
    help="Languages of the codecs: rust, cpp, java.",
)
@option(
    "--replicates",
    group=STATISTICS,
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Measuring processes at most, one after another.",
)
@option(
    "--precision",
    group=STATISTICS,
    metavar="SHARE",
    default="5%",
    show_default=True,
    help="Give a codec no further process, from three on, once its interval is this narrow to each side; 0: never.",
)
@option(
    "--seconds",
    group=STATISTICS,
    type=click.FloatRange(0, 60, min_open=True),
    default=0.05,
    show_default=True,
    help="Measuring time per codec and phase in each process.",
)
@option("--seed", group=STATISTICS, default=1, show_default=True, help="Seed of the order of measuring.")
@option(
    "--link",
    "links",
    group=NETWORK,
    multiple=True,
    metavar="LINK",
    help="Also compute the time to cross this link; repeat for more.",
)
@option(
    "--rank-by",
    group=OUTPUT,
    type=click.Choice(("both", "size", "link")),
    default="both",
    show_default=True,
    help="Order by serialize + deserialize, by size, or by the time over the first --link.",
)
@out_option("codecs")
@view_option
@quiet_option
def command(
    payload: Path,
    given: dict[str, Any],
    formats: str,
    languages: str,
    replicates: int,
    precision: str,
    seconds: float,
    seed: int,
    links: tuple[str, ...],
    rank_by: str,
    out: Path | None,
    view: str,
    quiet: bool,
) -> int:
    """Measure the size and the times of every format for the messages in PAYLOAD."""
    from msgspec.structs import replace

    from wirelab.advice.codec_ranking import rank_codecs
    from wirelab.advice.link_projection import OVER, over_link
    from wirelab.codecs.bench import measure_codecs
    from wirelab.codecs.codec_table import codec_rows
    from wirelab.codecs.extra_metrics import select_metrics
    from wirelab.codecs.memfd import in_memory
    from wirelab.codecs.preview import preview_sizes
    from wirelab.lab.environment import origin
    from wirelab.lab.link import show
    from wirelab.model.codec_result import TOTAL, RankedCodec
    from wirelab.model.units import fraction
    from wirelab.report import terminal
    from wirelab.report.progress import progress
    from wirelab.studies.preparation import read_subject
    from wirelab.studies.toml_reader import from_table

    if rank_by == "link" and not links:
        raise BadInput("--rank-by link", "no link given", "add one, such as --link lte-m")
    narrow = fraction(precision)
    shown = {link: show(link) for link in links}
    study = from_table({"payload": str(payload), **given}, "codecs")
    more = select_metrics(study.compress, study.batch_size, study.memory, study.call_latency)
    subject = read_subject(study)
    for note in subject.notes:
        click.echo(f"note: {note}", err=True)
    if not quiet:
        chosen = [] if formats in ("", "all") else levels(formats)
        previews = preview_sizes(subject.corpus.messages, subject.schema, chosen)
        click.echo(terminal.preview_text(previews), err=True)
    with in_memory(subject.normalised) as corpus, progress("compiling and timing the codecs", quiet) as bar:
        comparison = measure_codecs(
            corpus,
            subject.schema,
            levels(formats),
            replicates,
            seed,
            languages=levels(languages),
            seconds_per=seconds,
            more=more,
            kinds=subject.kinds,
            precision=narrow,
            progress=bar.tell,
        )
    rows = codec_rows(comparison)
    for link, parameters in shown.items():
        rows = over_link(rows, link, parameters)
    by = {"both": TOTAL, "size": "size", "link": f"{OVER}{links[0]}" if links else ""}[rank_by]
    ranked = rank_codecs(rows, by)
    ranking = tuple(RankedCodec(row.codec, row.language, row.place) for row in ranked)
    measured = origin(comparison.toolchain)
    comparison = replace(comparison, ranked_by=by, ranking=ranking, origin=measured)
    _show(payload.name, comparison, ranked, by, view, out)
    return 2 if any(result.failed for result in comparison.codecs) else 0


def _show(
    name: str, comparison: CodecComparison, rows: Sequence[CodecRow], by: str, view: str, out: Path | None
) -> None:
    """Print one view; with `out` write all of them there."""
    import msgspec

    from wirelab.cli.output import show_views
    from wirelab.report import codec_section, csv, markdown, markdown_codecs, terminal, terminal_codecs

    origin = comparison.origin
    console = terminal.plain_console()

    def show_text() -> None:
        terminal_codecs.print_codecs(rows, console, by)
        terminal.print_origin(origin, console)

    files: dict[str, Callable[[], str]] = {
        "json": lambda: msgspec.json.format(msgspec.json.encode(comparison)).decode() + "\n",
        "csv": lambda: csv.codecs(rows, origin),
        "md": lambda: "\n\n".join([markdown_codecs.codecs(rows, by), *markdown.origin_line(origin)]) + "\n",
        "html": lambda: codec_section.page(name, rows, by, origin),
    }
    show_views("codecs", view, out, show_text, files)
