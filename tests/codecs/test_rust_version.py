"""The Rust version that errors name is the one that Cargo.toml requires."""

from __future__ import annotations

import tomllib
from pathlib import Path

from wirelab.codecs.rust import RUST_VERSION


def test_the_required_rust_version_is_that_of_the_workspace() -> None:
    cargo = tomllib.loads((Path(__file__).resolve().parents[2] / "Cargo.toml").read_text())
    assert cargo["workspace"]["package"]["rust-version"] == RUST_VERSION
