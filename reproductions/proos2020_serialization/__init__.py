"""Protobuf and FlatBuffers in C++: the serialization part of proos2020 (Persson Proos and Carlsson,
2020).
"""

from pathlib import Path

from wirelab.studies.published_tables import InstrumentResult
from wirelab.studies.registry import Instrument, Reproduction, Request


def run(study: Path, folder: Path, request: Request) -> InstrumentResult:
    """Measure times, sizes and memory of both formats."""
    from wirelab_reproductions.proos2020_serialization.measurement import reproduce

    replicates, seconds = (3, 0.03) if request.quick else (5, 0.1)
    return reproduce(study, folder, replicates, seconds, request.seed, request.progress)


REPRODUCTION = Reproduction(
    Path(__file__).resolve().with_name("study.toml"), Instrument(run, flags=("--seed",))
)
