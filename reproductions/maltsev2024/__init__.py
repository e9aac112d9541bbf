"""Fourteen formats in Java on growing messages, and their lag through Kafka (Maltsev and Amin,
2024).
"""

from pathlib import Path

from wirelab.studies.published_tables import InstrumentResult
from wirelab.studies.registry import Instrument, Reproduction, Request


def run(study: Path, folder: Path, request: Request) -> InstrumentResult:
    """Measure the formats' times, then the lag of actors with Kafka between them."""
    from wirelab_reproductions.maltsev2024.measurement import reproduce

    return reproduce(study, folder, request)


REPRODUCTION = Reproduction(
    Path(__file__).resolve().with_name("study.toml"),
    Instrument(run, flags=("--resume", "--extra-replicates", "--seed")),
)
