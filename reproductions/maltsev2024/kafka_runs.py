"""Kafka and programs that use it, one after another, inside a lab.

`python -m wirelab_reproductions.maltsev2024.kafka_runs FOLDER` runs it.

FOLDER/actors.json is a list of runs, each `{"host":"device","argv":[...]}`: a program of a host, to
which `--server ADDRESS:PORT` is added. Its lines are passed on to standard output, each after the
number of its run. Kafka's store is in memory, so that no disk is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from wirelab.lab import servers
from wirelab.lab.hosts import LAB, Hosts, LabHosts
from wirelab.lab.servers.server import end, tail
from wirelab.model.errors import MeasurementFailed, WirelabError
from wirelab.system.binaries import find

PORT = 9092


class Run(Struct, frozen=True):
    """A program, and the host it runs on."""

    host: str
    argv: list[str]


def run_all(runs: list[Run], hosts: Hosts, folder: Path, memory: Path) -> None:
    """Start Kafka on the host `server`, then each program after the one before.

    Raises BadInput, and MeasurementFailed for a program that fails.
    """
    site = servers.Site("kafka", PORT, hosts, memory)
    running = servers.start("kafka", site)
    assert running is not None
    try:
        for number, run in enumerate(runs):
            _run(number, run, site, folder)
    finally:
        running.stop()


def _run(number: int, run: Run, site: servers.Site, folder: Path) -> None:
    own = folder / f"actors-{number}.log"
    with own.open("wb") as log:
        argv = [*run.argv, "--server", f"{site.address}:{site.port}"]
        process = site.hosts.start(run.host, argv, log, folder)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(f"{number} {line.decode()}")
            sys.stdout.flush()
        if process.wait() != 0:
            raise MeasurementFailed(run.argv[0], f"ended with {process.returncode}: {tail(own)}")
    finally:
        end(process)


def main(folder: Path) -> int:
    """Exit code 2 where Kafka or a program failed, with the reason on standard error."""
    runs = msgspec.json.decode((folder / "actors.json").read_bytes(), type=list[Run])
    try:
        run_all(runs, LabHosts(find("wirelab-link")), folder, LAB / "tmp")
    except WirelabError as error:
        print(error.sentence, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
