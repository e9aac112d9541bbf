"""The floating-point helpers for chips, compiled here and compared with this machine's arithmetic."""

from __future__ import annotations

import ctypes
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from wirelab.devices.catalog import FIRMWARE

pytestmark = pytest.mark.matrix


@pytest.fixture(scope="module")
def helpers(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine")
    library = tmp_path_factory.mktemp("softfloat") / "softfloat.so"
    source = FIRMWARE / "shared" / "softfloat.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", str(source), "-o", str(library)], check=True, timeout=60)
    loaded = ctypes.CDLL(str(Path(library)))
    for name, arguments, result in SIGNATURES:
        getattr(loaded, name).argtypes, getattr(loaded, name).restype = arguments, result
    return loaded


U64, U32 = ctypes.c_uint64, ctypes.c_uint32
SIGNATURES = (
    ("wl_f64_add", (U64, U64), U64),
    ("wl_f64_mul", (U64, U64), U64),
    ("wl_f64_div", (U64, U64), U64),
    ("wl_f64_order", (U64, U64), ctypes.c_int),
    ("wl_f64_from", (U64, U64), U64),
    ("wl_f64_magnitude", (U64,), U64),
    ("wl_f64_widen", (U32,), U64),
    ("wl_f64_narrow", (U64,), U32),
    ("wl_f32_add", (U32, U32), U32),
    ("wl_f32_mul", (U32, U32), U32),
    ("wl_f32_div", (U32, U32), U32),
    ("wl_f32_order", (U32, U32), ctypes.c_int),
)


def bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def pairs() -> list[tuple[float, float]]:
    rng = random.Random(1)
    found = [
        (rng.uniform(-1, 1) * 2.0 ** rng.randint(-40, 40), rng.uniform(-1, 1) * 2.0 ** rng.randint(-40, 40))
        for _ in range(5_000)
    ]
    found += [(float(rng.randint(-999, 999)), float(rng.randint(1, 99))) for _ in range(2_000)]
    return [*found, (1.5, -1.5), (0.0, 3.0), (1.0, 2.0**-60), (1.0, -(2.0**-54))]


def test_sums_products_quotients_and_orders_are_those_of_ieee_754(helpers: ctypes.CDLL) -> None:
    for a, b in pairs():
        assert helpers.wl_f64_add(bits(a), bits(b)) == bits(a + b)
        assert helpers.wl_f64_mul(bits(a), bits(b)) == bits(a * b)
        assert helpers.wl_f64_div(bits(a), bits(b)) == bits(a / b)
        assert helpers.wl_f64_order(bits(a), bits(b)) == (a > b) - (a < b)


def single(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def test_the_32_bit_ones_round_as_ieee_754_does(helpers: ctypes.CDLL) -> None:
    for wide_a, wide_b in pairs():
        a, b = (struct.unpack("<f", struct.pack("<f", value))[0] for value in (wide_a, wide_b))
        # 64 bits hold more than twice the digits: rounding their result again gives the 32-bit one.
        assert helpers.wl_f32_add(single(a), single(b)) == single(a + b)
        assert helpers.wl_f32_mul(single(a), single(b)) == single(a * b)
        assert helpers.wl_f32_div(single(a), single(b)) == single(a / b)
        assert helpers.wl_f32_order(single(a), single(b)) == (a > b) - (a < b)


def test_numbers_change_their_width_as_ieee_754_rounds(helpers: ctypes.CDLL) -> None:
    for a, _ in pairs():
        narrow = struct.pack("<f", a)
        assert helpers.wl_f64_narrow(bits(a)) == struct.unpack("<I", narrow)[0]
        assert helpers.wl_f64_widen(struct.unpack("<I", narrow)[0]) == bits(struct.unpack("<f", narrow)[0])


def test_whole_numbers_are_rounded_into_and_cut_out(helpers: ctypes.CDLL) -> None:
    for whole in (0, 1, 255, 2**53 - 1, 2**53 + 1, 2**63 + 1025, 2**64 - 1):
        assert helpers.wl_f64_from(whole, 0) == bits(float(whole))
    for value in (0.0, 0.99, 1.0, 123456.75, 2.0**62):
        assert helpers.wl_f64_magnitude(bits(value)) == int(value)


def test_nan_stays_nan(helpers: ctypes.CDLL) -> None:
    nan, infinite = bits(float("nan")), bits(float("inf"))
    assert helpers.wl_f64_order(nan, bits(1.0)) == 2
    assert helpers.wl_f64_add(infinite, bits(-float("inf"))) == nan
    assert helpers.wl_f64_div(bits(1.0), 0) == infinite
