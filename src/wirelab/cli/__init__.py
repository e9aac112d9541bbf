"""The command line: one module per command, imported only when that command runs."""

from __future__ import annotations

import errno
import importlib
import signal
import sys
import warnings

import click

from wirelab import __version__
from wirelab.model.errors import WirelabError
from wirelab.model.suggestions import nearest

COMMANDS = {
    "demo": "Measure and rank formats and protocols for a shipped payload over an LTE link.",
    "compare": "Measure and rank formats, protocols and QoS for your messages over a network.",
    "run": "Run a study file: factors x levels x replicates.",
    "reproduce": "Run a published study again and check its claims one by one.",
    "codecs": "Measure the size and the times of every format for a payload.",
    "devices": "Measure cycles, flash, RAM, stack and energy per message on microcontrollers.",
    "schema": "Infer, check and emit the schema of a payload.",
    "link": "Show, check and use emulated links.",
    "report": "Rebuild the reports of a run from its directory.",
    "adopt": "Print the winner of a run as files to start from: schema, client, server.",
    "list": "List the formats, protocols, servers, links and devices that flags can name.",
    "doctor": "Check what works on this machine, and say how to install what is missing.",
}


class Commands(click.Group):
    """Loads a command's module when that command runs; `--help` loads none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"wirelab.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest name for an unknown one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command '{args[0]}'; {nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in --help, without loading any command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="wirelab")
def group() -> None:
    """Which serialization format, protocol and QoS for my messages, over my network?

    Real libraries, real brokers and real packets over an emulated link, on your own payload.
    """


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _file_error(error: OSError) -> str:
    """A file or program that cannot be used, and the remedy."""
    what = error.filename if isinstance(error.filename, str) else "the system"
    step = (
        "free some space and continue with --resume"
        if error.errno in FULL
        else "check the path and its permissions"
    )
    return f"{what}: {error.strerror or error}; {step}"


def _note(message: Warning | str, *_: object) -> None:
    """Print a warning, such as that of an old spelling, as a note."""
    click.echo(f"note: {message}", err=True)


def main() -> None:
    """Run a command.

    Exit codes: 0 done, 1 a threshold failed, 2 measurement failed, 3 bad input, 130 interrupted.
    """
    warnings.showwarning = _note  # type: ignore[assignment]
    # `kill` ends wirelab in the same order as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        try:
            code = group.main(standalone_mode=False)
        finally:
            # Further signals must not disturb the end.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except WirelabError as error:
        click.echo(f"wirelab: {error.sentence}", err=True)
        sys.exit(error.exit_code)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.UsageError as error:
        error.show()
        sys.exit(3)
    except (KeyboardInterrupt, click.Abort):
        click.echo("wirelab: interrupted; nothing was saved; run the command again to start over", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        click.echo(f"wirelab: {_file_error(error)}", err=True)
        sys.exit(2 if error.errno in FULL else 3)
    sys.exit(code if isinstance(code, int) else 0)
