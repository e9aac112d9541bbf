"""Arrival processes as values: when the messages of a trial are sent.

Each is written as text by users (`burst,on=1s,off=4s`), parsed once by `workloads.arrivals.parse`,
and matched on by its type afterwards. `str()` gives the canonical text back.
"""

from __future__ import annotations

from msgspec import Struct

from wirelab.model import units


class _Process(Struct, frozen=True, tag_field="kind"):
    """The base of all processes. In JSON, `kind` names the process."""


class ConstantRate(_Process, frozen=True, tag="constant-rate"):
    """A message every 1/rate; a flood if the workload has no rate."""

    def __str__(self) -> str:
        return "constant-rate"


class Poisson(_Process, frozen=True, tag="poisson"):
    """Messages independent of each other: exponential gaps of mean 1/rate."""

    def __str__(self) -> str:
        return "poisson"


class Burst(_Process, frozen=True, tag="burst"):
    """At the rate for `on_ns`, then nothing for `off_ns`, repeated."""

    on_ns: int
    off_ns: int

    def __str__(self) -> str:
        return f"burst,on={units.duration_text(self.on_ns)},off={units.duration_text(self.off_ns)}"


class Stage(Struct, frozen=True):
    """A rate that changes linearly from `from_hz` to `to_hz` over `duration_ns`."""

    from_hz: float
    to_hz: float
    duration_ns: int

    def __str__(self) -> str:
        ramp = "" if self.from_hz == self.to_hz else f">{units.rate_text(self.to_hz)}"
        return f"{units.rate_text(self.from_hz)}{ramp}:{units.duration_text(self.duration_ns)}"


class Stages(_Process, frozen=True, tag="stages"):
    """One stage after another, then the end."""

    stages: tuple[Stage, ...]

    def __str__(self) -> str:
        return ",".join(["stages", *map(str, self.stages)])


class Epochs(_Process, frozen=True, tag="epochs"):
    """In epoch e = 1 .. `number`, `first` x e messages at the rate."""

    first: int
    number: int

    def __str__(self) -> str:
        return f"epochs,{self.first}:{self.number}"


class Replay(_Process, frozen=True, tag="replay"):
    """At recorded times, from a file with one time in seconds per line."""

    path: str

    def __str__(self) -> str:
        return f"replay,{self.path}"


class Search(_Process, frozen=True, tag="search"):
    """At rates that rise step by step, to find the highest rate that is carried."""

    low_hz: float
    high_hz: float
    duration_ns: int

    def __str__(self) -> str:
        rates = f"{units.rate_text(self.low_hz)}>{units.rate_text(self.high_hz)}"
        return f"search,{rates}:{units.duration_text(self.duration_ns)}"


class ServiceRequests(_Process, frozen=True, tag="service"):
    """When the requests of a registered service are due; `arguments` are the service's own."""

    service: str
    arguments: str = ""

    def __str__(self) -> str:
        return f"{self.service},{self.arguments}" if self.arguments else self.service


class ClosedLoop(_Process, frozen=True, tag="closed-loop"):
    """The next message when the previous exchange is over.

    `spacing_ns`: the link's time is advanced, so that messages are this far apart on the link.
    `spread`: so far that the counted messages are spread evenly over the whole trace of the link.
    """

    spacing_ns: int = 0
    spread: bool = False

    def __str__(self) -> str:
        if self.spread:
            return "closed-loop,spread"
        spacing = f",spacing={units.duration_text(self.spacing_ns)}" if self.spacing_ns else ""
        return f"closed-loop{spacing}"


Arrivals = ConstantRate | Poisson | Burst | Stages | Epochs | Replay | Search | ServiceRequests | ClosedLoop
