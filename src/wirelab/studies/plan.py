"""The trials of a study: every combination of levels and every replicate, in random order."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from wirelab.lab.link import LinkFacts, link_facts
from wirelab.model import units
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.errors import BadInput
from wirelab.model.study import AUTO, Study
from wirelab.model.trial import Link, PayloadSpec, Trial, Workload
from wirelab.studies.codec_languages import check_languages, loads
from wirelab.studies.connect_limit import options_for
from wirelab.studies.default_rate import DefaultRate
from wirelab.studies.delivery_modes import BENEATH, Delivery, deliveries, worth_showing
from wirelab.studies.deployment import idle_ns
from wirelab.studies.message_batches import size
from wirelab.studies.placement_checks import BETWEEN_NODES
from wirelab.studies.replicate_draws import draws, offset_s
from wirelab.studies.study_limits import check_levels, check_size
from wirelab.studies.workload_options import listeners, workload
from wirelab.workloads import services
from wirelab.workloads.arrivals import canonical

# A trial on a slow link drains for as many exchanges.
DRAIN_EXCHANGES = 40
# The codec of generated messages, which are not encoded.
READY_MADE = "bytes"
# Between the sizes of the first and the last epoch: `500B>4kB`.
GROWS = ">"


class LinkLevel(Struct, frozen=True):
    """A link of a study with one level of its loss factor, and the link text made of both.

    `loss` is "" if loss is not a factor.
    """

    text: str
    link: str
    loss: str = ""


def link_levels(study: Study) -> list[LinkLevel]:
    """Every link with every level of loss, each link text once. Raises BadInput."""
    if study.placement:
        return [LinkLevel(BETWEEN_NODES, BETWEEN_NODES)]
    if not study.loss:
        return [LinkLevel(link, link) for link in study.link]
    if study.loss_on not in ("", "up", "down"):
        raise BadInput(f"loss_on '{study.loss_on}'", "not a direction", "write up, down or nothing")
    where = f"{study.loss_on}." if study.loss_on else ""
    found: dict[str, LinkLevel] = {}
    for link in study.link:
        for loss in study.loss:
            text = f"{link},{where}loss={loss}" if units.fraction(loss) > 0 else link
            found.setdefault(text, LinkLevel(text, link, loss))
    return list(found.values())


def link_texts(study: Study) -> list[str]:
    """The link of each context, as interpreted by the emulator."""
    return [level.text for level in link_levels(study)]


def trials(
    study: Study, codecs: tuple[str, ...], payload: PayloadSpec, message_bytes: float = 0.0
) -> list[Trial]:
    """All trials in the order in which they run.

    Replicate r is a block: each combination once, shuffled. All trials of a block share seed and
    trace offset. They meet the same link and may be compared in pairs, also with those of other
    parts, because the draws depend only on seed and r. `message_bytes` is the mean size of a
    message, by which the default rate is chosen. Raises BadInput.
    """
    check_levels(study)
    check_languages(study, codecs)
    combinations = list(_combinations(study, codecs))
    usual = DefaultRate.of(study, message_bytes)
    check_size(len(combinations), study.replicates)
    drawn, order = draws(study.seed), random.Random(study.seed)
    result: list[Trial] = []
    for replicate in range(study.replicates):
        seed, position = next(drawn)
        block = [
            _trial(levels, delivery, replicate, seed, position, payload, study, usual)
            for levels, delivery in combinations
        ]
        order.shuffle(block)
        result += block
    return result


def further_replicates(study: Study, wanted: Iterable[tuple[Trial, int, int]]) -> list[Trial]:
    """More replicates of combinations: any trial of each, and its replicates from one to before
    another.

    They are the trials that the study would have had next with more replicates: replicate r of all
    combinations meets the same link. Only their order within a replicate is another.
    """
    asked = list(wanted)
    found: list[Trial] = []
    for replicate, (seed, position) in enumerate(
        itertools.islice(draws(study.seed), max((end for _, _, end in asked), default=0))
    ):
        block = [
            _again(trial, replicate, seed, position)
            for trial, start, end in asked
            if start <= replicate < end
        ]
        random.Random(seed).shuffle(block)
        found += block
    return found


def _again(trial: Trial, replicate: int, seed: int, position: float) -> Trial:
    """Another replicate of the combination of a trial."""
    facts = _facts(trial.link.text, trial.workload.placement)
    return replace(
        trial,
        id=_id(trial.levels, replicate),
        replicate=replicate,
        seed=seed,
        link=replace(trial.link, trace_offset_s=offset_s(seed, position, facts)),
    )


def _id(levels: Mapping[str, str], replicate: int) -> str:
    name = "/".join(levels.values()) + f"/{replicate}"
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def _combinations(study: Study, codecs: tuple[str, ...]) -> Iterator[tuple[dict[str, str], Delivery]]:
    what = [("size", size) for size in study.size] or [("format", codec) for codec in codecs]
    if services.brings_messages(study.service):
        what = [("service", study.service)]
    for sent, squeezed, batch, delivery, link, rate, text, number, topology in itertools.product(
        what,
        study.compression,
        study.batch,
        deliveries(study),
        link_texts(study),
        study.load_levels,
        map(canonical, study.workload),
        study.subscribers,
        study.topology,
    ):
        if sent[0] == "format" and not loads(study, delivery, sent[1]):
            continue
        levels = {sent[0]: sent[1], "protocol": delivery.protocol, "qos": delivery.qos, "link": link}
        levels |= {f: getattr(delivery, f) for f in BENEATH if worth_showing(f, delivery, study)}
        others = {
            "compression": (squeezed, study.compression),
            "batch": (batch, study.batch),
            study.load_factor: (rate, study.load_levels),
            "workload": (text, study.workload),
            "subscribers": (number, study.subscribers),
            "topology": (topology, study.topology),
        }
        levels |= {factor: level for factor, (level, all_levels) in others.items() if len(all_levels) > 1}
        yield levels, delivery


def _trial(
    levels: dict[str, str],
    delivery: Delivery,
    replicate: int,
    seed: int,
    position: float,
    payload: PayloadSpec,
    study: Study,
    usual: DefaultRate,
) -> Trial:
    facts = _facts(levels["link"], study.placement)
    batch = levels.get("batch", study.batch[0])
    return Trial(
        id=_id(levels, replicate),
        levels=levels,
        replicate=replicate,
        seed=seed,
        payload=_payload(levels, payload, size(batch)),
        protocol=delivery.protocol,
        qos=delivery.qos,
        server=delivery.server,
        library=delivery.client_library,
        transport=delivery.transport,
        link=Link(
            levels["link"], offset_s(seed, position, facts), study.shared_medium, round(facts.exchange_s, 6)
        ),
        workload=replace(
            _fit_to_link(
                workload(
                    study,
                    _load(levels, study, facts, usual),
                    levels.get("topology", study.topology[0]),
                    levels.get("workload", study.workload[0]),
                    batch,
                ),
                facts,
            ),
            subscribers=listeners(levels.get("subscribers", study.subscribers[0]), study),
            idle_ns=idle_ns(study) if replicate == 0 else 0,
        ),
        peer=study.client_program,
        topic=study.topic,
        capture=study.capture,
        options=options_for(study.options, facts),
    )


def _facts(link: str, placement: tuple[str, ...]) -> LinkFacts:
    """The facts of a link; between the nodes of a cluster there is no emulated one."""
    return LinkFacts() if placement else link_facts(link)


def _fit_to_link(own: Workload, link: LinkFacts) -> Workload:
    """The workload with a drain limit for the exchanges of its link, spread over its trace if
    asked.
    """
    least_ns = DRAIN_EXCHANGES * link.exchange_s * 1e9
    arrivals = own.arrivals
    if isinstance(arrivals, ClosedLoop) and arrivals.spread and own.count:
        arrivals = replace(arrivals, spacing_ns=round(link.trace_s * 1e9 / own.count))
    return replace(
        own,
        arrivals=arrivals,
        drain_ns=round(own.drain_ns * max(1.0, least_ns / Workload().drain_ns)),
    )


def _load(levels: dict[str, str], study: Study, link: LinkFacts, usual: DefaultRate) -> str:
    """The load of a trial: its level, or the default rate of its link."""
    load = levels.get(study.load_factor, study.load_levels[0])
    if load != AUTO:
        return load
    if "size" in levels:
        largest = max(units.size_bytes(size) for size in levels["size"].split(GROWS, 1))
        usual = replace(usual, message_bytes=float(largest))
    return units.rate_text(usual.hz(link))


def _payload(levels: dict[str, str], payload: PayloadSpec, batch: int) -> PayloadSpec:
    """The corpus of a trial. All share one, except that generated messages have a file per size of
    messages and batches.
    """
    if "service" in levels:
        return PayloadSpec("", "", READY_MADE, "")
    if "size" not in levels:
        return replace(payload, codec=levels["format"])
    name = GROWS.join(str(units.size_bytes(size)) for size in levels["size"].split(GROWS, 1))
    many = f"x{batch}" if batch > 1 else ""
    return PayloadSpec(f"{payload.corpus}/{name}{many}", "", READY_MADE, "")
