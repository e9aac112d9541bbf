"""The wheel, without the checkout it was built from."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from wirelab.system.binaries import find

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("link", "codec", "server-mqtt", "server-coap", "server-raw", "peer-mqtt", "peer-coap", "peer-raw")
PROGRAM = Path("wirelab", "data", "target", "release", "wirelab-link")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which a wheel with the programs of the demo was unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    programs = folder / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        shutil.copy(find(f"wirelab-{name}"), programs)
    shutil.copytree(
        ROOT, folder / "checkout", symlinks=True,
        ignore=shutil.ignore_patterns("target", ".git", ".venv", "runs", "tests", "dist", "__pycache__", "*.egg-info"),
    )  # fmt: skip
    built = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    environment = {**os.environ, "WIRELAB_PROGRAMS": str(programs)}
    subprocess.run([*built, "-w", folder, folder / "checkout"], env=environment, check=True, timeout=120)
    shutil.rmtree(folder / "checkout")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    (site,) = {path.parents[1] for path in (folder / "unpacked").rglob("wirelab/__init__.py")}
    assert any(name.endswith(str(PROGRAM)) and mode & 0o111 for name, mode in modes.items())
    for program in (site / PROGRAM).parent.iterdir():
        program.chmod(0o755)
    glibc = platform.libc_ver()[1].replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-manylinux_{glibc}_{platform.machine()}.whl")
    return site


def run(site: Path, *arguments: str) -> str:
    """What wirelab of the wheel prints, started in another folder."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WIRELAB_")}
    done = subprocess.run(
        [sys.executable, "-c", "from wirelab.cli import main; main()", *arguments],
        env={**environment, "PYTHONPATH": str(site), "PATH": "/usr/bin:/bin"},
        cwd=site.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def test_programs_of_the_wheel_are_found_and_run(site: Path) -> None:
    assert run(site, "link", "show", "rate=1Mbit/s").startswith("rate=1Mbit/s\n")


def test_manifests_devices_and_studies_are_in_the_wheel(site: Path) -> None:
    listed = run(site, "list")
    for name in ("mqtt", "californium", "stm32f4", "lte-drive"):
        assert name in listed
    assert "kang2020" in run(site, "reproduce")


def test_the_demo_plans_with_the_shipped_payload(site: Path) -> None:
    planned = run(site, "demo", "--dry-run", "--quiet")
    assert "messages" in planned
    assert "flatbuffers" in planned


def test_what_takes_a_checkout_says_so(site: Path) -> None:
    assert "in a checkout run make artemis, and set WIRELAB_DATA to the checkout" in run(site, "doctor")
