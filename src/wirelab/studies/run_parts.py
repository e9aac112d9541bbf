"""The parts of a study as one run. Missing software is left out; each replicate is one block."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wirelab.codecs.peer_packs import build_peer_packs, choose_peer_codecs
from wirelab.engine.scheduling import is_lossy, trial_slots
from wirelab.lab import servers
from wirelab.lab.protocols import protocol, protocols
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.trial import PayloadSpec, Trial
from wirelab.studies.default_rate import stated_rates
from wirelab.studies.delivery_modes import deliveries
from wirelab.studies.message_batches import stated_batches
from wirelab.studies.options import ask_peer, known_options
from wirelab.studies.plan import trials
from wirelab.studies.preparation import check_study, plan, plan_sizes, read_subject, ready_made
from wirelab.studies.results import PART
from wirelab.studies.study_file import Paper, Part
from wirelab.system.binaries import find

# A trial that may wait longer than this for lost messages runs in parallel with others of its
# kind, so that short trials need not wait for it.
PATIENT_S = 3.0


class Available(Struct, frozen=True):
    """A study reduced to the installed software, and the reasons by protocol."""

    paper: Paper
    lacking: dict[str, str]


def available(paper: Paper) -> Available:
    """The part of the study that this machine can run.

    Raises BadInput for an unknown protocol, or if nothing can be run.
    """
    lacking: dict[str, str] = {}
    parts = []
    for part in paper.parts:
        kept = tuple(name for name in part.study.protocol if not _lacks(name, part.study, lacking))
        if kept:
            offered = {server for name in kept for server in protocol(name).servers}
            server = tuple(s for s in part.study.server if s in offered) or ("built-in",)
            library = tuple(one for one in part.study.client_library if _runs(one, kept, lacking)) or (
                "default",
            )
            study = replace(
                part.study, protocol=kept, qos=_qos(part.study, kept), server=server, client_library=library
            )
            if kept != part.study.protocol:
                study = _known(study)
            parts.append(Part(part.name, check_study(study)))
    if not parts:
        raise BadInput(f"study {paper.name}", "; ".join(lacking.values()), "install what is missing")
    return Available(replace(paper, parts=tuple(parts)), lacking)


def _known(study: Study) -> Study:
    """A study without the options of protocols that were left out of it."""
    if not study.options:
        return study
    known = known_options(study, ask_peer)
    return replace(study, options={name: text for name, text in study.options.items() if name in known})


def _lacks(name: str, study: Study, lacking: dict[str, str]) -> bool:
    own = replace(
        study, protocol=(name,), qos=("all",), server=_own(study.server, name), client_library=("default",)
    )
    wanted = deliveries(own)
    try:
        find(protocol(name).default_peer[0])
        for delivery in wanted:
            servers.check(delivery.server, name)
    except BadInput as error:
        lacking[name] = error.sentence
        return True
    return False


def _runs(library: str, names: Iterable[str], lacking: dict[str, str]) -> bool:
    """Whether a client library belongs to one of the protocols and its peer is built.

    An unknown library passes: `check_study` refuses it.
    """
    owners = [known for known in protocols().values() if library in known.libraries]
    if not owners:
        return True
    try:
        find(owners[0].libraries[library][0])
    except BadInput as error:
        lacking[library] = error.sentence
        return False
    return any(known.name in names for known in owners)


def _own(asked: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The servers of a study that one of its protocols runs on."""
    offered = protocol(name).servers
    return tuple(server for server in asked if server in offered) or ("built-in",)


def _qos(study: Study, names: Iterable[str]) -> tuple[str, ...]:
    every = {qos for name in names for qos in protocol(name).qos}
    return tuple(qos for qos in study.qos if qos == "all" or qos in every or qos not in _all_qos())


def _all_qos() -> set[str]:
    return {qos for known in protocols().values() for qos in known.qos}


def sketch(paper: Paper) -> list[Trial]:
    """All trials in the order in which they run, without codecs and messages. Raises BadInput."""
    planned = []
    for part in paper.parts:
        study, nothing = part.study, PayloadSpec("", "", "", "")
        if ready_made(study):
            planned.append(_named(part, trials(study, (), nothing)))
            continue
        subject = read_subject(study)
        planned.append(
            _named(
                part,
                trials(
                    study,
                    choose_peer_codecs(subject.schema, study.format, study.language),
                    nothing,
                    subject.message_bytes,
                ),
            )
        )
    return ordered(planned, paper.parts[0].study.seed)


def stated_loads_of(paper: Paper, planned: list[Trial]) -> list[str]:
    """What is said about default rates and counts in batches, once for each sentence."""
    own = {part.name: [t for t in planned if t.levels.get(PART, "") == part.name] for part in paper.parts}
    return list(
        dict.fromkeys(
            line
            for part in paper.parts
            for stated in (stated_rates, stated_batches)
            for line in stated(part.study, own[part.name])
        )
    )


def plan_parts(paper: Paper, directory: Path) -> list[Trial]:
    """All trials in the order in which they run. Raises BadInput.

    Compiles the codecs and writes the messages into the run's folder.
    """
    planned = []
    for part in paper.parts:
        study, folder = part.study, directory / "parts" / (part.name or "all")
        if ready_made(study):
            planned.append(_named(part, plan_sizes(study, folder)))
            continue
        subject = read_subject(study)
        built = build_peer_packs(
            subject.schema, choose_peer_codecs(subject.schema, study.format, study.language), study.language
        )
        planned.append(_named(part, plan(study, subject, folder, built.codecs)))
    return ordered(planned, paper.parts[0].study.seed)


def _named(part: Part, planned: list[Trial]) -> list[Trial]:
    """The part is the first level of its trials, and part of their ids."""
    if not part.name:
        return planned
    return [
        replace(
            trial,
            id=hashlib.sha256(f"{part.name}/{trial.id}".encode()).hexdigest()[:16],
            levels={PART: part.name, **trial.levels},
        )
        for trial in planned
    ]


def ordered(parts: list[list[Trial]], seed: int) -> list[Trial]:
    """Replicate after replicate, the trials of all parts shuffled in each.

    Trials on slow servers come after that, and trials on lossy links last, where connecting takes
    time too: similar trials run in parallel.
    """
    blocks: dict[int, list[Trial]] = {}
    for trial in (trial for part in parts for trial in part):
        blocks.setdefault(trial.replicate, []).append(trial)
    order = random.Random(seed)
    found: list[Trial] = []
    for replicate in sorted(blocks):
        order.shuffle(blocks[replicate])
        found += blocks[replicate]
    return sorted(found, key=_patience)


def _patience(trial: Trial) -> tuple[bool, float, float, str, int]:
    """The sort key: lossy or not, its wait, its share of the machine, and what lets it share a
    server.
    """
    slow, lossy = servers.slots(trial.server), is_lossy(trial)
    waits = protocol(trial.protocol).linger(trial.qos) if lossy else 0.0
    link = trial.link.text if lossy or slow > 1 else ""
    takes = 0.0 if lossy else max(slow, trial_slots(trial) if trial_slots(trial) > 1 else 0.0)
    return lossy, waits if waits > PATIENT_S else 0.0, takes, link, trial.replicate if slow > 1 else 0
