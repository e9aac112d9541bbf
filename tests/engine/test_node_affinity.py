"""Trials that are compared stay on one node, and a warning names those that did not."""

from __future__ import annotations

from msgspec.structs import replace

from tests.factories import a_payload, a_trial
from wirelab.engine.node_affinity import (
    block_of,
    collect_warnings,
    homes_of,
    mixed_nodes,
    slower_nodes,
    units,
)
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.trial import Link, Trial, Workload

SPEC = a_payload(codec="json/serde_json")


def trial(choice: str, replicate: int, link: str = "ideal", rate: float | None = 5.0) -> Trial:
    levels = {"format": choice, "link": link}
    workload = Workload(rate_hz=rate, count=10)
    return a_trial(
        f"{choice}-{replicate}-{link}",
        levels=levels,
        replicate=replicate,
        payload=SPEC,
        protocol="mock",
        qos="plain",
        link=Link(link),
        workload=workload,
    )


def ids(found: list) -> list[list[str]]:
    return [[t.id for t in unit.trials] for unit in found]


def test_trials_of_one_replicate_and_link_stay_together_in_planned_order() -> None:
    planned = [trial("a", 0), trial("a", 0, "lte"), trial("b", 0), trial("b", 0, "lte")]
    assert ids(units(planned, 2, 2, {})) == [["a-0-ideal", "b-0-ideal"], ["a-0-lte", "b-0-lte"]]


def test_small_sparse_blocks_share_a_machine_up_to_its_width() -> None:
    planned = [trial(c, r) for r in range(4) for c in "ab"]
    assert [len(unit.trials) for unit in units(planned, 1, 4, {})] == [4, 4]


def test_small_blocks_are_not_joined_so_far_that_a_node_has_nothing_to_do() -> None:
    planned = [trial(c, r) for r in range(4) for c in "ab"]
    assert [len(unit.trials) for unit in units(planned, 4, 16, {})] == [2, 2, 2, 2]


def test_blocks_of_heavy_trials_are_units_of_their_own() -> None:
    planned = [trial(c, r, rate=None) for r in range(2) for c in "ab"]
    assert [len(unit.trials) for unit in units(planned, 1, 16, {})] == [2, 2]


def test_wait_bound_trials_are_dispatched_first_and_share_a_node_without_a_limit() -> None:
    planned = [trial("a", 0)]
    for number in range(4):
        lossy = trial("a", number, "lte,loss=25%")
        planned.append(replace(lossy, workload=replace(lossy.workload, arrivals=ClosedLoop())))
    assert ids(units(planned, 2, 0, {})) == [
        ["a-0-lte,loss=25%", "a-1-lte,loss=25%"],
        ["a-2-lte,loss=25%", "a-3-lte,loss=25%"],
        ["a-0-ideal"],
    ]


def test_a_block_that_has_begun_goes_back_to_its_node() -> None:
    planned = [trial(c, r) for r in range(2) for c in "ab"]
    homes = homes_of(planned, {"a-1-ideal": "east"})
    assert homes == {block_of(trial("b", 1)): "east"}
    assert [unit.home for unit in units(planned, 1, 16, homes)] == ["", "east"]


def test_a_block_on_two_nodes_is_named() -> None:
    planned = [trial(c, 0) for c in "ab"]
    assert mixed_nodes(planned, {"a-0-ideal": "east", "b-0-ideal": "west"}) == [
        "replicate 0, link ideal ran on east and west: differences within it are also differences between nodes"
    ]


def test_a_block_that_began_outside_the_cluster_is_named() -> None:
    planned = [trial(c, 0) for c in "ab"]
    assert (
        "ran on a machine outside the cluster and west"
        in mixed_nodes(planned, {"a-0-ideal": "", "b-0-ideal": "west"})[0]
    )


def test_blocks_on_different_nodes_give_no_warning() -> None:
    planned = [trial("a", r) for r in (0, 1)]
    assert mixed_nodes(planned, {"a-0-ideal": "east", "a-1-ideal": "west"}) == []


def test_a_slower_node_is_named_with_its_factor() -> None:
    assert slower_nodes({"east": 1000, "west": 1600, "north": 1200}) == [
        "node west is 1.60 times slower than node east: each replicate stays on one node, "
        "so the ranking is not affected, but absolute times differ"
    ]


def test_a_warning_of_all_nodes_is_given_once() -> None:
    assert collect_warnings({"b": ["load"], "a": ["load", "governor"]}) == [
        "nodes a, b: load",
        "node a: governor",
    ]
