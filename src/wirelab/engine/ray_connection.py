"""The connection to a Ray cluster, and the list of its nodes."""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from wirelab.engine.node import MACHINE, resources
from wirelab.model.errors import BadInput, MeasurementFailed

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

try:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError:
    raise BadInput("--engine ray", "Ray is not installed", "pip install 'wirelab[cluster]'") from None

ANSWER_S = 3.0
__all__ = ["NodeAffinitySchedulingStrategy", "ray"]


class Node(Struct, frozen=True):
    """A living node. `offers` are its resources, `raylet` is HOST:PORT of its own process."""

    id: str
    name: str
    raylet: str
    offers: dict[str, float]


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect to the cluster at `address`, else to that of this machine, else to a new one on it.

    Raises BadInput.
    """
    if address.startswith("ray://"):
        raise BadInput(
            f"address {address}",
            "Ray's client protocol",
            "run wirelab on a node of the cluster, with HOST:PORT",
        )
    # Ray replaces 127.0.0.1 by this machine's outer address, and would wait minutes for an absent
    # head.
    host, _, port = address.rpartition(":")
    own: Any = ray.util.get_node_ip_address
    outer = f"{own()}:{port}" if host in ("127.0.0.1", "localhost") else address
    if address and not _answers(outer):
        raise BadInput(
            f"address {outer}",
            "no Ray head answers there",
            "start one with ray start --head, see docs/how-to/cluster.md",
        )
    # Replace Ray's signal handler: `kill` must end wirelab in the same order as Ctrl-C.
    handler = signal.getsignal(signal.SIGTERM)
    common: dict[str, Any] = {
        "log_to_driver": False,
        "logging_level": logging.ERROR,
        "configure_logging": True,
    }
    try:
        try:
            ray.init(address=outer or "auto", **common)
        except ConnectionError:
            if address:
                raise
            ray.init(address="local", include_dashboard=False, resources=resources(), **common)
    except (ConnectionError, RuntimeError, ValueError) as error:
        why = " ".join(str(error).split())[:300]
        raise BadInput(
            f"Ray cluster {address or 'of this machine'}",
            why,
            "one Ray and one Python on every node (docs/how-to/cluster.md)",
        ) from None
    finally:
        signal.signal(signal.SIGTERM, handler)
    try:
        yield
    finally:
        # If its head is dead, Ray would wait for it and then kill this process.
        if head_answers():
            ray.shutdown()


def head_address() -> str:
    """HOST:PORT of the head's control store."""
    return str(ray.get_runtime_context().gcs_address)


def head_answers() -> bool:
    """Whether the head accepts connections.

    Ray is not used for this: it would wait for a dead head and then abort.
    """
    return _answers(head_address())


def living() -> list[Node]:
    """All living nodes, named by `ray start --node-name`, else by host.

    Equal names get a number.
    """
    ask: Any = ray.nodes
    found: list[Node] = []
    for seen in sorted((n for n in ask() if n["Alive"]), key=lambda n: str(n["NodeID"])):
        address = str(seen["NodeManagerAddress"])
        given = str(seen.get("NodeName") or "")
        name = str(seen["NodeManagerHostname"]) if given in ("", address) else given
        raylet = f"{address}:{seen['NodeManagerPort']}"
        found.append(Node(str(seen["NodeID"]), name, raylet, dict(seen["Resources"])))
    names = [node.name for node in found]
    return [
        Node(n.id, f"{n.name}-{n.id[:6]}" if names.count(n.name) > 1 else n.name, n.raylet, n.offers)
        for n in found
    ]


def is_gone(node_id: str) -> bool:
    """Whether a node has died. Ray detects it seconds later."""
    node = next((node for node in living() if node.id == node_id), None)
    return node is None or not _answers(node.raylet, patience_s=0.0)


def usable(wanted: dict[str, float]) -> tuple[list[Node], list[str]]:
    """The nodes that offer all of this, and a note for each that offers a part.

    Raises BadInput if there is none.
    """
    good: list[Node] = []
    notes: list[str] = []
    for node in living():
        missing = [name for name in (MACHINE, *wanted) if name not in node.offers]
        if not missing:
            good.append(node)
        elif MACHINE in node.offers:
            notes.append(f"node {node.name} ran no trial: it declares no {', no '.join(missing)}")
    if good:
        return good, notes
    step = 'start nodes with ray start --resources "$(python -m wirelab.engine.node)"'
    why = "; ".join(notes) or f"no node declares the resource {MACHINE}"
    raise BadInput(f"Ray cluster {head_address()}", why, step)


def lost_head(directory: str) -> MeasurementFailed:
    """The error for a lost head."""
    return MeasurementFailed(
        f"Ray's head {head_address()}",
        "no longer responds",
        f"finished trials are kept in {directory}: continue with --resume, with --engine ray once the cluster is back, or without",
    )


def no_node_left(why: str, directory: str) -> MeasurementFailed:
    """The error if no usable node remains."""
    return MeasurementFailed(
        "Ray cluster",
        f"no usable node remains ({why})",
        f"finished trials are kept in {directory}: continue with --resume",
    )


def _answers(address: str, patience_s: float = ANSWER_S) -> bool:
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + patience_s
    while port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        else:
            return True
    return False
