"""Where the compiled programs are."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from wirelab.model.errors import BadInput


def find(name: str) -> str:
    """The path of one of our programs: $WIRELAB_BIN, then the checkout's target/release, then $PATH. Raises BadInput."""
    checkout = Path(__file__).resolve().parents[3] / "target" / "release"
    for folder in (os.environ.get("WIRELAB_BIN", ""), str(checkout)):
        candidate = Path(folder, name) if folder else None
        if candidate is not None and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which(name)
    if found is None:
        raise BadInput(name, "not built", "run make peers, or set WIRELAB_BIN to the folder that holds it")
    return found
