"""A simulator does not outlive the process that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from wirelab.devices import build
from wirelab.devices.build import Part
from wirelab.devices.catalog import Device

HANGS = """
#include "wirelab.h"
uint8_t wl_buffer[1];
const uint8_t wl_messages = 1;
void wl_load(uint8_t index) { (void)index; for (;;) __asm__ volatile(""); }
void wl_clear(void) {}
uint32_t wl_fold(void) { return 0; }
uint32_t wl_fold_floats(void) { return 0; }
unsigned wl_serialize(void) { return 0; }
bool wl_deserialize(unsigned length) { return length; }
unsigned wl_heap_peak(void) { return 0; }
"""
SCRIPT = """
import sys
from pathlib import Path
from wirelab.devices import catalog, elf
from wirelab.devices.simulation import simulate
simulate(catalog.device("riscv32"), elf.read(Path(sys.argv[1])), 1, Path(sys.argv[2]), 60)
"""


def running(image: Path) -> list[int]:
    """Processes that have the image in their command line, other than the one that started them."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if str(image).encode() in arguments and b"-kernel" in arguments:
            found.append(int(entry.name))
    return found


def wait(until: Callable[[], bool], seconds: float = 120) -> bool:
    deadline = time.monotonic() + seconds
    while not until():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_a_simulator_ends_when_its_starter_is_killed(
    chip: Callable[[str], Device], cache: Path, tmp_path: Path
) -> None:
    device = chip("riscv32")
    (tmp_path / "hangs.c").write_text(HANGS)
    objects = [
        *build.device_objects(device, "Os", cache),
        *build.compile_part(device, Part((tmp_path / "hangs.c",)), "Os", tmp_path),
    ]
    image = build.link(device, objects, tmp_path / "hangs.elf").path
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    command = [sys.executable, "-c", SCRIPT, str(image), str(cache)]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}) as starter:
        assert wait(lambda: bool(running(image)))
        os.kill(starter.pid, signal.SIGKILL)
    assert wait(lambda: not running(image))
    assert list(temporary.iterdir()) == []
