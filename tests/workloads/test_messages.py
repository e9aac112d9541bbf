"""Generated messages: of the requested size, distinct, reproducible."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirelab.workloads.messages import how_many, in_batches, messages, read, write


def test_ten_bytes_are_those_of_the_paper() -> None:
    made = messages(10, 100)
    assert (made[0], made[-1]) == (b"message001", b"message100")


@pytest.mark.parametrize("size", [4, 10, 64, 1157])
def test_every_message_has_the_size_and_none_comes_twice(size: int) -> None:
    made = messages(size, 200)
    assert {len(one) for one in made} == {size}
    assert len(set(made)) == 200


def test_they_come_back_from_their_file(tmp_path: Path) -> None:
    made = messages(64, 5)
    write(tmp_path / "m", made)
    assert read(tmp_path / "m") == made == messages(64, 5)


def test_large_ones_are_fewer() -> None:
    assert (how_many(64, None), how_many(1 << 20, None), how_many(64, 23)) == (1000, 8, 23)


def test_batches_are_full_and_hold_each_message_behind_its_length() -> None:
    assert in_batches([b"a", b"bc", b"def"], 2) == [b"\x01a\x02bc"]
    assert in_batches([b"x" * 300, b""], 2) == [b"\xac\x02" + b"x" * 300 + b"\x00"]
