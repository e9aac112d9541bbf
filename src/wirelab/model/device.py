"""The costs of formats on one microcontroller, as values that views and answers share."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.trial import Verdict


class Radio(Struct, frozen=True):
    """A radio: minimum and maximum nJ for one byte sent, and the source of the figures."""

    name: str
    title: str
    low: float
    high: float
    source: str

    @property
    def nj_per_byte(self) -> float:
        """The mean of minimum and maximum, used in calculations."""
        return (self.low + self.high) / 2


class Flip(Struct, frozen=True):
    """From `nj_per_byte` on, `after` costs less energy than `before`."""

    nj_per_byte: float
    before: str
    after: str


class SizeOnly(Struct, frozen=True):
    """A format without a C codec for chips, and the reason.

    `bytes` is the mean size of the same messages, as a library on this machine writes them; None if
    not measured.
    """

    format: str
    bytes: float | None
    reason: str


class OnDevice(Struct, frozen=True):
    """A codec on a chip: means per message. Without figures (`size` is 0) `verdict` has the reason.

    `serialize` and `deserialize` are in the unit that the chip's simulator counts, `*_cycles`
    modelled bands (low, high). Energy is calculated from `cycles`. Memory in bytes, without the
    baseline image.
    """

    format: str
    codec: str
    version: str
    verdict: Verdict
    serialize: float = 0.0
    deserialize: float = 0.0
    serialize_cycles: tuple[float, float] | None = None
    deserialize_cycles: tuple[float, float] | None = None
    size: float = 0.0
    text: int = 0
    data: int = 0
    bss: int = 0
    stack: int = 0
    ram: int = 0
    cycles: float = 0.0
    compute_nj: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def flash(self) -> int:
        """Bytes of flash: code, constants and initial values."""
        return self.text + self.data

    def message_nj(self, radio: Radio, overhead: float) -> float:
        """Energy in nJ for serializing a message and sending it with `overhead` bytes of protocol."""
        return self.compute_nj + (self.size + overhead) * radio.nj_per_byte


class DeviceRun(Struct, frozen=True):
    """One chip: its codecs, radios and flip points.

    `overhead`: given bytes of protocol per message. `battery_mwh` is the cell, `per_second` the
    rate if it is one for all messages.
    """

    device: str
    title: str
    counted: str
    stack: str
    nj_per_cycle: float
    energy_source: str
    rows: tuple[OnDevice, ...]
    radios: tuple[Radio, ...] = ()
    flips: tuple[Flip, ...] = ()
    sizes_only: tuple[SizeOnly, ...] = ()
    messages: int = 0
    compiler: str = ""
    optimise: str = "Os"
    baseline: tuple[int, int, int] = (0, 0, 0)
    note: str = ""
    overhead: float = 0.0
    per_second: float | None = None
    battery_mwh: float | None = None

    @property
    def measured(self) -> tuple[OnDevice, ...]:
        """The codecs that ran."""
        return tuple(row for row in self.rows if row.size)


JOULES_PER_MWH = 3.6


def battery_days(nj: float, per_second: float, milliwatt_hours: float) -> float:
    """Battery life in days for the messages only: no sleep current, no receiving, no connection."""
    return milliwatt_hours * JOULES_PER_MWH / (nj * 1e-9 * per_second) / 86_400
