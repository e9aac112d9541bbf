"""The paths of the compiled programs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from wirelab.model.errors import BadInput

# How a user gets a program that is not built.
BUILD = "run make peers, or set WIRELAB_BIN to the folder that holds it"


def find(name: str) -> str:
    """The path of one of our programs. Raises BadInput.

    The search order is: the folders of $WIRELAB_BIN (separated by colons), target/release of the
    checkout, $PATH.
    """
    checkout = Path(__file__).resolve().parents[3] / "target" / "release"
    for folder in (*os.environ.get("WIRELAB_BIN", "").split(os.pathsep), str(checkout)):
        if folder and os.access(Path(folder, name), os.X_OK):
            # Programs start in folders of their own, so a relative folder is made absolute.
            return str(Path(folder, name).absolute())
    found = shutil.which(name)
    if found is None:
        raise BadInput(name, "not built", BUILD)
    return found
