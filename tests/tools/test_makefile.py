"""Where `make` builds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_users_own_settings_of_cargo_do_not_move_what_make_builds() -> None:
    inherited = {name: text for name, text in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    env = {**inherited, "CARGO_TARGET_DIR": "/elsewhere", "CARGO_BUILD_TARGET": "wasm32-wasip1"}
    show = "show: ; @echo $${CARGO_TARGET_DIR} $${CARGO_BUILD_TARGET-unset}"
    done = subprocess.run(
        ["make", "--eval", show, "show"], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{ROOT}/target unset\n"
