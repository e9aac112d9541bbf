"""The root of wirelab's files other than Python: programs, manifests, sources of packs, jars."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parents[1]


def data_root() -> Path:
    """$WIRELAB_DATA, else the checkout that holds this module, else the folder `data` of the
    installed package.

    The layout below it is that of the checkout in all three cases.
    """
    if given := os.environ.get("WIRELAB_DATA"):
        return Path(given)
    return checkout() or _PACKAGE / "data"


def checkout() -> Path | None:
    """The checkout that holds this module; None for an installed package."""
    return _CHECKOUT if is_checkout() else None


def is_checkout() -> bool:
    """Whether this module lies in a checkout, where everything can be built."""
    return (_CHECKOUT / "Makefile").is_file()


def in_checkout(step: str) -> str:
    """A step that takes a checkout. To an installed wirelab it says how the result is found."""
    return step if is_checkout() else f"in a checkout {step}, and set WIRELAB_DATA to the checkout"
