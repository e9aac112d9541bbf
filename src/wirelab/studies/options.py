"""The check of a study's peer options before it runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from wirelab.lab.host_cpu import slower
from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import Describe, Described
from wirelab.lab.peer_requests import connecting_s
from wirelab.lab.protocols import protocol
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.suggestions import nearest
from wirelab.studies.delivery_modes import deliveries
from wirelab.system.binaries import find

DESCRIBE_TIMEOUT_S = 10.0

Offered = Callable[[tuple[str, ...]], dict[str, str]]


def check_options(study: Study, offered: Offered | None = None) -> None:
    """Reject options that no peer of the study supports, and invalid connect timeouts.

    Each peer gets only the options that it supports. Raises BadInput.
    """
    if not study.options:
        return
    known = known_options(study, offered or ask_peer)
    connecting_s(study.options)
    for name in study.options:
        if name not in known:
            peers = ", ".join(dict.fromkeys(study.protocol))
            raise BadInput(f"option '{name}'", f"not supported by any peer of {peers}", nearest(name, known))


def known_options(study: Study, offered: Offered) -> dict[str, str]:
    """The options of all peers of a study with their defaults. Raises MeasurementFailed."""
    known: dict[str, str] = {}
    for command in commands(study):
        known |= offered(command)
    return known


def commands(study: Study) -> list[tuple[str, ...]]:
    """The commands of all peers of a study, without duplicates."""
    if study.client_program:
        return [(study.client_program,)]
    found: dict[tuple[str, ...], None] = {}
    for delivery in deliveries(study):
        known = protocol(delivery.protocol)
        found[known.libraries.get(delivery.client_library, known.default_peer)] = None
    return list(found)


def ask_peer(command: tuple[str, ...]) -> dict[str, str]:
    """A peer's options with their defaults. Raises MeasurementFailed if `describe` fails."""
    argv = [find(command[0]), *command[1:]]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        peer = Peer(command[0], process)
        try:
            return peer.ask(Describe(), Described, DESCRIBE_TIMEOUT_S * slower()).options
        finally:
            peer.kill()
