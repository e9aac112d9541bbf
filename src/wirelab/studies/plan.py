"""A study made into trials: every combination of levels, every replicate, in random interleaved order."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from wirelab.advice.needs import parse_need
from wirelab.lab.catalog import protocol
from wirelab.lab.servers.external import External, is_external
from wirelab.model import units
from wirelab.model.errors import BadInput
from wirelab.model.study import AUTO, Study
from wirelab.model.text import nearest
from wirelab.model.trial import Link, PayloadSpec, Trial, Workload
from wirelab.stats.intervals import values_needed
from wirelab.studies.limits import check_levels, check_size, check_workload
from wirelab.studies.placed import BETWEEN_NODES, check_messages
from wirelab.workloads import applications, arrivals, cross, placement

# Start offsets into a trace are drawn over this many seconds, so that replicates meet different stretches of it.
TRACE_SPAN_S = 600.0
AUTOMATIC_COUNT = 30
# What a rate given as a share of what is answered one at a time is taken for, until that is known.
NOMINAL_HZ = 2000.0
ANY = ("all", "default")
# The codec of messages that nobody encodes.
READY_MADE = "bytes"
# Between the sizes of the first and the last epoch: `500B>4kB`.
GROWS = ">"
MOST_SUBSCRIBERS = 64
PERCENTILE = re.compile(r"_p(\d+)$")


class Delivery(Struct, frozen=True):
    """One way to deliver: protocol, qos, and what stands beneath."""

    protocol: str
    qos: str
    server: str
    library: str
    transport: str


# What stands beneath a protocol, and how a level that no protocol of the study has is said.
BENEATH = {
    "server": "none of {} runs on it",
    "library": "none of {} has a peer on it",
    "transport": "none of {} runs over it",
}


def deliveries(study: Study) -> list[Delivery]:
    """The protocol x qos x server x library x transport combinations that exist. Raises BadInput for names that fit nowhere."""
    known = [protocol(name) for name in study.protocol]
    for qos in study.qos:
        every = {q for p in known for q in p.qos}
        if qos != "all" and qos not in every:
            raise BadInput(f"qos '{qos}'", f"none of {', '.join(study.protocol)} has it", nearest(qos, every))
    for factor, complaint in BENEATH.items():
        every = {level for p in known for level in p.offers(factor)} | set(ANY if factor != "server" else ())
        for level in getattr(study, factor):
            if factor == "server" and is_external(level):
                External(level)
            elif level not in every | {"built-in"}:
                why = complaint.format(", ".join(study.protocol))
                raise BadInput(f"{factor} '{level}'", why, nearest(level, every - {""}))
    return [
        Delivery(p.name, qos, *beneath)
        for p in known
        for qos in (p.qos if "all" in study.qos else tuple(q for q in p.qos if q in study.qos))
        for beneath in itertools.product(*(chosen(getattr(study, f), p.offers(f)) for f in BENEATH))
    ]


def chosen(asked: tuple[str, ...], offered: tuple[str, ...]) -> list[str]:
    """The levels asked for that a protocol offers; its default, the first, where it has none of them."""
    if "all" in asked:
        return list(offered)
    wanted = [offered[0] if level == "default" else level for level in asked]
    return list(dict.fromkeys(level for level in wanted if level in offered or is_external(level))) or [
        offered[0]
    ]


def link_texts(study: Study) -> list[str]:
    """The link of each context, as the emulator reads it: a link with one level of the loss factor on top."""
    if study.placement:
        return [BETWEEN_NODES]
    if not study.loss:
        return list(study.link)
    if study.loss_on not in ("", "up", "down"):
        raise BadInput(f"loss_on '{study.loss_on}'", "no direction", "write up, down or nothing")
    where = f"{study.loss_on}." if study.loss_on else ""
    texts = [
        f"{link},{where}loss={loss}" if units.fraction(loss) > 0 else link
        for link in study.link
        for loss in study.loss
    ]
    return list(dict.fromkeys(texts))


def workload(study: Study, rate: str, topology: str, text: str = arrivals.INTERVAL) -> Workload:
    """The workload of one rate, topology and arrival process. Raises BadInput."""
    if topology not in ("uplink", "loop"):
        raise BadInput(f"topology '{topology}'", "unknown", nearest(topology, ("uplink", "loop")))
    duration = units.duration_ns(study.duration) if study.duration else None
    share = units.fraction(rate) if rate.strip().endswith("%") else None
    rate_hz = units.rate_hz(rate) if share is None else NOMINAL_HZ * share
    arrivals.check(text, rate_hz)
    if arrivals.ends(text):
        most = units.count(study.count) + study.warmup if study.count not in (AUTO, "") else None
        total: int | None = len(arrivals.times_ns(text, rate_hz, study.seed, most, duration)) - study.warmup
    elif study.count == AUTO:
        total = None if duration is not None else automatic_count(study)
    else:
        total = units.count(study.count) if study.count else None
    if total is None and duration is None:
        raise BadInput("workload", "neither count nor duration", "give --count or --duration")
    if total is not None and total < 1:
        raise BadInput(f"count '{study.count}'", "less than one message", "give at least 1")
    asked = Workload(
        rate_hz=rate_hz,
        count=total,
        duration_ns=duration,
        warmup=study.warmup,
        topology=topology,
        arrivals=text,
        placement=study.placement,
        cross=cross.parse(study.cross),
        publishers=_publishers(study, text),
        application=study.application,
        utilization=share,
    )
    applications.check(asked)
    if study.placement:
        check_messages(asked)
    if text == arrivals.ONE_BY_ONE:
        if total is None:
            raise BadInput(f"workload '{text}'", "no count", "give --count")
        asked = replace(asked, drain_ns=asked.drain_ns * (total + study.warmup))
    check_workload(asked)
    return asked


def automatic_count(study: Study) -> int:
    """Messages per trial that give every need on a percentile a chance to be shown over all replicates, and at least 30."""
    shown = [
        math.ceil(values_needed(int(found[1]) / 100) / study.repeats)
        for found in (PERCENTILE.search(parse_need(need).metric) for need in study.needs)
        if found
    ]
    return max([AUTOMATIC_COUNT, *shown])


def trials(study: Study, codecs: tuple[str, ...], payload: PayloadSpec) -> list[Trial]:
    """All trials in the order in which they run.

    Replicate r is a block: each combination once, shuffled. All trials of a block share seed and trace offset, so that they meet the
    same link and may be compared in pairs. Raises BadInput.
    """
    check_levels(study)
    combinations = list(_combinations(study, codecs))
    check_size(len(combinations), study.repeats)
    order = random.Random(study.seed)
    result: list[Trial] = []
    for replicate in range(study.repeats):
        seed = order.getrandbits(48)
        offset = round(order.uniform(0, TRACE_SPAN_S), 3)
        block = [
            _trial(levels, delivery, replicate, seed, offset, payload, study)
            for levels, delivery in combinations
        ]
        order.shuffle(block)
        result += block
    return result


def _combinations(study: Study, codecs: tuple[str, ...]) -> Iterator[tuple[dict[str, str], Delivery]]:
    what = [("size", size) for size in study.size] or [("format", codec) for codec in codecs]
    if applications.brings_messages(study.application):
        what = [("application", study.application)]
    for sent, delivery, link, rate, text, number, topology in itertools.product(
        what,
        deliveries(study),
        link_texts(study),
        study.rate,
        study.workload,
        study.subscribers,
        study.topology,
    ):
        levels = {sent[0]: sent[1], "protocol": delivery.protocol, "qos": delivery.qos, "link": link}
        levels |= {f: getattr(delivery, f) for f in BENEATH if _worth_showing(f, delivery, study)}
        if len(study.rate) > 1:
            levels["rate"] = rate
        if len(study.workload) > 1:
            levels["workload"] = text
        if len(study.subscribers) > 1:
            levels["subscribers"] = number
        if len(study.topology) > 1:
            levels["topology"] = topology
        yield levels, delivery


def _worth_showing(factor: str, delivery: Delivery, study: Study) -> bool:
    """What is the same for everybody who names just a protocol needs no words."""
    level, asked = getattr(delivery, factor), getattr(study, factor)
    several = len(asked) > 1 or "all" in asked
    return several or level not in ("built-in", "none", protocol(delivery.protocol).offers(factor)[0])


def _trial(
    levels: dict[str, str],
    delivery: Delivery,
    replicate: int,
    seed: int,
    offset: float,
    payload: PayloadSpec,
    study: Study,
) -> Trial:
    name = "/".join(levels.values()) + f"/{replicate}"
    return Trial(
        id=hashlib.sha256(name.encode()).hexdigest()[:16],
        levels=levels,
        replicate=replicate,
        seed=seed,
        payload=_payload(levels, payload),
        protocol=delivery.protocol,
        qos=delivery.qos,
        server=delivery.server,
        library=delivery.library,
        transport=delivery.transport,
        link=Link(levels["link"], offset, study.segment),
        workload=replace(
            workload(
                study,
                levels.get("rate", study.rate[0]),
                levels.get("topology", study.topology[0]),
                levels.get("workload", study.workload[0]),
            ),
            subscribers=_listeners(levels.get("subscribers", study.subscribers[0]), study),
        ),
        peer=study.peer,
        options=study.options,
    )


def _publishers(study: Study, arrivals_text: str) -> int:
    """How many share the sending. Raises BadInput."""
    number = units.count(study.publishers)
    if not 1 <= number <= MOST_SUBSCRIBERS:
        raise BadInput(
            f"publishers '{study.publishers}'", f"not between 1 and {MOST_SUBSCRIBERS}", "write it like 7"
        )
    alone = study.subscribers == ("1",) and not study.application and arrivals_text != arrivals.ONE_BY_ONE
    if number > 1 and not alone:
        why = "go with one subscriber, and neither with one-by-one nor with an application"
        raise BadInput(f"publishers '{study.publishers}'", why, "leave out the other")
    return number


def _listeners(text: str, study: Study) -> int:
    """How many get every message."""
    if study.placement:
        return len(placement.parse(study.placement).subscribers)
    number = units.count(text)
    if not 1 <= number <= MOST_SUBSCRIBERS:
        raise BadInput(f"subscribers '{text}'", f"not between 1 and {MOST_SUBSCRIBERS}", "write it like 7")
    return number


def _payload(levels: dict[str, str], payload: PayloadSpec) -> PayloadSpec:
    """The corpus of a trial: all share one, but ready-made messages have a file for each size."""
    if "application" in levels:
        return PayloadSpec("", "", READY_MADE, "")
    if "size" not in levels:
        return replace(payload, codec=levels["format"])
    name = GROWS.join(str(units.size_bytes(size)) for size in levels["size"].split(GROWS, 1))
    return PayloadSpec(f"{payload.corpus}/{name}", "", READY_MADE, "")
