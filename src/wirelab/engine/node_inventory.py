"""The nodes of a cluster as they describe themselves: which may run trials, and what a reader must know of them."""

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
    """Every node asked once; all of them have this machine's build."""

    def __init__(self) -> None:
        self.here = describe()
        self._seen: dict[str, Description] = {}
        self._names: dict[str, str] = {}

    def probe(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes that answer. Raises BadInput for one with another build, MeasurementFailed where none does."""
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
        """Note how a node describes itself. Raises BadInput where it has another build than this machine."""
        differences(self.here, there, name)
        self._names.setdefault(node_id, name)
        self._seen.setdefault(node_id, there)

    def name(self, node_id: str) -> str:
        """What a node is called, also once it is dead."""
        if node_id not in self._names:
            self._names |= {node.id: node.name for node in living()}
        return self._names.get(node_id, node_id[:6])

    def host(self, node: Node) -> str:
        """The name of the machine that a node is on."""
        return self._seen[node.id].host

    def max_parallel(self, nodes: Sequence[Node]) -> int:
        """How many sparse trials the smallest of these bears side by side."""
        return SPARSE_PER_CORE * min(int(self._seen[node.id].environment["cores"]) for node in nodes)

    def environment(self, node_ids: Sequence[str], load: str) -> dict[str, str]:
        """What a trial's result says of its nodes; what differs between them is given of each."""
        seen = [self._seen[node_id].environment for node_id in node_ids]
        about = {
            k: " + ".join(dict.fromkeys(one[k] for one in seen)) for k in ("cpu", "cores", "kernel", "user")
        }
        return {"node": " + ".join(map(self.name, node_ids)), **about, "load_1min": load}

    def notes(self, nodes: Sequence[Node]) -> list[str]:
        """Nodes that are slower than others, and what disturbs measurements on them."""
        seen = {node.name: self._seen[node.id] for node in nodes}
        return [
            *slower_nodes({name: one.spin_ns for name, one in seen.items()}),
            *collect_warnings({name: one.warnings for name, one in seen.items()}),
        ]
