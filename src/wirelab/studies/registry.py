"""Published studies by name, registered under the entry points `wirelab.reproductions`.

Each entry point names a `Reproduction`. docs/how-to/reproduce-a-study.md shows a package with one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.studies.toml_reader import read_table
from wirelab.system import entry_points

if TYPE_CHECKING:
    # It loads scipy, which the processes of trials do not need.
    from wirelab.studies.published_tables import InstrumentResult

GROUP = "wirelab.reproductions"
INSTRUMENT = "instrument"


@dataclass(frozen=True)
class Request:
    """The flags of `wirelab reproduce` for an instrument. `progress` shows one line to the user."""

    quick: bool = False
    resume: bool = False
    extra_replicates: int = 0
    seed: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    progress: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class Instrument:
    """Measures a study that is not a matrix of trials over links.

    `run` gets the study's file, the run directory and the request.
    It raises BadInput and MeasurementFailed.
    `flags` are the flags of trials that it supports (`--seed`, `--resume`, `--extra-replicates`).
    `options` are the names of its own options (`--option NAME=VALUE`), each with a line of help.
    """

    run: Callable[[Path, Path, Request], InstrumentResult]
    flags: tuple[str, ...] = ()
    has_quick: bool = True
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reproduction:
    """A published study: its file, and its instrument where it has one of its own."""

    study: Path
    instrument: Instrument | None = None


def registered() -> dict[str, EntryPoint]:
    """The entry points of all registered studies, by name."""
    return entry_points.registered(GROUP)


def load(name: str) -> Reproduction:
    """A registered study. Raises BadInput."""
    known = registered()
    if name not in known:
        raise BadInput(f"study '{name}'", "not registered", nearest(name, sorted(known)))
    try:
        found = known[name].load()
    except (ImportError, AttributeError) as error:
        raise BadInput(f"study '{name}'", f"{known[name].value}: {error}", "reinstall its package") from None
    if not isinstance(found, Reproduction):
        raise BadInput(f"study '{name}'", f"{known[name].value} is not a Reproduction", "correct its package")
    return found


def find(study: str) -> Reproduction:
    """A registered study by its name, or any study file by its path. Raises BadInput.

    A file that needs an instrument gets that of the registered study of the same `name`.
    """
    if "/" not in study and not study.endswith(".toml"):
        return load(study)
    table = read_table(Path(study))
    return Reproduction(Path(study), load(str(table.get("name"))).instrument if INSTRUMENT in table else None)
