"""Node affinity: trials that stay together on one node, and warnings if they did not. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from wirelab.engine.scheduling import split_wait_bound, trial_slots
from wirelab.model.answer import GIVEN
from wirelab.model.trial import Trial
from wirelab.workloads.load import is_sparse

Block = tuple[int, tuple[tuple[str, str], ...]]
# A node that takes this much longer than the fastest for the same work is reported as slower.
SLOWER = 1.25


class WorkUnit(Struct):
    """Trials that one node runs in sequence, in planned order.

    `home` is the node on which trials of their block ran before; "" if there is none.
    """

    trials: list[Trial]
    home: str = ""


def block_of(trial: Trial) -> Block:
    """The key of a block, in which trials are compared: one replicate in one context (link, rate
    ...).
    """
    return trial.replicate, tuple((k, v) for k, v in trial.levels.items() if k in GIVEN)


def units(
    trials: Sequence[Trial], nodes: int, max_parallel: int, homes: Mapping[Block, str]
) -> list[WorkUnit]:
    """Units of whole blocks: wait-bound ones first, the others in planned order.

    Small blocks of sparse trials share a unit of up to `max_parallel` slots, as they share
    a machine locally, unless a node would then be idle. Units of wait-bound trials have no limit.
    """
    waiting, others = split_wait_bound(trials)
    return [*_shared(waiting, nodes, math.inf, homes), *_shared(others, nodes, max_parallel, homes)]


def _shared(
    trials: Sequence[Trial], nodes: int, max_parallel: float, homes: Mapping[Block, str]
) -> list[WorkUnit]:
    blocks: dict[Block, list[Trial]] = {}
    for trial in trials:
        blocks.setdefault(block_of(trial), []).append(trial)
    most = min(max_parallel, _slots(trials) / max(1, nodes))
    found: list[WorkUnit] = []
    for block, members in blocks.items():
        home = homes.get(block, "")
        last = found[-1] if found else None
        sparse = all(is_sparse(trial.workload) for trial in members)
        room = last is not None and _slots(last.trials) + _slots(members) <= most and last.home == home
        if last is not None and room and sparse and is_sparse(last.trials[-1].workload):
            last.trials += members
        else:
            found.append(WorkUnit(list(members), home))
    return found


def _slots(trials: Sequence[Trial]) -> float:
    return sum(trial_slots(trial) for trial in trials)


def homes_of(trials: Sequence[Trial], nodes: Mapping[str, str]) -> dict[Block, str]:
    """The node of each block's first finished trial.

    `nodes` has the node of each finished trial by id.
    """
    found: dict[Block, str] = {}
    for trial in trials:
        if trial.id in nodes:
            found.setdefault(block_of(trial), nodes[trial.id])
    return found


def mixed_nodes(trials: Sequence[Trial], nodes: Mapping[str, str]) -> list[str]:
    """A warning for each block that ran on several nodes: its comparisons include differences of
    nodes.
    """
    where: dict[Block, dict[str, None]] = {}
    for trial in trials:
        if trial.id in nodes:
            where.setdefault(block_of(trial), {})[nodes[trial.id] or "a machine outside the cluster"] = None
    return [
        f"replicate {block[0]}{_context(block)} ran on {' and '.join(sorted(seen))}: differences within it are also differences between nodes"
        for block, seen in where.items()
        if len(seen) > 1
    ]


def _context(block: Block) -> str:
    return "".join(f", {name} {value}" for name, value in block[1])


def slower_nodes(spin_ns: Mapping[str, int]) -> list[str]:
    """A warning for each node that is clearly slower than the fastest (ns for fixed work, by node)."""
    fastest = min(spin_ns, key=lambda node: spin_ns[node], default="")
    return [
        f"node {node} is {spin_ns[node] / spin_ns[fastest]:.2f} times slower than node {fastest}: "
        "each replicate stays on one node, so the ranking is not affected, but absolute times differ"
        for node in sorted(spin_ns)
        if spin_ns[node] > SLOWER * spin_ns[fastest]
    ]


def collect_warnings(warnings: Mapping[str, Sequence[str]]) -> list[str]:
    """The warnings of nodes (by node), each once with the names of the nodes."""
    by_text: dict[str, list[str]] = {}
    for node in sorted(warnings):
        for text in warnings[node]:
            by_text.setdefault(text, []).append(node)
    return [
        f"node{'s' if len(nodes) > 1 else ''} {', '.join(nodes)}: {text}" for text, nodes in by_text.items()
    ]
