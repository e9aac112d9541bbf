"""The descriptions of a cluster's nodes, and warnings about them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from wirelab.engine.node import Description, describe, differences
from wirelab.engine.node_affinity import collect_warnings, slower_nodes
from wirelab.engine.ray_connection import Node, living
from wirelab.engine.ray_tasks import GONE, answer, on
from wirelab.engine.scheduling import SPARSE_PER_CORE
from wirelab.model.errors import MeasurementFailed


class NodeInventory:
    """The description of every node. All have this machine's build."""

    def __init__(self) -> None:
        self.here = describe()
        self._seen: dict[str, Description] = {}
        self._names: dict[str, str] = {}

    def probe(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes that answer.

        Raises BadInput for another build, MeasurementFailed if none answers.
        """
        new = [node for node in nodes if node.id not in self._seen]
        asked = [on(describe, node, num_cpus=0).remote() for node in new]
        for node, ref in zip(new, asked, strict=True):
            with suppress(*GONE):
                self.accept(node.id, answer(ref, f"node {node.name}"), node.name)
        answered = [node for node in nodes if node.id in self._seen]
        if not answered:
            raise MeasurementFailed("Ray cluster", "no node answers", "see ray status")
        return answered

    def accept(self, node_id: str, there: Description, name: str) -> None:
        """Record the description of a node.

        Raises BadInput for another build than this machine's.
        """
        differences(self.here, there, name)
        self._names.setdefault(node_id, name)
        self._seen.setdefault(node_id, there)

    def name(self, node_id: str) -> str:
        """The name of a node, even after it died."""
        if node_id not in self._names:
            self._names |= {node.id: node.name for node in living()}
        return self._names.get(node_id, node_id[:6])

    def host(self, node: Node) -> str:
        """The name of the machine that a node is on."""
        return self._seen[node.id].host

    def max_parallel(self, nodes: Sequence[Node]) -> int:
        """The number of sparse trials that the smallest of these nodes can run concurrently."""
        return SPARSE_PER_CORE * min(int(self._seen[node.id].environment["cores"]) for node in nodes)

    def environment(self, node_ids: Sequence[str], load: str) -> dict[str, str]:
        """The machine description for a trial's result. Values that differ are given per node."""
        seen = [self._seen[node_id].environment for node_id in node_ids]
        about = {
            k: " + ".join(dict.fromkeys(one[k] for one in seen)) for k in ("cpu", "cores", "kernel", "user")
        }
        return {"node": " + ".join(map(self.name, node_ids)), **about, "load_1min": load}

    def notes(self, nodes: Sequence[Node]) -> list[str]:
        """Warnings about slower nodes and about disturbances on nodes."""
        seen = {node.name: self._seen[node.id] for node in nodes}
        return [
            *slower_nodes({name: one.spin_ns for name, one in seen.items()}),
            *collect_warnings({name: one.warnings for name, one in seen.items()}),
        ]
