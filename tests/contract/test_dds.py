"""DDS between two independent libraries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Peer, distinct_messages
from pair import Pair
from pairs import PAIRS
from trial import Trial

CYCLONE, FAST = (
    next(pair for pair in PAIRS if pair.name == name) for name in ("dds", "dds through Fast DDS")
)


@pytest.mark.parametrize("level", CYCLONE.qos)
@pytest.mark.parametrize(
    ("publisher", "subscriber"), [(CYCLONE, FAST), (FAST, CYCLONE)], ids=["to Fast DDS", "to Cyclone"]
)
def test_cyclone_and_fast_dds_find_and_understand_each_other(
    publisher: Pair, subscriber: Pair, level: str, launch: Callable[[Pair], Peer], tmp_path: Path
) -> None:
    sides = iter((subscriber, publisher))
    both = Trial(CYCLONE, None, level, distinct_messages(20, 100), tmp_path, lambda _: launch(next(sides)))
    both.start(kind="interval", interval_ns=1_000_000, count=20, duration_ns=None)
    both.settle()
    both.drain(20)
    both.end()
    assert [sample.seq for sample in both.samples("subscriber")] == list(range(20))
