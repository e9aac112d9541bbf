"""`wirelab link`: the emulator's own commands, passed through."""

from __future__ import annotations

import os

import click

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
    os.execv(binary, ["wirelab link", *(arguments or ("--help",))])
