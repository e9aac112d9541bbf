"""Run an image on its simulator with a timeout: its output, and the counts between its marks."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from msgspec import Struct

from wirelab.devices import build
from wirelab.devices.catalog import Device
from wirelab.devices.elf import Image
from wirelab.model.errors import MeasurementFailed

RUN_S = 60.0
TRACE_BYTES = 2 * 10**9
BLOCK = 2**24
_TRACE = re.compile(rb"\[[0-9a-f]+/([0-9a-f]+)/")


class Span(Struct, frozen=True):
    """Between two marks: the count, the stack depth (if the simulator reports it), the addresses
    executed.
    """

    count: int
    stack: int = 0
    trace: tuple[int, ...] = ()


class Ran(Struct, frozen=True):
    """A finished run."""

    output: str
    spans: tuple[Span, ...]


def simulate(chip: Device, image: Image, messages: int, cache: Path, seconds: float = RUN_S) -> Ran:
    """Run an image with `messages` messages to its end.

    Raises MeasurementFailed if it hangs or faults, or if the simulator fails.
    """
    if chip.simulator == "simavr":
        return _simavr(chip, image, cache, seconds)
    if chip.simulator == "mspdebug":
        return _mspdebug(chip, image, messages, seconds)
    return _qemu(chip, image, seconds)


def _execute(chip: Device, command: Sequence[str], seconds: float, trace: tuple[int, ...] = ()) -> str:
    """Run a simulator.

    It is ended by a timeout, by the size of its trace, and when wirelab ends.
    """
    limits = ["setpriv", "--pdeathsig", "KILL", "prlimit", f"--fsize={TRACE_BYTES}", "--"]
    try:
        done = subprocess.run(
            [*limits, *command],
            capture_output=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
            pass_fds=trace,
        )
    except subprocess.TimeoutExpired:
        raise MeasurementFailed(
            f"firmware on {chip.name}", f"did not finish within {seconds:.0f} s: it hangs"
        ) from None
    output = (done.stdout + (done.stderr if chip.simulator == "qemu" else b"")).decode("latin-1")
    if done.returncode < 0:
        raise MeasurementFailed(f"simulator of {chip.name}", f"ended by signal {-done.returncode}")
    return output


def _simavr(chip: Device, image: Image, cache: Path, seconds: float) -> Ran:
    program = simavr_runner(chip, cache)
    floor = image.symbols["_end"] & 0xFFFF
    output = _execute(chip, [str(program), *chip.machine, str(image.path), str(floor)], seconds)
    marks = re.findall(r"^#count (\d+) (\d+)$", output, re.M)
    kept = re.sub(r"\n?#count .*\n", "", output)
    return Ran(kept, tuple(Span(int(count), int(stack)) for count, stack in marks))


def simavr_runner(chip: Device, cache: Path) -> Path:
    """The program around libsimavr, compiled at its first use. Raises MeasurementFailed."""
    source = chip.folder / "simulate.c"
    target = cache / f"simavr-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}"
    if not target.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cache, delete=False) as new:
            done = build.run(["cc", "-O2", str(source), "-lsimavr", "-lelf", "-o", new.name])
        if done.returncode:
            raise MeasurementFailed(
                "libsimavr", done.stderr.strip().splitlines()[0], f"apt install {' '.join(chip.apt)}"
            )
        Path(new.name).replace(target)
    return target


def _mspdebug(chip: Device, image: Image, messages: int, seconds: float) -> Ran:
    """Breakpoints at the marks. Every stop prints the cycles of the tracer device."""
    stops = 2 * (1 + 2 * messages)
    script = [
        f"prog {image.path}",
        "simio add tracer t",
        "simio add console c",
        "reset",
        "setbreak wl_begin",
        "setbreak wl_end",
        "setbreak wl_exit",
        *["run", "simio info t"] * stops,
        "run",
    ]
    output = _execute(chip, [*chip.machine, *script], seconds)
    cycles = [int(found) for found in re.findall(r"MCLK:\s*(\d+)", output)]
    if len(cycles) != stops:
        raise MeasurementFailed(
            f"firmware on {chip.name}", "it ended before its last mark: a fault or a wild jump"
        )
    spans = tuple(Span(b - a) for a, b in zip(cycles[::2], cycles[1::2], strict=True))
    return Ran(output, spans)


def _qemu(chip: Device, image: Image, seconds: float) -> Ran:
    """The trace goes to an unnamed file, which always ends with the process."""
    with tempfile.TemporaryFile() as log:
        machine = [part.replace("{image}", str(image.path)) for part in chip.machine]
        quiet = ["-nographic", "-monitor", "none", "-serial", "none"]
        traced = ["-singlestep", "-d", "exec,nochain", "-D", f"/proc/self/fd/{log.fileno()}"]
        output = _execute(chip, [*machine, *quiet, *traced], seconds, (log.fileno(),))
        log.seek(0)
        return Ran(output, tuple(_spans(_addresses(log), image, keep=bool(chip.disassemble))))


def _addresses(log: IO[bytes]) -> Iterator[int]:
    """The address of every executed instruction, in order."""
    rest = b""
    while block := log.read(BLOCK):
        lines, _, rest = (rest + block).rpartition(b"\n")
        for address in _TRACE.findall(lines):
            yield int(address, 16)


def _spans(trace: Iterable[int], image: Image, keep: bool) -> Iterator[Span]:
    """The segments between the marks, with addresses only if requested."""
    begin, end = image.symbols["wl_begin"] & ~1, image.symbols["wl_end"] & ~1
    count, inside = -1, list[int]()
    for address in trace:
        if address == begin:
            count, inside = 0, []
        elif address == end and count >= 0:
            yield Span(count, trace=tuple(inside))
            count = -1
        if count >= 0:
            count += 1
            if keep:
                inside.append(address)
