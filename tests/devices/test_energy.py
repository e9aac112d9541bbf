"""Energy per message, flip points, battery life."""

import pytest

from wirelab.devices import catalog, energy
from wirelab.devices.elf import Sizes
from wirelab.devices.result import Measured, PerMessage
from wirelab.model.device import Flip, Radio, battery_days
from wirelab.model.errors import BadInput
from wirelab.model.trial import VALID

MSP = catalog.device("msp430")


def row(codec: str, cycles: int, size: int, band: tuple[int, int] | None = None) -> Measured:
    message = PerMessage(0, "00" * size, cycles, cycles, 8, 8, band, band)
    return Measured("msp430", codec, "1", "cycles", VALID, messages=(message,), sizes=Sizes(1, 1, 1))


def test_energy_is_cycles_and_bytes_times_their_prices() -> None:
    link = Radio("r", "r", 4_000, 6_000, "")
    assert energy.message_nj(row("a", 1_000, 40), MSP, link) == 1_000 * 0.5 + 40 * 5_000


def test_protocol_overhead_is_paid_per_message() -> None:
    link = Radio("r", "r", 10, 10, "")
    assert energy.message_nj(row("a", 0, 40), MSP, link, overhead=60) == 1_000


def test_a_modelled_band_counts_with_its_middle() -> None:
    assert energy.cycles(row("a", 700, 4, (1_000, 1_400)), MSP) == 1_200


def test_the_flip_point_is_where_saved_bytes_pay_for_cycles() -> None:
    # 9,000 cycles more for one byte less, at 0.5 nJ a cycle: 4.5 uJ per byte, as in friesel2021.
    flips = energy.flips([row("fast", 1_000, 41), row("small", 10_000, 40)], MSP)
    assert flips == [Flip(4_500.0, "fast", "small")]


def test_a_codec_that_is_slower_and_larger_never_wins() -> None:
    flips = energy.flips([row("a", 100, 10), row("b", 200, 5), row("c", 300, 20), row("d", 400, 6)], MSP)
    assert [(flip.before, flip.after) for flip in flips] == [("a", "b")]


def test_of_equally_large_codecs_the_faster_one_counts() -> None:
    flips = energy.flips([row("a", 100, 10), row("b", 300, 5), row("c", 200, 5)], MSP)
    assert [(flip.after, flip.nj_per_byte) for flip in flips] == [("c", 10.0)]


def test_battery_life_is_the_cell_over_the_energy_of_messages() -> None:
    # 1 mJ a second takes a 24 mWh cell (86.4 J) one day.
    assert battery_days(1e6, 1.0, 24.0) == pytest.approx(1.0)


def test_a_custom_radio_needs_its_energy_per_byte() -> None:
    assert energy.radio("custom", 250.0).nj_per_byte == 250
    assert energy.radio("custom:17.5").nj_per_byte == 17.5
    with pytest.raises(BadInput, match="custom:250"):
        energy.radio("custom")
    with pytest.raises(BadInput, match="radio 'custom:much': no energy per byte"):
        energy.radio("custom:much")


def test_an_unknown_radio_is_met_with_the_nearest_name() -> None:
    with pytest.raises(BadInput, match="did you mean lora"):
        energy.radio("lorra")


def test_every_device_and_radio_says_where_its_figures_come_from() -> None:
    assert all(len(chip.energy.source) > 20 for chip in catalog.devices().values())
    assert all(len(one.source) > 20 and 0 < one.low <= one.high for one in energy.RADIOS.values())
