"""What a row of an answer is measured by: names for needs and objectives, with unit and direction."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from msgspec import Struct

from wirelab.model.errors import BadInput


class Metric(Struct, frozen=True):
    """A quantity of one combination in its stored `unit`. `exact`: the same messages give the same value."""

    name: str
    title: str
    unit: str
    lower_is_better: bool = True
    exact: bool = False


_ALL = (
    Metric("latency_p50", "median latency", "ns"),
    Metric("latency_p90", "90th percentile of latency", "ns"),
    Metric("latency_p99", "99th percentile of latency", "ns"),
    Metric("latency_mean", "mean latency", "ns"),
    Metric("arrival_p50", "median time to arrival", "ns"),
    Metric("arrival_p99", "99th percentile of time to arrival", "ns"),
    Metric("loss", "messages not delivered", "fraction"),
    Metric("bytes", "payload per message", "B", exact=True),
    Metric("wire_bytes", "bytes on the wire per message", "B"),
    Metric("overhead", "overhead on the wire per message", "B"),
    Metric("serialize", "serialize", "ns"),
    Metric("deserialize", "deserialize", "ns"),
    Metric("cpu", "publisher's CPU time per message", "ns"),
    Metric("server_cpu", "server's CPU time per message", "ns"),
    Metric("rss", "publisher's peak memory", "B"),
    Metric("server_rss", "server's peak memory", "B"),
    Metric("connect", "time to a usable connection", "ns"),
    Metric("throughput", "messages delivered per second", "1/s", lower_is_better=False),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}

ALIASES: dict[str, str] = {
    "latency": "latency_p50",
    "p50": "latency_p50",
    "median": "latency_p50",
    "p90": "latency_p90",
    "p99": "latency_p99",
    "mean": "latency_mean",
    "lost": "loss",
    "payload": "bytes",
    "size": "bytes",
    "wire": "wire_bytes",
    "memory": "rss",
    "rate": "throughput",
}


def metric(name: str) -> Metric:
    """The metric called `name` (`p99`, `loss`, `wire_bytes`). Raises BadInput with the nearest name."""
    known = ALIASES.get(name, name)
    if known in METRICS:
        return METRICS[known]
    raise BadInput(f"metric '{name}'", "not known", _suggestion(name, [*METRICS, *ALIASES]))


def _suggestion(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"use one of {', '.join(METRICS)}"
