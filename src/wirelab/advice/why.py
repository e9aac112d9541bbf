"""Why a row is as slow as it is: the parts of its mean latency, and who causes its round trips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wirelab.model import coap
from wirelab.model.answer import Cause, Why
from wirelab.model.estimate import Estimate
from wirelab.model.result import MessagePath, Shares, TrialResult
from wirelab.model.units import show_bytes, show_duration

# A part below this share of the latency is not named; if more is unexplained, that is said.
NAMED_SHARE, UNEXPLAINED_SHARE = 0.1, 0.05
# Fewer waits per message than this are those of few messages.
FEW = 0.05
# Ten segments of 1,460 B (RFC 6928).
FIRST_WINDOW_BYTES = 14_600
# The kernel delays an acknowledgement for 40 ms at least.
DELAYED_NS = 30e6
MQTT, QUIC = ("mqtt", "mqtt5"), ("quic", "http3")

TEXTS = {
    "serialization": "serialization {time}{size}",
    "capacity": "waiting for capacity {time}",
    "propagation": "propagation {time}",
    "retransmission": "retransmission timers {time} ({timeouts:.3g} per message)",
    "broker": "broker {time}",
    "hosts": "client libraries and kernels {time}",
    "batch": "waiting for the batch {time}",
    "queue": "queueing at the sender {time}",
    "encode": "encoding {time}",
    "decode": "decoding {time}",
}
CAUSES = {
    Cause.QOS_2: "QoS 2's handshake",
    Cause.BLOCKS: "block-wise transfer",
    Cause.NSTART: "NSTART 1: the message before is not confirmed",
    Cause.ANSWERS: "answers of the protocol",
    Cause.FIRST_WINDOW: "the transport's first window",
    Cause.NAGLE: "Nagle's algorithm and a delayed acknowledgement",
    Cause.ACKNOWLEDGEMENTS: "acknowledgements of the transport",
}


def merged_path(results: Sequence[TrialResult]) -> MessagePath:
    """The mean over trials, weighted by the messages that were followed."""
    weights = [result.path.messages for result in results]
    if not sum(weights):
        return MessagePath()
    names = [name for name in MessagePath.__struct_fields__ if name != "messages"]
    means = {
        name: float(np.average([getattr(result.path, name) for result in results], weights=weights))
        for name in names
    }
    return MessagePath(messages=sum(weights), **means)


def why(
    path: MessagePath,
    shares: Shares,
    levels: Mapping[str, str],
    estimates: Mapping[str, Estimate],
    batch: int = 1,
) -> Why | None:
    """The reason for a row's latency; None where no path was followed.

    Estimates are those of a message, of which `batch` were sent as one.
    """
    if not path.messages:
        return None
    parts = {name: getattr(path, name) for name in TEXTS if hasattr(path, name)}
    parts |= {name: max(getattr(shares, name), 0.0) for name in ("batch", "queue", "encode", "decode")}
    whole = sum(parts.values()) + path.unexplained
    if whole <= 0:
        return None
    turns = path.answers + path.acknowledgements
    payload = batch * estimates["bytes"].value if "bytes" in estimates else 0.0
    cause = _cause(path, levels, payload) if turns >= FEW else None
    unexplained = path.unexplained / whole
    wire = estimates.get("wire_bytes")
    of_batch = f" for a batch of {batch}" if batch > 1 else ""
    size = f" ({show_bytes(batch * wire.value)} on the wire{of_batch})" if wire else ""
    told = [f"{_count(turns)} round trips before delivery ({CAUSES[cause]})"] if cause else []
    for name, ns in sorted(parts.items(), key=lambda part: -part[1]):
        if ns >= NAMED_SHARE * whole:
            text = TEXTS[name].format(time=show_duration(ns), size=size, timeouts=path.timeouts)
            told.append(text)
    if unexplained > UNEXPLAINED_SHARE:
        told.append(f"{unexplained:.0%} is not explained by the packets")
    text = f"mean {show_duration(whole)}: {', '.join(told)}"
    return Why(text, turns, cause, path.timeouts, unexplained)


def _count(turns: float) -> str:
    return f"{turns:.2g}" if turns < 100 else f"{turns:.0f}"


def _cause(path: MessagePath, levels: Mapping[str, str], payload: float) -> Cause:
    """Who causes most of the round trips of so many bytes."""
    protocol, qos = levels.get("protocol", ""), levels.get("qos", "")
    large = payload > FIRST_WINDOW_BYTES
    if path.acknowledgements > path.answers:
        late = path.hosts / path.acknowledgements > DELAYED_NS
        return Cause.FIRST_WINDOW if large else Cause.NAGLE if late else Cause.ACKNOWLEDGEMENTS
    if protocol in MQTT and qos == "2":
        return Cause.QOS_2
    if protocol == coap.PROTOCOL:
        return Cause.BLOCKS if payload > coap.BLOCK_BYTES else Cause.NSTART if qos == "con" else Cause.ANSWERS
    return Cause.FIRST_WINDOW if protocol in QUIC and large else Cause.ANSWERS
