"""Preparation of a study: payload, schema, links, codec pack and plan."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wirelab.advice.precision import parse_precision
from wirelab.advice.thresholds import parse_threshold
from wirelab.codecs.pack import Pack
from wirelab.codecs.peer_packs import choose_peer_codecs
from wirelab.codecs.wire_pack import NONE, check_library, check_method, wire_pack
from wirelab.lab import link, servers
from wirelab.model import units
from wirelab.model.arrivals import Epochs
from wirelab.model.errors import BadInput
from wirelab.model.metrics import metric
from wirelab.model.schema import Schema
from wirelab.model.study import Study
from wirelab.model.trial import PayloadSpec, Trial
from wirelab.schema import payload as payloads
from wirelab.schema import text as schema_text
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers import read
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.kinds import Kinds
from wirelab.schema.numerals import unkept_digits
from wirelab.studies.delivery_modes import deliveries
from wirelab.studies.deployment import check_deployment
from wirelab.studies.message_batches import sizes
from wirelab.studies.options import check_options
from wirelab.studies.placement_checks import check_placed
from wirelab.studies.plan import GROWS, link_texts, trials
from wirelab.studies.study_limits import check_levels
from wirelab.workloads import epochs, messages
from wirelab.workloads.arrivals import canonical
from wirelab.workloads.load import total_messages
from wirelab.workloads.services import brings_messages


class Subject(Struct, frozen=True):
    """A payload with its schema, and the kinds of its messages if there are several."""

    corpus: Corpus
    schema: Schema
    normalised: bytes
    notes: tuple[str, ...] = ()
    kinds: Kinds | None = None

    @property
    def message_bytes(self) -> float:
        """The mean size of a message as JSON."""
        return len(self.normalised) / max(1, len(self.corpus.messages))


def read_subject(study: Study) -> Subject:
    """The messages of a study and their schema, inferred or given in any language.

    Raises BadInput.
    """
    options = InputOptions.of(study)
    given = read.read(study.payload, study.schema, study.narrow_floats, study.kinds, options)
    corpus = given.messages
    normalised = payloads.normalised(corpus, given.schema)
    notes = (*given.notes, *unkept_digits(corpus, given.schema))
    return Subject(corpus, given.schema, normalised, notes, given.kinds)


def check_study(study: Study) -> Study:
    """Check all names and numbers of a study. Returns it with absolute paths of links.

    Raises BadInput.
    """
    study = replace(study, workload=tuple(map(canonical, study.workload)))
    check_levels(study)
    for threshold in study.thresholds:
        parse_threshold(threshold)
    for objective in study.rank_by:
        metric(objective)
    if study.precision:
        parse_precision(study.precision, study.rank_by[0])
    units.duration_ns(study.time_budget)
    check_deployment(study)
    _check_wire(study)
    absolute = replace(
        study, link=tuple(_absolute(text) for text in study.link), client_program=_program(study)
    )
    wanted = deliveries(study)
    placed = check_placed(study, [one.server for one in wanted]) if study.placement else None
    for text in link_texts(absolute) if placed is None else ():
        link.show(text)
    if absolute.shared_medium:
        link.show(absolute.shared_medium)
    for delivery in wanted if placed is None or not placed.outside else ():
        servers.check(delivery.server, delivery.protocol)
    check_options(absolute)
    return absolute


def _check_wire(study: Study) -> None:
    for method in study.compression:
        check_method(method)
    if max(sizes(study)) > 1 and not ready_made(study):
        check_library()
    if ready_made(study) and study.compression != (NONE,):
        why = "these messages are sent as they are, without encoding"
        raise BadInput("compression", why, "leave it out, or give a payload")


def ready_made(study: Study) -> bool:
    """Whether the messages are sent without encoding."""
    return bool(study.size) or brings_messages(study.service)


def _program(study: Study) -> str:
    """The client program of a study as an absolute path; "" if there is none. Raises BadInput."""
    if not study.client_program:
        return ""
    if len(study.protocol) != 1:
        raise BadInput(
            f"client program {study.client_program}",
            "there are several protocols",
            "name the one it speaks with protocol",
        )
    found = shutil.which(study.client_program)
    if found is None:
        raise BadInput(
            f"client program {study.client_program}", "no such program", "give the path of an executable file"
        )
    return str(Path(found).absolute())


def _absolute(text: str) -> str:
    """The absolute path of a trace file, so that the run can be resumed from any directory."""
    first, comma, rest = text.partition(",")
    if Path(first).is_fifo():
        raise BadInput(f"link '{text}'", "a pipe may never end", "save the trace to a file and name that")
    return f"{Path(first).resolve()}{comma}{rest}" if Path(first).is_file() else text


def plan(study: Study, subject: Subject, folder: Path, packs: Mapping[str, Pack]) -> list[Trial]:
    """The trials of a study with the pack of each codec. Writes their corpus and schema into the
    run's folder.
    """
    (folder / "payload").mkdir(parents=True, exist_ok=True)
    corpus, schema = folder / "payload" / "corpus.jsonl", folder / "payload" / "schema.toml"
    corpus.write_bytes(subject.normalised)
    schema.write_text(schema_text.dump(subject.schema))
    spec = PayloadSpec(str(corpus.resolve()), str(schema.resolve()), "", "")
    chosen = choose_peer_codecs(subject.schema, study.format, study.language)
    several = len(study.language) > 1
    each = {pack.path: pack for pack in packs.values()}
    around = list(itertools.product(study.compression, sizes(study)))
    paths = {
        (at, method, batch): wire_pack(pack, method, batch)
        for at, pack in each.items()
        for method, batch in around
    }

    def own(trial: Trial) -> Trial:
        pack = packs[trial.payload.codec]
        levels = {**trial.levels, "language": pack.language} if several else trial.levels
        method = trial.levels.get("compression", study.compression[0])
        path = paths[pack.path, method, trial.workload.batch]
        return replace(trial, levels=levels, payload=replace(trial.payload, pack=path))

    return [own(trial) for trial in trials(study, chosen, spec, subject.message_bytes)]


def plan_sizes(study: Study, folder: Path) -> list[Trial]:
    """The trials of a study of generated messages. Writes them into the run's folder."""
    made = folder / "messages"
    made.mkdir(parents=True, exist_ok=True)
    planned = [
        _own_growth(trial) for trial in trials(study, (), PayloadSpec(str(made.resolve()), "", "", ""))
    ]
    for trial in {trial.payload.corpus: trial for trial in planned if trial.payload.corpus}.values():
        path = Path(trial.payload.corpus)
        if trial.workload.batch > 1:
            _write_batches(path, trial, study.seed)
            continue
        smallest, growing, largest = path.name.partition(GROWS)
        if growing:
            plan = _epochs(trial)
            sizes = epochs.sizes(plan.first, plan.number, int(smallest), int(largest.partition(" ")[0]))
            messages.write(path, messages.growing(sizes, study.seed))
            continue
        number = messages.how_many(int(smallest), total_messages(trial.workload))
        messages.write(path, messages.messages(int(smallest), number, study.seed))
    return planned


def _write_batches(path: Path, trial: Trial, seed: int) -> None:
    """Write generated messages in batches. Raises BadInput."""
    bytes_each, batch = units.size_bytes(trial.levels["size"]), trial.workload.batch
    if bytes_each * batch > messages.MOST_BYTES:
        raise BadInput(
            f"batch {batch} of messages of {trial.levels['size']}",
            f"more than {messages.MOST_BYTES >> 20} MiB",
            "collect fewer, or send smaller messages",
        )
    number = messages.how_many(bytes_each, total_messages(trial.workload))
    whole = -(-number // batch) * batch
    messages.write(path, messages.in_batches(messages.messages(bytes_each, whole, seed), batch))


def _own_growth(trial: Trial) -> Trial:
    """Messages that grow over epochs have a file for each plan of epochs."""
    if GROWS not in Path(trial.payload.corpus).name:
        return trial
    plan = _epochs(trial)
    name = f"{trial.payload.corpus} {plan.first}x{plan.number}"
    return replace(trial, payload=replace(trial.payload, corpus=name))


def _epochs(trial: Trial) -> Epochs:
    """The epochs over which a trial's messages grow. Raises BadInput."""
    arrivals = trial.workload.arrivals
    if not isinstance(arrivals, Epochs):
        step = "add workload = epochs,2000:15"
        raise BadInput(f"workload '{arrivals}'", "sizes that grow need epochs", step)
    return arrivals
