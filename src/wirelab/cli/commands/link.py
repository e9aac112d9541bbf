"""`wirelab link`: the emulator's own commands, passed through."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from wirelab.system import entry_points
from wirelab.system.binaries import find


class PassedThrough(click.Command):
    """Keeps the arguments as typed: click's parser would drop the `--` before a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep all arguments for wirelab-link."""
        ctx.params["arguments"] = tuple(args)
        return []


@click.command(
    "link",
    cls=PassedThrough,
    help="Show, check and use emulated links; see `wirelab link --help`.",
)
def command(arguments: tuple[str, ...]) -> None:
    """Become wirelab-link with the same arguments."""
    binary = find("wirelab-link")
    if arguments[:1] == ("import",) and entry_points.registered("wirelab.recordings"):
        _import(binary, arguments)
    os.execv(binary, ["wirelab link", *(arguments or ("--help",))])


def _import(binary: str, arguments: tuple[str, ...]) -> None:
    """Import a file of a registered format, and end; return if no package reads it."""
    from wirelab.lab import recordings

    at = next((i for i, one in enumerate(arguments) if i and Path(one).is_file()), None)
    if at is None or "--netem" in arguments or arguments[at - 1] == "--to":
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / Path(arguments[at]).name
        reader = recordings.convert(Path(arguments[at]), rows)
        if reader is None:
            return
        print(f"{arguments[at]}: read by entry point {reader} of {recordings.GROUP}", flush=True)
        done = subprocess.run([binary, *arguments[:at], str(rows), *arguments[at + 1 :]], check=False)
    sys.exit(done.returncode)
