"""The root of wirelab's files other than Python: manifests, sources of packs, jars."""

from __future__ import annotations

import os
from pathlib import Path


def data_root() -> Path:
    """$WIRELAB_DATA, else the checkout that holds this module, else the folder `data` of the
    installed package.

    The layout below it is that of the checkout in all three cases.
    """
    if given := os.environ.get("WIRELAB_DATA"):
        return Path(given)
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[1]
    return checkout if (checkout / "crates").is_dir() else package / "data"
