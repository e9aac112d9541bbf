"""The browser, if there is one."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars",
)  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: opens pages in headless Chromium")


@pytest.fixture
def chromium(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Chromium with further flags and an empty profile; skips loudly where it is not
    installed.
    """
    binary = shutil.which("chromium")
    if binary is None:
        warnings.warn("chromium is absent: pages are not opened; make deps installs it", stacklevel=1)
        pytest.skip("chromium is absent")

    def run(*flags: str) -> subprocess.CompletedProcess[str]:
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        return subprocess.run(
            [binary, *FLAGS, profile, *flags], capture_output=True, text=True, timeout=300, check=True
        )

    return run
