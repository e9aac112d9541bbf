"""Programs that come with Python packages."""

from __future__ import annotations

import sysconfig
from pathlib import Path


def find_python_program(program: str) -> Path:
    """A compiler that came with a Python package.

    Another version may be elsewhere on the machine.
    """
    return Path(sysconfig.get_path("scripts")) / program
