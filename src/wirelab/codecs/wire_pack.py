"""Packs whose messages cross the wire in batches or compressed: a library around another pack.

The library (`crates/wire-pack`) is copied beside the pack inside, with the settings that it reads.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import msgspec

from wirelab.codecs.build import LIBRARY
from wirelab.codecs.pack import Pack
from wirelab.codecs.pack_key import digest
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.system import binaries

PROGRAM = "libwirelab_wire_pack.so"
NONE = "none"
METHODS = (NONE, "gzip", "zstd")


def check_method(method: str) -> None:
    """Raise BadInput for an unknown compression, and if the library that does it is not built."""
    if method not in METHODS:
        raise BadInput(f"compression '{method}'", "unknown", nearest(method, METHODS))
    if method != NONE:
        check_library()


def check_library() -> None:
    """Raise BadInput if the library that writes what is on the wire is not built."""
    binaries.find(PROGRAM)


def wire_pack(pack: Pack, method: str, batch: int = 1) -> str:
    """The path of a pack whose messages are `batch` messages of `pack` each, compressed; its own
    path if nothing is around it.

    In a batch each message is behind its length as a varint. Raises BadInput if the library is not
    built.
    """
    if method == NONE and batch == 1:
        return str(pack.path)
    library = binaries.find(PROGRAM)
    chosen = None if method == NONE else method
    settings = msgspec.json.encode({"pack": str(pack.path), "method": chosen, "batch": batch})
    within = Path(pack.path).parent
    home = within / f"{method}-{batch}-{digest([Path(library).read_bytes(), settings])}"
    if not home.exists():
        with tempfile.TemporaryDirectory(prefix="new-", dir=within) as folder:
            fresh = Path(folder) / "pack"
            fresh.mkdir()
            shutil.copy(library, fresh / LIBRARY)
            (fresh / "wire.json").write_bytes(settings)
            try:
                fresh.rename(home)
            except OSError:
                # Another process was first.
                if not home.exists():
                    raise
    return str(home / LIBRARY)
