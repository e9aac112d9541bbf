"""Metrics with one value per trial: bytes, CPU time, memory and rates. NaN if not counted."""

from __future__ import annotations

import math
from collections.abc import Mapping

from wirelab.model.host_role import DEVICE, role_of
from wirelab.model.result import TrialResult, Wire

# A header of IPv6 has 40 bytes, one of IPv4 without options 20.
IPV6_EXTRA_BYTES = 20
HOUR_NS = 3_600_000_000_000


def payload_bytes(result: TrialResult) -> float:
    """Mean encoded bytes of a message."""
    return result.payload_bytes or math.nan


def wire_bytes(result: TrialResult) -> float:
    """Bytes of IP packets on the publishers' links, both directions, per message."""
    return _per_message(result, float(sum(wire.l3_bytes for wire in _of_devices(result.wire).values())))


def wire_ipv6_bytes(result: TrialResult) -> float:
    """`wire_bytes` if the packets were IPv6, as behind 464XLAT: 40 B of header instead of 20
    (RFC 8200, section 3; RFC 7915, section 4.1).

    Holds for packets that are not fragmented, and segments that the larger header does not split.
    """
    packets = sum(wire.packets for wire in _of_devices(result.wire).values())
    return wire_bytes(result) + _per_message(result, float(packets) * IPV6_EXTRA_BYTES)


def overhead_bytes(result: TrialResult) -> float:
    """`wire_bytes` without the message and its sequence number."""
    return wire_bytes(result) - result.payload_bytes - result.header_bytes


def frame_overhead_bytes(result: TrialResult) -> float:
    """Bytes of frames with data without the messages, for each crossing of the device's link.

    The definition is that of proos2020, VI.A. Where a message crosses twice, the bytes of those
    that never arrived count as overhead on the second way.
    """
    crossed = float(sum(wire.data_l2_bytes for wire in _of_devices(result.wire).values()))
    lost = result.counts.planned - result.counts.delivered
    bodies = result.carried * result.crossings - lost * (result.crossings - 1)
    body = result.payload_bytes + result.header_bytes
    return _per_message(result, crossed and crossed - bodies * body) / result.crossings


def sent_overhead_bytes(result: TrialResult) -> float:
    """Bytes per message that the device sent without the payload: headers, acknowledgements,
    keep-alives.
    """
    sent = result.wire.get(f"{DEVICE}.up")
    if sent is None or not sent.l3_bytes or not result.carried:
        return math.nan
    return sent.l3_bytes / result.carried - result.payload_bytes


def connecting_bytes(result: TrialResult) -> float:
    """Bytes of IP packets, both directions, until a publisher could send: mean over publishers."""
    return _connecting(result, "l3_bytes")


def connecting_packets(result: TrialResult) -> float:
    """Packets in both directions until a publisher could send: mean over publishers."""
    return _connecting(result, "packets")


def _connecting(result: TrialResult, counter: str) -> float:
    own = _of_devices(result.connecting)
    return sum(getattr(wire, counter) for wire in own.values()) / _publishers(own) if own else math.nan


def idle_hour_bytes(result: TrialResult) -> float:
    """Bytes of IP packets, both directions, in an hour of a publisher that sends nothing."""
    if not result.idle.ns:
        return math.nan
    return result.idle.bytes * HOUR_NS / result.idle.ns / _publishers(_of_devices(result.wire))


def _publishers(links: Mapping[str, Wire]) -> int:
    """The number of hosts of these links; at least 1."""
    return len({name.partition(".")[0] for name in links}) or 1


def cpu_ns(result: TrialResult, process: str) -> float:
    """CPU time of a process per message."""
    usage = result.usage.get(process)
    return _per_message(result, usage.cpu_ns) if usage else math.nan


def peak_rss(result: TrialResult, process: str) -> float:
    """Peak resident set of a process in bytes."""
    usage = result.usage.get(process)
    return float(usage.max_rss_bytes) if usage and usage.max_rss_bytes else math.nan


def core_share(result: TrialResult, role: str) -> float:
    """The share of a core that one process of a role took, mean over its processes."""
    cpu = [usage.cpu_ns for name, usage in result.usage.items() if role_of(name) == role]
    return sum(cpu) / len(cpu) / result.elapsed_ns if cpu and result.elapsed_ns else math.nan


def queue_depth(result: TrialResult) -> float:
    """The most messages that waited at the server."""
    return float(result.waiting.peak) if result.waiting.peak >= 0 else math.nan


def connect_ns(result: TrialResult) -> float:
    """The time until a connection was usable."""
    return float(result.connect_ns) if result.connect_ns else math.nan


def throughput_hz(result: TrialResult) -> float:
    """Messages delivered per second."""
    return result.counts.delivered / result.elapsed_ns * 1e9 if result.elapsed_ns else math.nan


def _per_message(result: TrialResult, total: float) -> float:
    """`total` for each message sent."""
    return total / result.carried if result.carried and total else math.nan


def _of_devices(traffic: Mapping[str, Wire]) -> dict[str, Wire]:
    """The publishers' links: `device.up`, `device-2.down` ..."""
    return {name: wire for name, wire in traffic.items() if role_of(name.partition(".")[0]) == DEVICE}
