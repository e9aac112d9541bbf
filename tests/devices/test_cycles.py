"""The Cortex-M4 cycle model on sequences whose cycles can be counted by hand from Arm's table."""

from wirelab.devices.cycles import Model

STRAIGHT = """
08000000 <f>:
 8000000:\tmovs\tr0, #1
 8000002:\tadds\tr0, r0, r1
 8000004:\tnop
 8000006:\tbx\tlr
"""
LOADS = """
 8000000:\tldr\tr0, [r1, #0]
 8000002:\tldr\tr2, [r1, #4]
 8000004:\tstr\tr2, [r3, #0]
 8000006:\tmovs\tr0, #1
 8000008:\tldr.w\tr0, [r1, #8]
"""
MULTIPLE = """
 8000000:\tpush\t{r4, r5, r6, lr}
 8000002:\tldmia.w\tr0!, {r1-r3}
 8000006:\tvpush\t{d8-d9}
 800000a:\tldrd\tr0, r1, [r2]
"""
SLOW = """
 8000000:\tudiv\tr0, r1, r2
 8000004:\tvdiv.f32\ts0, s1, s2
 8000008:\tvfma.f32\ts0, s1, s2
"""


def run(listing: str, *addresses: int) -> tuple[int, int]:
    return Model(listing).cost([0x8000000 + address for address in addresses])


def test_straight_code_takes_one_cycle_an_instruction() -> None:
    assert run(STRAIGHT, 0, 2, 4) == (3, 3)


def test_an_instruction_without_operands_does_not_hide_the_next() -> None:
    assert run(STRAIGHT, 4, 6) == (2, 2)


def test_a_taken_branch_refills_the_pipeline_in_one_to_three_cycles() -> None:
    assert run(STRAIGHT, 6, 0) == (1 + 1 + 1, 1 + 3 + 1)


def test_a_load_takes_two_cycles_and_one_right_after_a_load() -> None:
    assert run(LOADS, 0, 2) == (3, 3)


def test_a_store_takes_one_cycle_and_a_load_after_arithmetic_two() -> None:
    assert run(LOADS, 4, 6, 8) == (4, 4)


def test_moving_n_words_takes_one_cycle_more_than_n() -> None:
    assert run(MULTIPLE, 0, 2, 6, 10) == (5 + 4 + 5 + 3, 5 + 4 + 5 + 3)


def test_division_is_a_band_and_floating_point_division_is_long() -> None:
    assert run(SLOW, 0) == (2, 12)
    assert run(SLOW, 4, 8) == (17, 17)


def test_the_cost_of_empty_marks_is_subtracted() -> None:
    model = Model(STRAIGHT)
    assert model.band([0x8000000, 0x8000002, 0x8000004], [0x8000004]) == (2, 2)
