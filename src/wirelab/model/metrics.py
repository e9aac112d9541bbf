"""The table of metrics. A new metric is one entry.

Thresholds, objectives, columns of every view, figures of studies and the reference derive from it.
Quantiles of any rank (`p97.5`) and deadlines (`late>500ms`) are metrics too, made from their names.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from wirelab.model import trial_values, units
from wirelab.model.errors import BadInput
from wirelab.model.host_role import PUBLISHER, SERVER, SUBSCRIBER
from wirelab.model.result import TrialResult
from wirelab.model.suggestions import nearest


class Unit(NamedTuple):
    """A stored unit: its end of a CSV heading, and its reader of limits, which raises BadInput."""

    heading: str
    parse: Callable[[str], float | None]


UNITS = {
    "ns": Unit("ns", units.duration_ns),
    "B": Unit("bytes", units.size_bytes),
    "fraction": Unit("fraction", units.fraction),
    "1/s": Unit("per_s", units.rate_hz),
    "nJ": Unit("nj", units.energy_nj),
    "days": Unit("days", units.life_days),
    "cycles": Unit("cycles", units.count),
    "instructions": Unit("instructions", units.count),
    "messages": Unit("messages", units.count),
    "packets": Unit("packets", units.count),
}


class Source(enum.StrEnum):
    """Where a metric is measured: in trials, on a codec alone, on a simulated chip, or for a
    deployed device.
    """

    TRIAL = "trials"
    CODEC = "codec alone"
    DEVICE = "device"
    DEPLOYMENT = "deployment"


class Metric(Struct, frozen=True):
    """A quantity of one combination, in its stored `unit` (a key of UNITS).

    `title` names it in sentences, `heading` in tables. `exact`: the same messages give the same
    value. `usual`: views show it if it is known. The values of a trial come from the messages'
    `times` (`latency`, `arrival`, `acknowledged`), of which `statistic` is a quantile between 0 and
    1, "mean", "sd" or "max"; or from `value`, which gives one per trial (NaN: none). `share`: it
    counts messages, so that none seen has a bound. `deadline_ns` is the latency from which on a
    message is late.
    """

    name: str
    title: str
    unit: str
    description: str
    heading: str = ""
    aliases: tuple[str, ...] = ()
    lower_is_better: bool = True
    exact: bool = False
    usual: bool = False
    source: Source = Source.TRIAL
    times: str = ""
    statistic: float | str = ""
    value: Callable[[TrialResult], float] | None = None
    share: bool = False
    deadline_ns: int | None = None

    @property
    def quantile(self) -> float | None:
        """The quantile of times that it is, or None."""
        return self.statistic if isinstance(self.statistic, float) else None

    @property
    def column(self) -> str:
        """Its heading in a table."""
        return self.heading or self.title


_LATENCY = "Latency runs from the intended send time to the decoded message."
_ARRIVAL = "From the intended send time to the arrival of the bytes at the subscriber."
_ACKNOWLEDGED = "From the intended send time to the acknowledgement at the publisher."

_ALL = (
    Metric("latency_p50", "median latency", "ns", f"Median over messages. {_LATENCY}", "latency p50",
           ("latency", "p50", "median"), usual=True, times="latency", statistic=0.5),
    Metric("latency_p90", "90th percentile of latency", "ns", f"90 % of messages are faster. {_LATENCY}",
           "latency p90", ("p90",), times="latency", statistic=0.9),
    Metric("latency_p95", "95th percentile of latency", "ns", f"95 % of messages are faster. {_LATENCY}",
           "latency p95", ("p95",), times="latency", statistic=0.95),
    Metric("latency_p99", "99th percentile of latency", "ns", f"99 % of messages are faster. {_LATENCY}",
           "latency p99", ("p99",), usual=True, times="latency", statistic=0.99),
    Metric("latency_max", "largest latency", "ns",
           f"The slowest message that arrived. More messages find a larger one. {_LATENCY}",
           "latency max", ("max",), times="latency", statistic="max"),
    Metric("latency_mean", "mean latency", "ns", f"Mean over messages. {_LATENCY}", "latency mean",
           ("mean",), times="latency", statistic="mean"),
    Metric("latency_sd", "standard deviation of latency", "ns",
           f"Standard deviation over the messages of a trial. {_LATENCY}", aliases=("sd",),
           times="latency", statistic="sd"),
    Metric("expected", "response time expected of an M/M/1 queue", "ns",
           "Computed from the measured service time and utilization; a reference for measured times."),
    Metric("arrival_p50", "median time to arrival", "ns", f"Median. {_ARRIVAL}",
           times="arrival", statistic=0.5),
    Metric("arrival_p99", "99th percentile of time to arrival", "ns", f"99th percentile. {_ARRIVAL}",
           times="arrival", statistic=0.99),
    Metric("acknowledged_p50", "median time to the acknowledgement", "ns", f"Median. {_ACKNOWLEDGED}",
           "acknowledged p50", usual=True, times="acknowledged", statistic=0.5),
    Metric("acknowledged_p99", "99th percentile of time to the acknowledgement", "ns",
           f"99th percentile. {_ACKNOWLEDGED}", "acknowledged p99", usual=True,
           times="acknowledged", statistic=0.99),
    Metric("loss", "messages not delivered", "fraction",
           "Share of planned messages that no subscriber could use. Messages never sent count as lost. "
           "Trials that are overloaded have none: what has not arrived is their backlog.",
           "lost", ("lost",), usual=True, share=True),
    Metric("duplicates", "messages delivered more than once", "fraction",
           "Share of delivered messages that arrived more than once.", "duplicated", ("duplicated",),
           share=True),
    Metric("reordered", "messages out of order", "fraction",
           "Share of delivered messages that arrived after one that was sent later (RFC 4737, 3.3).",
           "out of order", ("order",), share=True),
    Metric("gap", "longest gap", "messages",
           "Most messages in succession that a subscriber did not get from a publisher in a trial. "
           "Trials that are overloaded have none.", aliases=("gaps",)),
    Metric("bytes", "payload per message", "B", "Encoded bytes of a message, without any protocol.",
           "payload", ("payload", "size"), exact=True, usual=True, value=trial_values.payload_bytes),
    Metric("wire_bytes", "bytes on the wire per message", "B",
           "IP packets on the publisher's link in both directions, for each message sent.",
           "on the wire", ("wire",), usual=True, value=trial_values.wire_bytes),
    Metric("wire_ipv6", "bytes on the wire per message as IPv6", "B",
           "As `wire_bytes`, with 20 B more a packet: IPv6, or IPv4 behind 464XLAT.",
           "as IPv6", value=trial_values.wire_ipv6_bytes),
    Metric("overhead", "overhead on the wire per message", "B",
           "Bytes on the wire without the payload: headers, acknowledgements, keep-alives.",
           value=trial_values.overhead_bytes),
    Metric("frames", "overhead of data frames per message and crossing", "B",
           "Link-layer bytes without the payload, of frames that carry data for the first time.",
           value=trial_values.frame_overhead_bytes),
    Metric("serialize", "serialize", "ns", "CPU time from the application's value to bytes.",
           source=Source.CODEC),
    Metric("deserialize", "deserialize", "ns", "CPU time from bytes to a value, every field read.",
           source=Source.CODEC),
    Metric("cpu", "publisher's CPU time per message", "ns", "CPU time of the publisher's process.",
           value=lambda result: trial_values.cpu_ns(result, PUBLISHER)),
    Metric("server_cpu", "server's CPU time per message", "ns", "CPU time of the server's processes.",
           value=lambda result: trial_values.cpu_ns(result, SERVER)),
    Metric("rss", "publisher's peak memory", "B", "Peak resident set of the publisher's process.",
           aliases=("memory",), value=lambda result: trial_values.peak_rss(result, PUBLISHER)),
    Metric("server_rss", "server's peak memory", "B", "Peak resident set of the server's processes.",
           value=lambda result: trial_values.peak_rss(result, SERVER)),
    Metric("server_queue", "largest queue depth at the server", "messages",
           "Most messages that waited at the server at once; only servers that report it have it.",
           value=trial_values.queue_depth),
    Metric("load", "publisher's share of a core", "fraction",
           "CPU time over elapsed time, mean over the publishers.",
           value=lambda result: trial_values.core_share(result, PUBLISHER)),
    Metric("subscriber_load", "a subscriber's share of a core", "fraction",
           "CPU time over elapsed time, mean over the subscribers.",
           value=lambda result: trial_values.core_share(result, SUBSCRIBER)),
    Metric("connect", "time to a usable connection", "ns",
           "Until the slowest peer can send, as the peers report it: transport and session.",
           value=trial_values.connect_ns),
    Metric("connect_bytes", "bytes of connecting", "B",
           "IP packets on a publisher's link in both directions until it can send.",
           value=trial_values.connecting_bytes),
    Metric("connect_packets", "packets of connecting", "packets",
           "Packets on a publisher's link in both directions until it can send.",
           value=trial_values.connecting_packets),
    Metric("idle_bytes", "bytes of an idle hour", "B",
           "IP packets on a publisher's link in both directions while connections are open and nothing "
           "is sent: keep-alives. Needs --idle or --messages.", value=trial_values.idle_hour_bytes),
    Metric("month_bytes", "bytes of a month", "B",
           "A device's messages of 30 days at the rate of --messages, keep-alives of its connections, "
           "and connecting once.", "a month", ("month",), usual=True, source=Source.DEPLOYMENT),
    Metric("throughput", "messages delivered per second", "1/s",
           "Delivered messages over the time from the first intended send to the last arrival.",
           "delivered", ("rate",), lower_is_better=False, value=trial_values.throughput_hz),
    Metric("sustained", "highest rate carried", "1/s",
           "Highest step of a rate search at which every subscriber kept up.", lower_is_better=False),
    Metric("energy", "device's energy per message", "nJ",
           "Serializing on the chip and sending every byte that the row's protocol sent.",
           "energy", usual=True, source=Source.DEVICE),
    Metric("battery", "battery life", "days",
           "For the messages alone at the row's rate: no sleep current, no receiving.",
           usual=True, lower_is_better=False, source=Source.DEVICE),
    Metric("device_cycles", "cycles to serialize on the device", "cycles", "Counted by the simulator.",
           "serialize, cycles", exact=True, usual=True, source=Source.DEVICE),
    Metric("device_modelled_cycles", "modelled cycles to serialize on the device", "cycles",
           "Estimated from instructions where the simulator counts no cycles.",
           "serialize, modelled cycles", exact=True, usual=True, source=Source.DEVICE),
    Metric("device_instructions", "instructions to serialize on the device", "instructions",
           "Counted by the simulator.", "serialize, instructions", exact=True, usual=True,
           source=Source.DEVICE),
    Metric("device_flash", "flash on the device", "B", "Code, constants and initial values of the codec.",
           "flash", ("flash",), exact=True, usual=True, source=Source.DEVICE),
    Metric("device_ram", "RAM on the device", "B", "Static data and stack of the codec.",
           "RAM", ("ram",), exact=True, usual=True, source=Source.DEVICE),
)  # fmt: skip

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
ALIASES: dict[str, str] = {alias: metric.name for metric in _ALL for alias in metric.aliases}


_QUANTILE = re.compile(r"(?:(latency|arrival|acknowledged)_)?p(\d\d(?:\.\d+)?)")
_LATE = re.compile(r"late\s*>\s*(.*)")
_TIMES = {"latency": _LATENCY, "arrival": _ARRIVAL, "acknowledged": _ACKNOWLEDGED}


@functools.lru_cache(maxsize=256)
def metric(name: str) -> Metric:
    """The metric called `name` (`p99`, `loss`, `wire_bytes`, `p99.9`, `late>500ms`).

    Raises BadInput with the nearest name.
    """
    full = ALIASES.get(name, name)
    if full in METRICS:
        return METRICS[full]
    if (found := _QUANTILE.fullmatch(name)) and float(found[2]) > 0:
        return _quantile(found[1] or "latency", float(found[2]))
    if found := _LATE.fullmatch(name):
        return _late(units.duration_ns(found[1]))
    raise BadInput(f"metric '{name}'", "not known", nearest(name, [*METRICS, *ALIASES]))


def _quantile(times: str, percent: float) -> Metric:
    """The quantile of times at `percent`; the metric of the table where it is there."""
    name = f"{times}_p{percent:g}"
    return METRICS.get(name) or Metric(
        name,
        f"p{percent:g} of {times}",
        "ns",
        f"{percent:g} % of messages are faster. {_TIMES[times]}",
        f"{times} p{percent:g}",
        times=times,
        statistic=round(percent / 100, 12),
    )


def _late(limit_ns: int) -> Metric:
    """The share of messages that take longer than the limit."""
    limit = units.show_duration(limit_ns)
    return Metric(
        f"late>{units.duration_text(limit_ns)}",
        f"messages later than {limit}",
        "fraction",
        f"Share of planned messages not delivered within {limit}. {_LATENCY}",
        f"later than {limit}",
        share=True,
        deadline_ns=limit_ns,
    )
