"""Counts, sizes and stacks literally, for the compiler versions of Debian 12.

Another compiler gives other figures.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from wirelab.devices.result import Measured

pytestmark = pytest.mark.first_case

Cost = Callable[..., Measured]
MESSAGE = b'{"sensor":"gps","time":1351824120,"data":[48,2],"seq":4711,"ok":true}\n'
COMPILERS = {
    "atmega328p": "avr-gcc (GCC) 5.4.0",
    "msp430": "Debian clang version 14.0.6",
    "esp8266": "xtensa-lx106-elf-gcc (12.2.0-14+deb12u1+13+b2) 12.2.0",
    "stm32f4": "arm-none-eabi-gcc (15:12.2.rel1-1) 12.2.1 20221205",
    "riscv32": "riscv64-unknown-elf-gcc (12.2.0-14+deb12u1+11+b2) 12.2.0",
}
# serialize, deserialize, bytes, text, data, bss, deepest stack
FIGURES: dict[tuple[str, str, str], tuple[int, ...]] = {
    ("atmega328p", "xdr/wirelab", "Os"): (702, 847, 32, 1014, 6, 54, 33),
    ("atmega328p", "xdr/wirelab", "O2"): (649, 764, 32, 1152, 6, 54, 27),
    ("atmega328p", "protobuf/nanopb", "Os"): (10367, 14393, 20, 9388, 18, 53, 197),
    ("atmega328p", "cbor/tinycbor", "Os"): (6137, 16233, 42, 6208, 34, 118, 174),
    ("msp430", "xdr/wirelab", "Os"): (666, 675, 32, 876, 0, 56, 28),
    ("msp430", "xdr/wirelab", "O2"): (656, 629, 32, 1008, 0, 56, 26),
    ("msp430", "protobuf/nanopb", "Os"): (5741, 8163, 20, 7886, 0, 56, 196),
    ("msp430", "cbor/tinycbor", "Os"): (3567, 29667, 42, 6074, 0, 120, 152),
    ("esp8266", "xdr/wirelab", "Os"): (266, 296, 32, 748, 0, 56, 84),
    ("esp8266", "xdr/wirelab", "O2"): (257, 287, 32, 916, 0, 56, 76),
    ("esp8266", "protobuf/nanopb", "Os"): (2401, 3053, 20, 6323, 0, 56, 528),
    ("esp8266", "cbor/tinycbor", "Os"): (2239, 6338, 42, 4355, 0, 124, 420),
    ("stm32f4", "xdr/wirelab", "Os"): (252, 228, 32, 844, 0, 56, 64),
    ("stm32f4", "xdr/wirelab", "O2"): (208, 185, 32, 972, 0, 56, 56),
    ("stm32f4", "protobuf/nanopb", "Os"): (2153, 2586, 20, 5248, 0, 56, 336),
    ("stm32f4", "cbor/tinycbor", "Os"): (1550, 5072, 42, 4140, 0, 124, 348),
    ("riscv32", "xdr/wirelab", "Os"): (346, 309, 32, 724, 0, 56, 76),
    ("riscv32", "xdr/wirelab", "O2"): (259, 263, 32, 892, 0, 56, 48),
    ("riscv32", "protobuf/nanopb", "Os"): (2362, 3275, 20, 6000, 0, 56, 404),
    ("riscv32", "cbor/tinycbor", "Os"): (2307, 6234, 42, 3856, 0, 124, 428),
}


def figures(measured: Measured) -> tuple[int, ...]:
    message = measured.messages[0]
    sizes = measured.sizes
    return (
        message.serialize,
        message.deserialize,
        message.size,
        sizes.text,
        sizes.data,
        sizes.bss,
        measured.stack,
    )


@pytest.mark.parametrize(("device", "codec", "optimise"), FIGURES)
def test_figures_are_the_same_on_every_machine(cost: Cost, device: str, codec: str, optimise: str) -> None:
    measured = cost(device, codec, MESSAGE, optimise)
    if measured.compiler != COMPILERS[device]:
        pytest.skip(f"figures are those of {COMPILERS[device]}, here is {measured.compiler}")
    assert figures(measured) == FIGURES[device, codec, optimise]


def test_the_modelled_cycles_of_the_cortex_m4_are_a_band_around_its_instructions(cost: Cost) -> None:
    message = cost("stm32f4", "xdr/wirelab", MESSAGE).messages[0]
    assert message.serialize_cycles is not None
    low, high = message.serialize_cycles
    assert message.serialize < low < high < 3 * message.serialize


def test_a_second_run_gives_the_same_figures(cost: Cost) -> None:
    assert cost("esp8266", "protobuf/nanopb", MESSAGE) == cost("esp8266", "protobuf/nanopb", MESSAGE)
