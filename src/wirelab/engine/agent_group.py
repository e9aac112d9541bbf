"""The node agents of a placement, one per node. The nodes are reserved while the group exists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from wirelab.engine import ray_connection
from wirelab.engine.node import MACHINE, SMALL_AMOUNT, Description, describe, server_resource
from wirelab.engine.node_agent import NodeAgent
from wirelab.engine.node_inventory import NodeInventory
from wirelab.engine.ray_connection import ray
from wirelab.engine.ray_tasks import remote, sentence
from wirelab.lab.servers import is_known
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.stats.clocks import Exchange
from wirelab.workloads.placement import Placement

# Another trial may still be ending on a node.
RESERVE_S = 120.0
ANSWER_S = 150.0


class NodeLost(Exception):
    """A node or the worker on it died. The argument names it."""


class RayNodeAgent(NodeAgent):
    """A node agent in a Ray actor: it knows its node, and can read the clock of another one."""

    def where(self) -> tuple[str, str, Description]:
        """The id and address of the node, and its description."""
        address: Any = ray.util.get_node_ip_address
        return str(ray.get_runtime_context().get_node_id()), str(address()), describe()

    def exchanges(self, other: Any, number: int) -> list[Exchange]:
        """Read the clock of another agent, `number` times in sequence."""
        found = []
        for _ in range(number):
            asked = self.clock()
            theirs = ray.get(other.clock.remote())
            found.append(Exchange(asked, theirs, self.clock()))
        return found


class AgentGroup:
    """Agents in the order of a placement's posts. `servers` can be started on the server's node.

    Raises BadInput, MeasurementFailed if the cluster lacks the nodes, NodeLost if one dies.
    """

    def __init__(self, placement: Placement, servers: Iterable[str], inventory: NodeInventory) -> None:
        self.placement = placement
        found = [] if placement.outside else [s for s in servers if is_known(s) and s != "built-in"]
        wanted = {server_resource(server): SMALL_AMOUNT for server in found}
        asked = [wanted if post.server else {} for post in placement.posts]
        self._group = _reserved(asked)
        self.agents: list[Any] = []
        self.ids: list[str] = []
        self.names: list[str] = []
        self.addresses: list[str] = []
        try:
            for index, more in enumerate(asked):
                where = PlacementGroupSchedulingStrategy(self._group, index)
                options = {"num_cpus": 0, "resources": {MACHINE: 1, **more}, "max_restarts": 0}
                self.agents.append(remote(RayNodeAgent, scheduling_strategy=where, **options).remote())
            for node_id, address, there in self.call_all("where"):
                inventory.accept(node_id, there, inventory.name(node_id))
                self.ids.append(node_id)
                self.names.append(inventory.name(node_id))
                self.addresses.append(address)
        except BaseException:
            self.close()
            raise

    def call_all(self, method: str, *given: Any) -> list[Any]:
        """Call a method of every agent, in parallel. Raises NodeLost, or what an agent raises."""
        return self.call_each({index: (method, *given) for index in range(len(self.agents))})

    def call_each(self, asked: Mapping[int, tuple[Any, ...]]) -> list[Any]:
        """Call a method, with its arguments, of each of these agents, in parallel."""
        refs = {
            index: getattr(self.agents[index], method).remote(*given)
            for index, (method, *given) in asked.items()
        }
        return [self._answer(index, ref) for index, ref in refs.items()]

    def call_one(self, index: int, method: str, *given: Any) -> Any:
        """Call a method of one agent."""
        return self.call_each({index: (method, *given)})[0]

    def close(self) -> None:
        """End the agents with whatever runs on them, and free the nodes."""
        if ray_connection.head_answers():
            for agent in self.agents:
                with suppress(ray.exceptions.RayError):
                    ray.kill(agent)
            remove_placement_group(self._group)

    def _answer(self, index: int, ref: Any) -> Any:
        name = self.names[index] if index < len(self.names) else f"{index + 1} of the placement"
        try:
            return ray.get(ref, timeout=ANSWER_S)
        except ray.exceptions.RayTaskError as error:
            raise sentence(error, f"node {name}") from None
        except ray.exceptions.GetTimeoutError:
            raise MeasurementFailed(
                f"node {name}", f"no answer within {ANSWER_S:g} s", "see Ray's logs in /tmp/ray"
            ) from None
        except ray.exceptions.RayError:
            gone = (
                index < len(self.ids)
                and ray_connection.head_answers()
                and ray_connection.is_gone(self.ids[index])
            )
            raise NodeLost(f"node {name}" if gone else f"a worker on node {name}") from None


def _reserved(asked: list[dict[str, float]]) -> Any:
    """Reserve one node for each of these.

    Raises BadInput if there are too few nodes, MeasurementFailed if they stay reserved by others.
    """
    offering, _ = ray_connection.usable({})
    if len(offering) < len(asked):
        why = f"{len(asked)} nodes are needed, {len(offering)} declare the resource {MACHINE}"
        raise BadInput("placement", why, "start more nodes, or put several roles on one")
    cpus = min(node.offers.get("CPU", 0.0) for node in offering)
    # Reserve whole nodes: no other work of the cluster may run during a measurement.
    bundles = [{MACHINE: 1.0, **({"CPU": cpus} if cpus else {}), **more} for more in asked]
    group = placement_group(bundles, strategy="STRICT_SPREAD")
    if not group.wait(RESERVE_S):
        remove_placement_group(group)
        lacking = sorted({name for more in asked for name in more})
        why = f"{len(asked)} nodes{' with ' + ', '.join(lacking) if lacking else ''} did not become free within {RESERVE_S:g} s"
        raise MeasurementFailed("placement", why, "see ray status")
    return group
