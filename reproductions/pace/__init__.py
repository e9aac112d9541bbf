"""Messages in a closed loop compared with messages 10 s apart: a check of wirelab's own method."""

from pathlib import Path

from wirelab.studies.registry import Reproduction

REPRODUCTION = Reproduction(Path(__file__).resolve().with_name("study.toml"))
