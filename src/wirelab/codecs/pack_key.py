"""The key of a cached pack: a digest of everything that its binary is made from.

Generated sources are part of it by their text. What the formats' compilers make of them, and how
they are compiled, is part of it by the code that does it (`code`) and by the compilers' versions
(`program_version`).
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType


def digest(parts: Iterable[str | bytes]) -> str:
    """24 hexadecimal digits, which differ for different lists of parts."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(f"{len(data)}:".encode() + data)
    return found.hexdigest()[:24]


def code(*modules: ModuleType) -> list[bytes]:
    """The source files of modules."""
    return [Path(module.__file__ or "").read_bytes() for module in modules]


@cache
def program_version(path: str) -> str:
    """What a program answers to --version; "" if it cannot be run. `path` is as for exec."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()
