"""Energy of a message: E = cycles x energy per cycle + bytes x energy per byte (friesel2021, section 3)."""

from __future__ import annotations

from msgspec import Struct

from wirelab.devices.catalog import Device
from wirelab.devices.result import Measured
from wirelab.model.errors import BadInput
from wirelab.model.text import nearest

JOULES_PER_MWH = 3.6


class Radio(Struct, frozen=True):
    """A radio: nJ for one byte sent, at its best and at its worst, and where the figures come from."""

    name: str
    title: str
    low: float
    high: float
    source: str

    @property
    def nj_per_byte(self) -> float:
        """What is calculated with: the middle of both."""
        return (self.low + self.high) / 2


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
            "15.6 kbit/s (single tone)",
        ),
        Radio(
            "lora", "LoRa, 125 kHz", 140_000, 2_610_000,
            "Semtech SX1276 data sheet: 29 mA at 13 dBm, 3.3 V; 5.47 kbit/s (SF7) to 0.293 kbit/s (SF12)",
        ),
        Radio(
            "ble", "Bluetooth LE, 1 Mbit/s", 127, 254,
            "Nordic nRF52832 data sheet: 5.3 mA at 0 dBm, 3 V, 8 us per byte; twice that with packet overhead is an assumption",
        ),
    )
}  # fmt: skip


def radio(name: str, custom_nj: float | None = None) -> Radio:
    """The radio called `name`; `custom` has the energy per byte the user gives. Raises BadInput."""
    if name == "custom":
        if custom_nj is None or not 0 <= custom_nj < 1e12:
            raise BadInput("radio 'custom'", "no energy per byte", "give it with --nj-per-byte 250")
        return Radio("custom", "custom", custom_nj, custom_nj, "given by the user")
    if name not in RADIOS:
        raise BadInput(f"radio '{name}'", "not known", nearest(name, [*RADIOS, "custom"]))
    return RADIOS[name]


def cycles(row: Measured, chip: Device, direction: str = "serialize") -> float:
    """Cycles per message, the mean over its messages: counted, the middle of the modelled band, or a lower bound."""
    bands = [getattr(m, f"{direction}_cycles") for m in row.messages]
    if all(bands):
        return float(sum(low + high for low, high in bands)) / 2 / len(bands)
    return row.mean(direction) * chip.energy.cycles_per_count


def compute_nj(row: Measured, chip: Device, direction: str = "serialize") -> float:
    """Energy for serializing one message, in nJ."""
    return cycles(row, chip, direction) * chip.energy.nj_per_cycle


def message_nj(row: Measured, chip: Device, link: Radio, overhead: float = 0.0) -> float:
    """Energy for serializing and sending one message with so many bytes of protocol overhead, in nJ."""
    return compute_nj(row, chip) + (row.mean("size") + overhead) * link.nj_per_byte


class Flip(Struct, frozen=True):
    """From `nj_per_byte` on, `after` costs less energy than `before`."""

    nj_per_byte: float
    before: str
    after: str


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


def battery_days(nj: float, per_second: float, milliwatt_hours: float) -> float:
    """Days a battery lasts for the messages alone: no sleep current, no receiving, no connection."""
    return milliwatt_hours * JOULES_PER_MWH / (nj * 1e-9 * per_second) / 86_400
