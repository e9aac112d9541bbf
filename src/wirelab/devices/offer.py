"""A device's cost per format, for views that rank formats by other things too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from wirelab.devices import codecs, energy
from wirelab.devices.catalog import device
from wirelab.devices.energy import Radio
from wirelab.devices.libraries import Libraries
from wirelab.devices.result import Measured
from wirelab.devices.survey import Wish, survey
from wirelab.model.schema import Schema
from wirelab.model.trial import Verdict


class DeviceCost(Struct, frozen=True):
    """What serializing one message takes on a device: nJ, and the measured row behind it; None where `verdict` says why."""

    device: str
    radio: str
    verdict: Verdict
    compute_nj: float | None
    nj_per_byte: float
    row: Measured

    def message_nj(self, bytes_on_air: float) -> float | None:
        """nJ for serializing a message and sending so many bytes (payload and protocol overhead)."""
        return None if self.compute_nj is None else self.compute_nj + bytes_on_air * self.nj_per_byte


def device_costs(
    name: str,
    schema: Schema,
    corpus: list[Any],
    chip_name: str,
    link: Radio,
    libraries: Libraries,
    cache: Path | None = None,
) -> dict[str, DeviceCost]:
    """The cost by format (`protobuf` ...) on one device. Formats without a C codec are not in it. Raises BadInput."""
    chip = device(chip_name)
    rows = survey(name, schema, corpus, libraries, Wish(devices=(chip_name,)), cache).rows
    return {
        codecs.CODECS[row.codec].format: DeviceCost(
            chip_name,
            link.name,
            row.verdict,
            energy.compute_nj(row, chip) if row.messages else None,
            link.nj_per_byte,
            row,
        )
        for row in rows
    }
