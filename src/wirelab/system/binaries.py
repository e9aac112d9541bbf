"""The paths of the compiled programs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from wirelab.model.errors import BadInput
from wirelab.system.data_root import data_root, is_checkout

# How a user gets a program that is not built.
BUILD = (
    "run make peers, or set WIRELAB_BIN to the folder that holds it"
    if is_checkout()
    else "run make peers in a checkout, and set WIRELAB_BIN to its target/release"
)


def find(name: str) -> str:
    """The path of one of our programs. Raises BadInput.

    The search order is: the folders of $WIRELAB_BIN (separated by colons), target/release of the
    checkout or of the installed package, $PATH.
    """
    own = data_root() / "target" / "release"
    for folder in (*os.environ.get("WIRELAB_BIN", "").split(os.pathsep), str(own)):
        if folder and os.access(Path(folder, name), os.X_OK):
            # Programs start in folders of their own, so a relative folder is made absolute.
            return str(Path(folder, name).absolute())
    found = shutil.which(name)
    if found is None:
        raise BadInput(name, "not built", BUILD)
    return found
