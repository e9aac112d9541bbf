"""Energy of a message: E = cycles x energy per cycle + bytes x energy per byte (friesel2021,
section 3).
"""

from __future__ import annotations

from wirelab.devices.catalog import Device
from wirelab.devices.result import Measured
from wirelab.model.device import Flip, Radio
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest

RADIOS = {
    radio.name: radio
    for radio in (
        Radio("cc1200", "TI CC1200, sub-1-GHz", 5_000, 10_000, "friesel2021, section 3: 5 to 10 uJ per byte by data sheet"),
        Radio("wifi", "Wi-Fi at 65 Mbit/s", 5, 5, "friesel2021, section 3: ESP8266, 5 nJ per byte by data sheet"),
        Radio(
            "lte-m", "LTE-M", 15_000, 150_000,
            "about 500 mA at 3.8 V and 23 dBm while sending (u-blox SARA-R4 integration manual, figure 7) at 1 Mbit/s; "
            "ten times that for repetitions in weak coverage is an assumption",
        ),
        Radio(
            "nb-iot", "NB-IoT", 46_000, 406_000,
            "u-blox SARA-N2 data sheet, 3.6 V: 100 mA at 13 dBm with 62.5 kbit/s (multi-tone) to 220 mA at 23 dBm with "
            "15.6 kbit/s (single tone); not checked against the data sheet itself",
        ),
        Radio(
            "lora", "LoRa, 125 kHz", 140_000, 2_610_000,
            "Semtech SX1276 data sheet: 29 mA at 13 dBm on RFO, 3.3 V; 5.47 kbit/s (SF7) to 0.293 kbit/s (SF12)",
        ),
        Radio(
            "ble", "Bluetooth LE, 1 Mbit/s", 170, 341,
            "Nordic nRF52832 product specification 1.1: 7.1 mA at 0 dBm, 3 V, 8 us per byte; twice that with packet overhead is an assumption",
        ),
    )
}  # fmt: skip


def radio(text: str, custom_nj: float | None = None) -> Radio:
    """The radio called `text`. Raises BadInput.

    `custom` (with `custom_nj`) and `custom:250` have the energy per byte that the user gives.
    """
    name, _, given = text.partition(":")
    if name == "custom":
        nj = custom_nj if not given else _number(given)
        if nj is None or not 0 <= nj < 1e12:
            raise BadInput(f"radio '{text}'", "no energy per byte", "give nJ per byte, like custom:250")
        return Radio("custom", "custom", nj, nj, "given by the user")
    if text not in RADIOS:
        raise BadInput(f"radio '{text}'", "not known", nearest(text, [*RADIOS, "custom"]))
    return RADIOS[text]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def cycles(row: Measured, chip: Device, direction: str = "serialize") -> float:
    """Mean cycles per message: counted, the middle of the modelled bounds, or a lower bound."""
    band = row.band(direction)
    if band:
        return sum(band) / 2
    return row.mean(direction) * chip.energy.cycles_per_count


def compute_nj(row: Measured, chip: Device, direction: str = "serialize") -> float:
    """Energy for serializing one message, in nJ."""
    return cycles(row, chip, direction) * chip.energy.nj_per_cycle


def message_nj(row: Measured, chip: Device, link: Radio, overhead: float = 0.0) -> float:
    """Energy in nJ for serializing and sending one message with its protocol overhead in bytes."""
    return compute_nj(row, chip) + (row.mean("size") + overhead) * link.nj_per_byte


def flips(rows: list[Measured], chip: Device) -> list[Flip]:
    """The points at which the cheapest codec changes as the energy per byte grows from zero."""
    lines = [(compute_nj(row, chip), row.mean("size"), row.codec) for row in rows if row.messages]
    found: list[Flip] = []
    if not lines:
        return found
    current, price = min(lines), 0.0
    while True:
        ahead = [
            ((cost - current[0]) / (current[1] - size), size, cost, name)
            for cost, size, name in lines
            if size < current[1]
        ]
        if not ahead:
            return found
        price, size, cost, name = min(ahead)
        found.append(Flip(price, current[2], name))
        current = (cost, size, name)
