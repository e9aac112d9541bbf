"""A command with grouped options in its help. It accepts old spellings of flags with a note."""

from __future__ import annotations

from typing import Any

import click

from wirelab.model.deprecated import FLAGS, tell

RUN, OUTPUT, OTHER = "Run", "Output", "Options"
# It took `narrow` or `keep`. Its replacement is a switch.
NUMBERS = "--numbers"
ORDER = ("Payload", "Matrix", "Load", "Network", "Statistics", "Codecs", "Device", RUN, OTHER, OUTPUT)


class GroupedOption(click.Option):
    """An option with its heading in the help, and its default as a user writes it."""

    def __init__(self, *names: Any, group: str = OTHER, default_text: str = "", **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.group = group
        self.default_text = default_text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """As click does it, with `default_text`."""
        record = super().get_help_record(ctx)
        if record is None or not self.default_text:
            return record
        return record[0], f"{record[1]}  [default: {self.default_text}]"


class GroupedCommand(click.Command):
    """A command with options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A section for each group, in the order of `ORDER`."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in ORDER}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                groups[getattr(parameter, "group", OUTPUT)].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does it, after replacing old spellings."""
        return super().parse_args(ctx, self._renewed(args))

    def _renewed(self, args: list[str]) -> list[str]:
        own = {name for parameter in self.params for name in parameter.opts}
        found: list[str] = []
        rest = iter(args)
        for arg in rest:
            if arg == "--":
                return [*found, arg, *rest]
            flag, equals, value = arg.partition("=")
            new, _, start = FLAGS.get(flag, "").partition(" ")
            if flag in own or new not in own:
                found.append(arg)
            elif flag == NUMBERS:
                narrow = (value if equals else next(rest, "")) == "narrow"
                tell(f"{flag} is now {new}, without a value")
                found += [new] if narrow else []
            elif start:
                tell(f"{flag} is now {new} {start}...")
                found += [new, start + (value if equals else next(rest, ""))]
            else:
                tell(f"{flag} is now {new}")
                found.append(f"{new}{equals}{value}")
        return found
