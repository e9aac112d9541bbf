"""Moquette with our MQTT peer. At QoS 0 it drops messages for a slow subscriber, so QoS 1 is tested."""

from __future__ import annotations

from pair import ours, promised, served

PAIRS = [
    served(
        "mqtt with Moquette", ours("mqtt"), ("moquette", "mqtt", "tcp"), promised("mqtt", "1"), flood=5_000
    ),
]
