"""Flags under their former names: accepted for one release, each with a note on stderr."""

from __future__ import annotations

import click


class WithFormerFlags(click.Command):
    """A command whose `former` maps a former flag to its replacement.

    A replacement that ends in `=` takes the value as its end: `--mpack-dir D` becomes `--option mpack_dir=D`.
    """

    former: dict[str, str]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does it, after the former flags are replaced."""
        found: list[str] = []
        given = iter(args)
        for word in given:
            flag, equals, value = word.partition("=")
            new = self.former.get(flag)
            if new is None:
                found.append(word)
                continue
            click.echo(f"note: {flag} is now {new}{'...' if new.endswith('=') else ''}", err=True)
            if new.endswith("="):
                name, _, start = new.partition(" ")
                found += [name, start + (value if equals else next(given, ""))]
            else:
                found.append(new + equals + value)
        return super().parse_args(ctx, found)
