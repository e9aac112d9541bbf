"""The recordings that a trial replays, as files."""

from __future__ import annotations

from pathlib import Path

from wirelab.model.arrivals import Replay
from wirelab.model.link_text import parse_link_text
from wirelab.model.trial import Trial


def recording_paths(trial: Trial) -> list[str]:
    """The existing files that its link, its shared medium and its arrivals name."""
    arrivals = trial.workload.arrivals
    named = [
        *parse_link_text(trial.link.text).file_names(),
        *parse_link_text(trial.link.segment).file_names(),
        *([arrivals.path] if isinstance(arrivals, Replay) else []),
    ]
    return [path for path in named if path and Path(path).is_file()]
