"""`wirelab link`: the emulator's own commands, passed through."""

from __future__ import annotations

import os

import click

from wirelab.lab.binaries import find


@click.command(
    "link",
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    help="Show, check and use emulated links; see `wirelab link --help`.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Become wirelab-link with the same arguments."""
    binary = find("wirelab-link")
    os.execv(binary, ["wirelab link", *(arguments or ("--help",))])
