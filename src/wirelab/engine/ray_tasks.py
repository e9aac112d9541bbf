"""Functions as Ray tasks on nodes, and the conversion of their errors."""

from __future__ import annotations

from typing import Any

from wirelab.engine.node import MACHINE
from wirelab.engine.ray_connection import Node, NodeAffinitySchedulingStrategy, ray
from wirelab.model.errors import BadInput, MeasurementFailed, WirelabError

PROBE_S = 120.0
GONE = (ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError)
"""The errors of Ray for a dead node that it still lists."""


def remote(function: Any, **options: Any) -> Any:
    """A function or class as a Ray remote, with these options."""
    return ray.remote(**options)(function)


def on(function: Any, node: Node, **options: Any) -> Any:
    """A function that runs on one node, alone unless options say otherwise."""
    where = NodeAffinitySchedulingStrategy(node.id, soft=False)
    asked = options or {"num_cpus": 0, "resources": {MACHINE: 1}}
    return remote(function, scheduling_strategy=where, max_retries=1, **asked)


def answer(ref: Any, what: str, limit_s: float = PROBE_S) -> Any:
    """The result of a task. Raises GONE, or BadInput, MeasurementFailed about `what`."""
    try:
        return ray.get(ref, timeout=limit_s)
    except GONE:
        raise
    except ray.exceptions.RayError as error:
        raise sentence(error, what) from None


def sentence(error: Exception, what: str) -> WirelabError:
    """The error of a node as an error of wirelab."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, WirelabError):
        named = cause.what if cause.what.startswith("node ") else f"{what}: {cause.what}"
        return type(cause)(named, cause.why, cause.next_step)
    text = " ".join(str(cause or error).split())
    if "No module named 'wirelab" in text:
        return BadInput(what, "wirelab is not installed there", "install the same build on every node")
    return MeasurementFailed(what, text[-300:], "see Ray's logs in /tmp/ray")
