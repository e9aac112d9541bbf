"""The workloads of a study, for each of its levels."""

from __future__ import annotations

from msgspec.structs import replace

from wirelab.model import units
from wirelab.model.arrivals import Arrivals, ClosedLoop, ConstantRate
from wirelab.model.errors import BadInput
from wirelab.model.study import AUTO, Study
from wirelab.model.suggestions import nearest
from wirelab.model.trial import Workload
from wirelab.studies.message_batches import in_batches, size
from wirelab.studies.message_count import automatic_count, check_quantiles, warmup
from wirelab.studies.placement_checks import check_messages
from wirelab.studies.study_limits import check_workload
from wirelab.workloads import arrivals, cross_traffic, placement, services, utilization_levels

# The assumed rate at 100 % utilization until the warm-up has measured it.
NOMINAL_HZ = 2000.0
MOST_CLIENTS = 64
TOPOLOGIES = ("one-way", "round-trip")


def workload(
    study: Study, rate: str, topology: str, arrivals_text: str = str(ConstantRate()), batch: str = "1"
) -> Workload:
    """The workload of one rate, topology, arrival process and size of batches. Raises BadInput."""
    if topology not in TOPOLOGIES:
        raise BadInput(f"topology '{topology}'", "unknown", nearest(topology, TOPOLOGIES))
    duration = units.duration_ns(study.duration) if study.duration else None
    parts = utilization_levels.parse(rate)
    rate_hz = NOMINAL_HZ * sum(parts) / len(parts) if parts else units.rate_hz(rate)
    process = arrivals.parse(arrivals_text)
    arrivals.check(process, rate_hz)
    first = warmup(study, rate_hz)
    if arrivals.ends(process):
        most = units.count(study.count) + first if study.count not in (AUTO, "") else None
        total: int | None = len(arrivals.times_ns(process, rate_hz, study.seed, most, duration)) - first
    elif study.count == AUTO:
        total = None if duration is not None else automatic_count(study, rate_hz)
    else:
        total = units.count(study.count) if study.count else None
    if total is None and duration is None:
        raise BadInput("workload", "neither count nor duration", "give --count or --duration")
    if total is not None and len(parts) > 1:
        utilization_levels.check(process, rate)
        total *= len(parts)
    if total is not None and total < 1:
        raise BadInput(f"count '{study.count}'", "less than one message", "give at least 1")
    asked = Workload(
        rate_hz=rate_hz,
        count=total,
        duration_ns=duration,
        warmup=first,
        topology=topology,
        arrivals=process,
        placement=study.placement,
        cross=cross_traffic.parse(study.cross_traffic),
        publishers=_publishers(study, process),
        application=study.service,
        utilization=parts,
    )
    services.check(asked)
    if study.placement:
        check_messages(asked)
    if isinstance(process, ClosedLoop):
        if total is None:
            raise BadInput(f"workload '{process}'", "no count", "give --count")
        asked = replace(asked, drain_ns=asked.drain_ns * (total + first))
    asked = in_batches(asked, size(batch))
    check_workload(asked)
    check_quantiles(study, asked)
    return asked


def _publishers(study: Study, process: Arrivals) -> int:
    """The number of publishers, which share the messages. Raises BadInput."""
    number = _clients("publishers", study.publishers)
    alone = study.subscribers == ("1",) and not study.service and not isinstance(process, ClosedLoop)
    if number > 1 and not alone:
        why = "need one subscriber, an open loop and no service"
        raise BadInput(f"publishers '{study.publishers}'", why, "leave out the other")
    return number


def listeners(text: str, study: Study) -> int:
    """The number of subscribers, which each get every message. Raises BadInput."""
    if study.placement:
        return len(placement.parse(study.placement).subscribers)
    return _clients("subscribers", text)


def _clients(role: str, text: str) -> int:
    number = units.count(text)
    if not 1 <= number <= MOST_CLIENTS:
        raise BadInput(f"{role} '{text}'", f"not between 1 and {MOST_CLIENTS}", "write it like 7")
    return number
