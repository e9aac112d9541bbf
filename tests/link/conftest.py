"""The emulator's binary, and labs for its tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.link.labs import Lab
from wirelab.system.binaries import find


@pytest.fixture(scope="session")
def link() -> str:
    """The emulator's binary."""
    return find("wirelab-link")


@pytest.fixture
def lab(link: str, tmp_path: Path) -> Lab:
    """Labs that keep their files in a directory of this test."""
    return Lab(link, tmp_path)
