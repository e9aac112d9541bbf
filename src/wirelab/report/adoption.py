"""The files to start from for one row of a run: schema, client as measured, settings of the server."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from wirelab.model.answer import Answer, Choice, Record
from wirelab.model.codec_id import CodecId
from wirelab.model.errors import BadInput
from wirelab.model.result import Delivery
from wirelab.report import adoption_rumqttc
from wirelab.schema import text
from wirelab.schema.emitters import SUFFIXES, emit

BUILT_IN = "built-in"
# Formats without a schema language of their own are described by JSON Schema.
DESCRIBED_BY = "jsonschema"
LANGUAGES = {"cpp": "cpp", "rs": "rust", "conf": "ini", "toml": "toml"}
# Servers whose limits are the keys of their configuration file.
CONFIGURATIONS = {
    "mosquitto": ("mosquitto.conf", "{key} {value}"),
    "rabbitmq": ("rabbitmq.conf", "{key} = {value}"),
}


class Adoption(Struct, frozen=True):
    """A row as files by name, what it is in one line, and what to know before it is used."""

    title: str
    notes: tuple[str, ...]
    files: dict[str, str]

    @property
    def markdown(self) -> str:
        """All of it as one text with a block per file."""
        blocks = [f"# {self.title}", *(f"- {note}" for note in self.notes)]
        for name, content in self.files.items():
            language = LANGUAGES.get(name.rpartition(".")[2], "")
            blocks.append(f"\n`{name}`\n```{language}\n{content.rstrip()}\n```")
        return "\n".join(blocks) + "\n"


def adopt(answer: Answer, records: Mapping[str, Record], number: int) -> Adoption:
    """The row with this number, counted from the best. Raises BadInput if there is none."""
    if not 1 <= number <= len(answer.overall):
        rows = len(answer.overall)
        raise BadInput(f"row {number}", f"the run has {rows} rows", f"name one of 1 to {rows}")
    choice = answer.overall[number - 1]
    record = _record(answer, choice, records)
    files = _schema(record) | _client(record) | _server(record)
    return Adoption(choice.label, tuple(_notes(choice, record)), files)


def _record(answer: Answer, choice: Choice, records: Mapping[str, Record]) -> Record:
    """A valid trial of the choice."""
    row = next(row for one in answer.rankings for row in one.rows if row.choice == choice.choice)
    return records[row.trials[0]]


def _notes(choice: Choice, record: Record) -> list[str]:
    assert record.result is not None
    found = [
        f"fails or is inconclusive for {one.threshold}: {one.evidence}"
        for one in choice.thresholds
        if one.status != "pass"
    ]
    loss = choice.worst.get("loss")
    if loss is not None and loss.value > 0:
        found.append(f"it lost {loss} of the messages")
    if record.result.delivery is not Delivery.UNKNOWN:
        found.append(f"its qos promises {record.result.delivery}")
    if (batch := record.trial.workload.batch) > 1:
        found.append(f"{batch} messages were sent as one, each behind its length as a varint (--batch)")
    if record.trial.server == BUILT_IN:
        found.append(
            "it was measured with wirelab's own server: measure again with --server before you choose one"
        )
    if record.trial.payload.schema and _language(record) == DESCRIBED_BY:
        found.append("its schema allows the values of the sample alone: widen it before you validate with it")
    if not record.result.peer.options:
        found.append("the run is older than this version and has no options of the client")
    return found


def _language(record: Record) -> str:
    """The schema language of the format."""
    own = CodecId.parse(record.trial.payload.codec).format
    return own if own in SUFFIXES else DESCRIBED_BY


def _schema(record: Record) -> dict[str, str]:
    """The schema in the language of the format."""
    if not record.trial.payload.schema:
        return {}
    language = _language(record)
    return {f"schema{SUFFIXES[language]}": emit(text.read(record.trial.payload.schema), language)}


def _client(record: Record) -> dict[str, str]:
    """The client's settings, and a program where there is one for its library."""
    assert record.result is not None
    trial, peer = record.trial, record.result.peer
    codec = CodecId.parse(trial.payload.codec)
    lines = [
        f"protocol = {text.quoted(trial.protocol)}",
        f"qos = {text.quoted(trial.qos)}",
        f"transport = {text.quoted(trial.transport or peer.options.get('transport', ''))}",
        f"format = {text.quoted(codec.format)}",
        f"codec_library = {text.quoted(codec.library)}",
        f"library = {text.quoted(peer.library)}",
        f"library_version = {text.quoted(peer.version)}",
        f"language = {text.quoted(peer.language)}",
        "",
        "[options]",
        *(
            f"{name} = {text.quoted(value)}"
            for name, value in sorted((peer.options or trial.options).items())
        ),
    ]
    found = {"client.toml": "\n".join(lines) + "\n"}
    if adoption_rumqttc.fits(trial.protocol, peer):
        found |= adoption_rumqttc.files(trial.qos, peer)
    return found


def _server(record: Record) -> dict[str, str]:
    """The settings of the server that differ from its defaults."""
    assert record.result is not None
    server = record.result.server
    if not server.name:
        return {}
    told = f"# {server.name} {server.version}, as measured\n".replace(" ,", ",")
    name, line = CONFIGURATIONS.get(server.name, ("server.toml", '"{key}" = "{value}"'))
    return {
        name: told + "".join(line.format(key=key, value=value) + "\n" for key, value in server.limits.items())
    }
