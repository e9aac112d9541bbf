"""Flags that several commands share, and how they are read."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from wirelab.model.errors import BadInput

F = TypeVar("F", bound=Callable[..., Any])

VIEWS = ("text", "json", "csv", "md")


def levels(text: str) -> tuple[str, ...]:
    """`a,b` as levels of a factor."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def settings(pairs: tuple[str, ...]) -> dict[str, str]:
    """`key=value` pairs. Raises BadInput."""
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"option '{pair}'", "not key=value", "write it like --option keep_alive_s=30")
        found[key] = value
    return found


def view_option(command: F) -> F:
    """`--as`: the shape of what is printed."""
    return click.option(
        "--as", "view", type=click.Choice(VIEWS), default="text", help="Shape of what is printed."
    )(command)


def quiet_option(command: F) -> F:
    """`--quiet`: no progress."""
    return click.option("--quiet", "-q", is_flag=True, help="No progress, only the result.")(command)


def out_option(stem: str) -> Callable[[F], F]:
    """`--out`: a directory that takes every view, as `stem`.html and so on."""
    return click.option(
        "-o",
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        help=f"Also write {stem}.html, .md, .csv and .json into this directory.",
    )


def schema_option(command: F) -> F:
    """`--schema`: use this schema instead of inferring one. `--numbers`: what whole floats are."""
    for option in (
        click.option(
            "--numbers",
            type=click.Choice(("keep", "narrow")),
            default="keep",
            show_default=True,
            help="Whole floats like 5.0: keep them, or narrow them to integers.",
        ),
        click.option(
            "--schema",
            "schema_file",
            type=click.Path(path_type=Path),
            help="Use this schema: .toml (`wirelab schema infer`), .proto, .avsc or JSON Schema; FILE:MESSAGE picks one.",
        ),
    ):
        command = option(command)
    return command


def beyond_options(command: F) -> F:
    """What codecs are measured for besides size and time by phase."""
    for option in (
        click.option("--single", is_flag=True, help="Time single calls too, each message by itself."),
        click.option(
            "--memory",
            is_flag=True,
            help="Allocations per message, and peak memory of a process per message.",
        ),
        click.option(
            "--batch", default="1", show_default=True, help="Messages compressed together; a list: 1,10,100."
        ),
        click.option(
            "--compress",
            default="",
            help="Sizes and time after gzip, zstd, zstd-dict, zstd-prev, merge-patch; or all.",
        ),
    ):
        command = option(command)
    return command


ENGINES = ("local", "ray")
_CHOSEN = "wirelab.cli.options."


def _keep(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    ctx.meta[_CHOSEN + str(parameter.name)] = value
    return value


def engine_options(command: F) -> F:
    """`--engine`, `--address`: where trials run. Not handed to the command: `chosen_engine` reads them."""
    for option in (
        click.option(
            "--address",
            default="",
            callback=_keep,
            expose_value=False,
            help="Ray's head, HOST:PORT [default: the cluster this machine is in].",
        ),
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default="local",
            show_default=True,
            callback=_keep,
            expose_value=False,
            help="Where trials run: this machine, or a Ray cluster's nodes (docs/how-to/cluster.md).",
        ),
    ):
        command = option(command)
    return command


def chosen_engine() -> tuple[str, str]:
    """`--engine` and `--address` of the command that runs. Raises BadInput for an address nothing uses."""
    meta = click.get_current_context().meta
    engine, address = meta.get(_CHOSEN + "engine", "local"), meta.get(_CHOSEN + "address", "")
    if address and engine == "local":
        raise BadInput(f"address {address}", "trials run on this machine", "add --engine ray")
    return engine, address


def engine_flags() -> str:
    """`--engine` and `--address` as the command that runs was given them, with a space in front; "" for this machine."""
    engine, address = chosen_engine()
    given = ["--engine", engine, *(["--address", address] if address else [])]
    return "" if engine == "local" else f" {shlex.join(given)}"


def run_options(command: F) -> F:
    """What `compare` and `run` share: where results go, resuming, planning only, where trials run."""
    command = engine_options(command)
    for option in (
        click.option(
            "-o", "--out", type=click.Path(path_type=Path), help="Run directory [default: runs/TIME-NAME]."
        ),
        click.option(
            "--resume", type=click.Path(path_type=Path), help="Go on with the run in this directory."
        ),
        click.option(
            "--plan", is_flag=True, help="Print the matrix and how long it will take; measure nothing."
        ),
        view_option,
        quiet_option,
    ):
        command = option(command)
    return command
