"""Moquette with our MQTT peer.

At QoS 0 it drops messages for a slow subscriber, so QoS 1 is tested.
"""

from __future__ import annotations

from pair import peer, promised, served

PAIRS = [
    served(
        "mqtt with Moquette", peer("mqtt"), ("moquette", "mqtt", "tcp"), promised("mqtt", "1"), flood=5_000
    ),
]
