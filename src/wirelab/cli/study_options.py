"""The flags of `compare`, `run` and others, made from the fields of `Study`.

A key of a study file and its flag thus have one definition.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from wirelab.cli.grouped_help import GroupedOption
from wirelab.model.errors import BadInput
from wirelab.model.study import Option, Study, options


def study_options(
    *names: str, without: Sequence[str] = (), defaults: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Flags for these fields of `Study` (all if none is named), passed to the command as `given`.

    `given` has the keys of a study file, only those on the command line. `defaults`: whether help
    shows the defaults of a new study.
    """
    fields = {field.name: field for field in msgspec.structs.fields(Study)}
    shown = {
        name: one for name, one in options().items() if name in (names or fields) and name not in without
    }

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def called(**values: Any) -> Any:
            given = {name: values.pop(name) for name in shown}
            source = click.get_current_context().get_parameter_source
            kept = {
                name: _value(name, value, shown[name])
                for name, value in given.items()
                if source(name) is not click.core.ParameterSource.DEFAULT
            }
            return command(given=kept, **values)

        for name, one in reversed(shown.items()):
            called = _flag(fields[name], one, defaults)(called)
        return called

    return decorate


def _flag(field: msgspec.structs.FieldInfo, shown: Option, defaults: bool) -> Callable[[Any], Any]:
    flag = "--" + (shown.flag or field.name.replace("_", "-"))
    default = field.default
    about: dict[str, Any] = {"cls": GroupedOption, "group": shown.group, "help": shown.help}
    if isinstance(default, bool):
        return click.option(flag, field.name, is_flag=True, **about)
    if defaults and field.name != "name":
        about["default_text"] = _text(default)
    if isinstance(default, str | int):
        return click.option(flag, field.name, default=default, metavar=shown.metavar, **about)
    flags = (f"-{shown.short}", flag) if shown.short else (flag,)
    return click.option(*flags, field.name, multiple=True, metavar=shown.metavar, **about)


def _text(default: Any) -> str:
    """A default in the spelling of the flag; "" for none."""
    if isinstance(default, tuple):
        return ",".join(default)
    return str(default) if isinstance(default, str | int) else ""


def _value(name: str, value: Any, shown: Option) -> Any:
    """A flag's value in the form of a study file. Raises BadInput."""
    if name in ("options", "device_libraries"):
        return settings(value, shown.flag)
    if isinstance(value, tuple) and not shown.whole:
        return [level for one in value for level in levels(one)]
    return list(value) if isinstance(value, tuple) else value


def absolute(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values with absolute paths.

    Paths in flags are relative to the working directory, paths in a study file to the file.
    """
    found = dict(given)
    for name in ("payload", "schema", "client_program"):
        if found.get(name) not in (None, "", "-") and (name != "client_program" or "/" in found[name]):
            found[name] = str(Path(found[name]).absolute())
    if found.get("proto_path"):
        found["proto_path"] = [str(Path(folder).absolute()) for folder in found["proto_path"]]
    if "device_libraries" in found:
        found["device_libraries"] = {
            name: str(Path(folder).absolute()) for name, folder in found["device_libraries"].items()
        }
    return found


def levels(text: str) -> tuple[str, ...]:
    """`a,b` as levels of a factor."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def settings(pairs: Sequence[str], flag: str) -> dict[str, str]:
    """`key=value` pairs. Raises BadInput."""
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise BadInput(f"--{flag} '{pair}'", "not NAME=VALUE", f"write it like --{flag} NAME=VALUE")
        found[key] = value
    return found


def as_flags(given: Mapping[str, Any]) -> list[str]:
    """The flags that give these values."""
    found = []
    for name, value in given.items():
        shown = options()[name]
        flag = "--" + (shown.flag or name.replace("_", "-"))
        if isinstance(value, dict):
            found += [f"{flag}={key}={one}" for key, one in value.items()]
        elif isinstance(value, list):
            found += [f"{flag}={one}" for one in (value if shown.whole else [",".join(value)])]
        else:
            found.append(flag if value is True else f"{flag}={value}")
    return found


def every_protocol(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values with `--protocol all` replaced by the installed protocols.

    For each other protocol a note names the command that installs it.
    """
    if given.get("protocol") != ["all"]:
        return dict(given)
    from wirelab.lab import protocols, servers
    from wirelab.system.binaries import find

    found = []
    for known in protocols.protocols().values():
        if not known.listed:
            continue
        try:
            find(known.default_peer[0])
            servers.check(known.servers[0], known.name)
        except BadInput as error:
            click.echo(f"left out: {known.name}: {error.sentence}", err=True)
        else:
            found.append(known.name)
    return {**given, "protocol": found}
