"""Flags that several commands share in addition to those of a study: output and run."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import Struct

from wirelab.cli.grouped_help import OUTPUT, RUN, GroupedCommand, GroupedOption
from wirelab.model.errors import BadInput

F = TypeVar("F", bound=Callable[..., Any])

VIEWS = ("text", "json", "csv", "md")


def grouped_command(name: str, **attributes: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with grouped help that accepts old spellings."""
    return click.command(name, cls=GroupedCommand, **attributes)


def option(*names: str, group: str, **attributes: Any) -> Callable[[F], F]:
    """An option under a heading of the help."""
    return click.option(*names, cls=GroupedOption, group=group, **attributes)


def view_option(command: F) -> F:
    """`--output-format`: the format of the printed result."""
    return option(
        "--output-format",
        "view",
        group=OUTPUT,
        type=click.Choice(VIEWS),
        default="text",
        show_default=True,
        help="Format of the printed result.",
    )(command)


def quiet_option(command: F) -> F:
    """`--quiet`: no progress."""
    return option("--quiet", "-q", group=OUTPUT, is_flag=True, help="Print the result only, no progress.")(
        command
    )


def out_option(stem: str) -> Callable[[F], F]:
    """`--out`: a directory for every view, as `stem`.html and so on."""
    return option(
        "-o",
        "--out",
        group=OUTPUT,
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help=f"Also write {stem}.html, .md, .csv and .json into this directory.",
    )


ENGINES = ("local", "ray")
_CHOSEN = "wirelab.cli.options."


def _keep(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    ctx.meta[_CHOSEN + str(parameter.name)] = value
    return value


def engine_options(command: F) -> F:
    """`--engine`, `--address`: where trials run. `chosen_engine` reads them, not the command."""
    for decorate in (
        option(
            "--address",
            group=RUN,
            default="",
            callback=_keep,
            expose_value=False,
            metavar="HOST:PORT",
            help="Head node of the Ray cluster [default: the cluster of this machine].",
        ),
        option(
            "--engine",
            group=RUN,
            type=click.Choice(ENGINES),
            default="local",
            show_default=True,
            callback=_keep,
            expose_value=False,
            help="Run trials on this machine or on a Ray cluster (docs/how-to/cluster.md).",
        ),
    ):
        command = decorate(command)
    return command


def chosen_engine() -> tuple[str, str]:
    """`--engine` and `--address` of the running command.

    Raises BadInput for an address that nothing uses.
    """
    meta = click.get_current_context().meta
    engine, address = meta.get(_CHOSEN + "engine", "local"), meta.get(_CHOSEN + "address", "")
    if address and engine == "local":
        raise BadInput(f"--address {address}", "trials run on this machine", "add --engine ray")
    return engine, address


def engine_flags() -> str:
    """`--engine` and `--address` of the running command, after a space; "" for this machine."""
    engine, address = chosen_engine()
    given = ["--engine", engine, *(["--address", address] if address else [])]
    return "" if engine == "local" else f" {shlex.join(given)}"


class RunOptions(Struct, frozen=True):
    """The options of `compare` and `run` for a run and for its output."""

    out: Path | None = None
    resume: Path | None = None
    dry_run: bool = False
    view: str = "text"
    quiet: bool = False


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags of `RunOptions`, passed to the command as `run`, and those of the engine."""

    @functools.wraps(command)
    def called(
        out: Path | None, resume: Path | None, dry_run: bool, view: str, quiet: bool, **values: Any
    ) -> Any:
        return command(run=RunOptions(out, resume, dry_run, view, quiet), **values)

    called = engine_options(called)
    for decorate in (
        option(
            "-o",
            "--out",
            group=OUTPUT,
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Run directory [default: runs/TIME-NAME].",
        ),
        option(
            "--resume",
            group=RUN,
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Continue the run in this directory.",
        ),
        option(
            "--dry-run",
            group=RUN,
            is_flag=True,
            help="Print the trials and the expected time; measure nothing.",
        ),
        view_option,
        quiet_option,
    ):
        called = decorate(called)
    return called
