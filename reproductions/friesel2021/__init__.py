"""Formats on microcontrollers (Friesel and Spinczyk, 2021)."""

from pathlib import Path

from wirelab.studies.published_tables import InstrumentResult
from wirelab.studies.registry import Instrument, Reproduction, Request

# The C libraries whose sources a user names, by the option that names them.
LIBRARIES = {"mpack_dir": "mpack", "arduinojson_dir": "arduinojson"}


def run(study: Path, folder: Path, request: Request) -> InstrumentResult:
    """Measure every object on every device."""
    from wirelab.devices import libraries
    from wirelab_reproductions.friesel2021.measurement import reproduce

    given = {LIBRARIES[name]: Path(value) for name, value in request.options.items()}
    return reproduce(study, folder, libraries.find(given))


OPTIONS = {
    "mpack_dir": "directory of MPack's sources",
    "arduinojson_dir": "directory of ArduinoJson's sources",
}
REPRODUCTION = Reproduction(
    Path(__file__).resolve().with_name("study.toml"), Instrument(run, has_quick=False, options=OPTIONS)
)
