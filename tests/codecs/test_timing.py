"""The number of processes that a codec's precision needs, with made-up times."""

from __future__ import annotations

import random
from collections.abc import Sequence

from wirelab.codecs.pack import CodecInfo
from wirelab.codecs.timing import Timing, time_codecs, total, totals


def info(name: str) -> CodecInfo:
    return CodecInfo(name, name.partition("/")[0], "x", "1", ("serialize", "deserialize"))


class Made:
    """A language whose codecs take the same time in each process, or one that scatters."""

    language = "rust"

    def __init__(self, *names: str) -> None:
        self.sound = tuple(map(info, names))
        self.asked: list[tuple[str, ...]] = []

    def bench(self, infos: Sequence[CodecInfo], seconds_per: float, seed: int) -> list[Timing]:
        del seconds_per, seed
        number = len(self.asked)
        self.asked.append(tuple(one.name for one in infos))
        times = {one.name: 100.0 + number * (40 if one.name == "b/noisy" else 0.1) for one in infos}
        return [
            Timing(name, phase, "0", 1, (time, time), (time, time))
            for name, time in times.items()
            for phase in ("serialize", "deserialize")
        ]


def test_a_precise_codec_gets_three_processes_and_a_noisy_one_all() -> None:
    made = Made("a/steady", "b/noisy")
    (lines,) = time_codecs([made], 5, 0.01, random.Random(1), precision=0.05)
    assert made.asked == [("a/steady", "b/noisy")] * 3 + [("b/noisy",)] * 2
    assert [len(totals(one, lines)) for one in made.sound] == [3, 5]


def test_without_a_precision_every_codec_gets_all_processes() -> None:
    made = Made("a/steady")
    time_codecs([made], 5, 0.01, random.Random(1))
    assert made.asked == [("a/steady",)] * 5


def test_codecs_that_are_all_precise_end_the_timing() -> None:
    first, second = Made("a/steady"), Made("b/noisy")
    time_codecs([first, second], 4, 0.01, random.Random(1), precision=0.05)
    assert (len(first.asked), len(second.asked)) == (3, 4)


def test_progress_names_how_many_codecs_of_which_language_are_timed() -> None:
    said: list[str] = []
    time_codecs([Made("a/steady", "b/noisy")], 4, 0.01, random.Random(1), 0.05, said.append)
    assert said[2:] == [
        "timing 2 of 2 codecs in Rust, replicate 3 of at most 4",
        "timing 1 of 2 codecs in Rust, replicate 4 of at most 4",
    ]


def test_the_interval_of_a_codec_that_ended_at_its_precision_covers_the_true_time() -> None:
    number, scatter = 400, random.Random(7)

    class Scattered(Made):
        def bench(self, infos: Sequence[CodecInfo], seconds_per: float, seed: int) -> list[Timing]:
            del seconds_per, seed
            times = {one.name: 100.0 * scatter.lognormvariate(-0.00125, 0.05) for one in infos}
            return [
                Timing(name, phase, "0", 1, (time,), (time,))
                for name, time in times.items()
                for phase in ("serialize", "deserialize")
            ]

    made = Scattered(*(f"codec/{index}" for index in range(number)))
    (lines,) = time_codecs([made], 5, 0.01, random.Random(1), precision=0.05)
    values = [totals(one, lines) for one in made.sound]
    found = [total(own) for own in values]
    covered = sum(one is not None and one.low <= 200.0 <= one.high for one in found)
    assert {len(own) for own in values} == {3, 4, 5}
    assert 0.91 <= covered / number <= 0.97
