"""`wirelab schema`: infer, check, emit, evolve."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest

GIVEN = (".proto", ".desc", ".protoset", ".avsc", ".schema.json")
TARGETS = {
    "protobuf": ".proto",
    "flatbuffers": ".fbs",
    "avro": ".avsc",
    "capnp": ".capnp",
    "thrift": ".thrift",
    "xdr": ".x",
    "jsonschema": ".schema.json",
}


_input_format = click.option(
    "--input-format",
    default="",
    metavar="FORMAT",
    help="Format of PAYLOAD where name and content do not say it.",
)
_lenient = click.option(
    "--lenient",
    is_flag=True,
    help="Read nan, bare words, trailing commas and duplicate keys in JSON, with a note.",
)
proto_path_option = click.option(
    "-I",
    "--proto-path",
    multiple=True,
    metavar="FOLDER",
    help="Folder in which imports of a given schema are looked up; repeat for more.",
)


@click.group("schema")
def command() -> None:
    """Infer, check, emit and compare the schemas of a payload."""


@command.command("infer")
@click.argument("payload", type=click.Path(path_type=Path))
@click.option(
    "--kinds",
    default="auto",
    show_default=True,
    metavar="KEY",
    help="What distinguishes several kinds of message: auto, none, or the key that says it (type, header.type, [0]).",
)
@_input_format
@_lenient
def infer_(payload: Path, kinds: str, input_format: str, lenient: bool) -> None:
    """Print the schema of a payload as an editable text."""
    from wirelab.schema import payload as payloads
    from wirelab.schema import text
    from wirelab.schema.inference import infer_with_notes
    from wirelab.schema.inputs.options import InputOptions
    from wirelab.schema.kinds import find_kinds

    corpus = payloads.read(payload, InputOptions(input_format, lenient))
    told = find_kinds(corpus, kinds)
    found = infer_with_notes(corpus, told.kinds)
    click.echo(text.dump(found.schema, found.notes), nl=False)
    _say((*corpus.notes, *told.notes))


@command.command("import")
@click.argument("schema", type=click.Path(path_type=Path))
@proto_path_option
def import_(schema: Path, proto_path: tuple[str, ...]) -> None:
    """Print a given schema (.proto, .avsc, JSON Schema ...) as an editable text; FILE:MESSAGE picks
    one message of several.
    """
    from wirelab.schema import text
    from wirelab.schema.importers import read
    from wirelab.schema.inputs.options import InputOptions

    given = read.schema(str(schema), options=InputOptions(proto_path=proto_path))
    click.echo(text.dump(given.schema), nl=False)
    _say(given.notes)


@command.command("check")
@click.argument("payload", type=click.Path(path_type=Path))
@click.argument("schema", type=click.Path(path_type=Path))
@_input_format
@_lenient
@proto_path_option
def check_(
    payload: Path, schema: Path, input_format: str, lenient: bool, proto_path: tuple[str, ...]
) -> None:
    """Say whether every message of PAYLOAD fits SCHEMA (ours or any given one); exit code 3 and the
    place if not.
    """
    from wirelab.schema.check import check
    from wirelab.schema.importers import read
    from wirelab.schema.inputs.options import InputOptions

    options = InputOptions(input_format, lenient, proto_path)
    given = read.schema(str(schema), str(payload), options)
    check(given.messages, given.schema)
    click.echo(f"{payload}: {len(given.messages.messages)} messages fit {schema}")
    _say(given.notes)


@command.command("emit")
@click.argument("schema", type=click.Path(path_type=Path))
@click.option("--to", "target", required=True, help=", ".join(TARGETS))
@proto_path_option
def emit_(schema: Path, target: str, proto_path: tuple[str, ...]) -> None:
    """Print a schema in the language of a format; a payload (.json, .jsonl) is inferred first."""
    import importlib

    if target not in TARGETS:
        raise BadInput(f"schema language '{target}'", "unknown", nearest(target, TARGETS))
    emit = importlib.import_module(f"wirelab.schema.emitters.{target}").emit
    click.echo(emit(_schema_of(schema, proto_path)), nl=False)


@command.command("evolve")
@click.argument("old")
@click.argument("new")
@click.argument("payloads", nargs=-1, metavar="[PAYLOAD]...")
@click.option(
    "--format",
    "formats",
    default="",
    metavar="FORMAT,...",
    help="Formats: a format, FORMAT/LIBRARY, FORMAT/* or all [default: the six best known].",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Print the result only, no progress.")
def evolve_(old: str, new: str, payloads: tuple[str, ...], formats: str, as_json: bool, quiet: bool) -> None:
    """Measure what readers of one version of a schema make of messages of the other.

    OLD and NEW are schemas in any language, or payloads whose schema is inferred. Messages are
    those of the payloads that fit a version.
    """
    import msgspec

    from wirelab.cli.study_options import levels
    from wirelab.codecs.evolution.measurement import measure_evolution
    from wirelab.codecs.evolution.messages import read_version
    from wirelab.report.progress import progress
    from wirelab.report.terminal_evolution import print_evolution
    from wirelab.report.terminal_table import plain_console

    versions = read_version(old), read_version(new)
    with progress("compiling the codecs of both versions", quiet):
        found = measure_evolution(*versions, payloads, levels(formats))
    _say(found.notes)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)))
    else:
        print_evolution(found, plain_console())


def _schema_of(path: Path, proto_path: tuple[str, ...]) -> object:
    from wirelab.schema.importers import read
    from wirelab.schema.inputs.options import InputOptions

    given = path.name.partition(":")[0].endswith((".toml", *GIVEN))
    options = InputOptions(proto_path=proto_path)
    return (read.schema(str(path), options=options) if given else read.read(str(path))).schema


def _say(notes: tuple[str, ...]) -> None:
    for note in notes:
        click.echo(f"note: {note}", err=True)
