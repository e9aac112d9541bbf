"""Checks of studies whose roles are placed on nodes of a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.lab import manifests
from wirelab.lab.protocols import encrypted_transports, protocol
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.trial import Workload
from wirelab.workloads.arrivals import parse as parse_arrivals
from wirelab.workloads.load import total_messages
from wirelab.workloads.placement import Placement, parse

# The level of the factor link: the network of the cluster.
BETWEEN_NODES = "between nodes"
# Settings that need a lab or a single publisher, with the values they must have.
OF_LABS = {
    "link": ("ideal",),
    "loss": (),
    "shared_medium": "",
    "capture": False,
    "cross_traffic": "",
    "service": "",
    "publishers": "1",
    "topology": ("one-way",),
    "subscribers": ("1",),
}


def check_placed(study: Study, servers: Sequence[str]) -> Placement:
    """The placement of a study's roles. `servers` are those of its deliveries. Raises BadInput."""
    placed = parse(study.placement)
    for key, default in OF_LABS.items():
        if getattr(study, key) != default:
            why = "a placement has publishers and subscribers on nodes, and the network between them as it is"
            raise BadInput(key, why, f"leave {key} out, or leave the placement out")
    for name in study.protocol:
        if "none" in protocol(name).servers:
            raise BadInput(f"protocol '{name}'", "has no server for its roles to meet at", "leave it out")
    for transport in study.transport:
        if transport in (*encrypted_transports(), "all"):
            raise BadInput(f"transport '{transport}'", "is for roles on one node", "leave it out")
    for text in study.workload:
        if isinstance(parse_arrivals(text), ClosedLoop):
            raise BadInput(f"workload '{text}'", "is for one publisher", "give a rate instead")
    # Their processes end with them, which matters because there is no lab to end them.
    single_process = {name for name, kind in manifests.servers().items() if kind.single_process}
    if placed.outside and study.server != ("built-in",):
        raise BadInput("server", f"runs at {placed.outside} already", "leave server out")
    for server in () if placed.outside else servers:
        if server not in single_process:
            step = "start it yourself, and place server=HOST:PORT"
            raise BadInput(f"server '{server}'", "is not started outside a lab", step)
    return placed


def check_messages(workload: Workload) -> None:
    """Check that every publisher has messages to send. Raises BadInput."""
    total, number = total_messages(workload), len(parse(workload.placement).publishers)
    if total is not None and total < number:
        raise BadInput("count", f"{total} messages for {number} publishers", "send more, or place fewer")
