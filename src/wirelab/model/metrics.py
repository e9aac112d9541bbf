"""What a row of an answer is measured by: names for needs and objectives, with unit and direction."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest


class Metric(Struct, frozen=True):
    """A quantity of one combination in its stored `unit`.

    `exact`: the same messages give the same value. `of_codec`: measured on the codec alone, not in trials.
    `of_device`: there where a study names a device.
    """

    name: str
    title: str
    unit: str
    lower_is_better: bool = True
    exact: bool = False
    of_codec: bool = False
    of_device: bool = False


_ALL = (
    Metric("latency_p50", "median latency", "ns"),
    Metric("latency_p90", "90th percentile of latency", "ns"),
    Metric("latency_p99", "99th percentile of latency", "ns"),
    Metric("latency_mean", "mean latency", "ns"),
    Metric("latency_sd", "standard deviation of latency", "ns"),
    Metric("expected", "time to the answer expected of an M/M/1 queue", "ns"),
    Metric("arrival_p50", "median time to arrival", "ns"),
    Metric("arrival_p99", "99th percentile of time to arrival", "ns"),
    Metric("acknowledged_p50", "median time to the acknowledgement", "ns"),
    Metric("acknowledged_p99", "99th percentile of time to the acknowledgement", "ns"),
    Metric("loss", "messages not delivered", "fraction"),
    Metric("bytes", "payload per message", "B", exact=True),
    Metric("wire_bytes", "bytes on the wire per message", "B"),
    Metric("overhead", "overhead on the wire per message", "B"),
    Metric("frames", "link-layer overhead of frames with data, per message and crossing", "B"),
    Metric("serialize", "serialize", "ns", of_codec=True),
    Metric("deserialize", "deserialize", "ns", of_codec=True),
    Metric("cpu", "publisher's CPU time per message", "ns"),
    Metric("server_cpu", "server's CPU time per message", "ns"),
    Metric("rss", "publisher's peak memory", "B"),
    Metric("server_rss", "server's peak memory", "B"),
    Metric("server_queue", "most messages waiting at the server", "messages"),
    Metric("load", "publisher's share of a core", "fraction"),
    Metric("subscriber_load", "a subscriber's share of a core", "fraction"),
    Metric("connect", "time to a usable connection", "ns"),
    Metric("throughput", "messages delivered per second", "1/s", lower_is_better=False),
    Metric("sustained", "highest rate carried", "1/s", lower_is_better=False),
    Metric("energy", "device's energy per message", "nJ", of_device=True),
    Metric("battery", "battery life", "days", lower_is_better=False, of_device=True),
    Metric("device_cycles", "cycles to serialize on the device", "cycles", exact=True, of_device=True),
    Metric(
        "device_modelled_cycles",
        "modelled cycles to serialize on the device",
        "cycles",
        exact=True,
        of_device=True,
    ),
    Metric(
        "device_instructions",
        "instructions to serialize on the device",
        "instructions",
        exact=True,
        of_device=True,
    ),
    Metric("device_flash", "flash on the device", "B", exact=True, of_device=True),
    Metric("device_ram", "RAM on the device", "B", exact=True, of_device=True),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}

ALIASES: dict[str, str] = {
    "latency": "latency_p50",
    "p50": "latency_p50",
    "median": "latency_p50",
    "p90": "latency_p90",
    "p99": "latency_p99",
    "mean": "latency_mean",
    "sd": "latency_sd",
    "lost": "loss",
    "payload": "bytes",
    "size": "bytes",
    "wire": "wire_bytes",
    "memory": "rss",
    "rate": "throughput",
    "flash": "device_flash",
    "ram": "device_ram",
}


def metric(name: str) -> Metric:
    """The metric called `name` (`p99`, `loss`, `wire_bytes`). Raises BadInput with the nearest name."""
    known = ALIASES.get(name, name)
    if known in METRICS:
        return METRICS[known]
    raise BadInput(f"metric '{name}'", "not known", nearest(name, [*METRICS, *ALIASES]))
