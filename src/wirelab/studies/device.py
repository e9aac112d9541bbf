"""The device of a study: checked before anything is measured, then measured once for all trials."""

from __future__ import annotations

from pathlib import Path

from wirelab.advice.thresholds import asked_metrics
from wirelab.devices import answer_adapter, catalog, energy, libraries
from wirelab.model import units
from wirelab.model.device import DeviceRun
from wirelab.model.errors import BadInput
from wirelab.model.metrics import Source
from wirelab.model.study import Study
from wirelab.model.trial import PayloadSpec
from wirelab.schema import payload, text
from wirelab.schema.check import typed_messages


def check_device(study: Study) -> None:
    """Check that device, radio, battery and thresholds fit, and that the tools are installed.

    Raises BadInput.
    """
    if not study.device:
        return _refuse_without(study)
    chip = catalog.device(study.device)
    if not study.radio:
        raise BadInput(f"device '{study.device}'", "no radio", "name one: --radio cc1200, nb-iot, lora ...")
    if not study.payload:
        raise BadInput(f"device '{study.device}'", "there are no messages to measure on it", "name a payload")
    energy.radio(study.radio)
    _battery(study)
    libraries.find(_directories(study))
    if lacking := catalog.missing_tools(chip):
        raise BadInput(f"device '{study.device}'", f"{lacking.what} {lacking.why}", lacking.next_step)
    return None


def measure_device(study: Study, spec: PayloadSpec) -> DeviceRun:
    """Every C codec on the study's device for the run's own corpus and schema. Raises BadInput."""
    schema = text.read(spec.schema)
    messages = list(typed_messages(payload.read(spec.corpus), schema))
    link, name = energy.radio(study.radio), Path(study.payload).name
    return answer_adapter.one_device(
        name, schema, messages, study.device, link, _battery(study), _directories(study)
    )


def _refuse_without(study: Study) -> None:
    for one in asked_metrics(study.thresholds, study.rank_by):
        if one.source is Source.DEVICE:
            raise BadInput(f"metric '{one.name}'", "needs a device", "give --device and --radio")
    for key in ("radio", "battery", "device_libraries"):
        if getattr(study, key):
            raise BadInput(f"{key.replace('_', '-')}", "given without a device", "add --device")


def _battery(study: Study) -> float | None:
    return float(units.count(study.battery)) if study.battery else None


def _directories(study: Study) -> dict[str, Path]:
    return {name: Path(folder) for name, folder in study.device_libraries.items()}
