"""The pair of HTTP/3 with the relay."""

from __future__ import annotations

from pair import Pair, peer, promised, relay

ENCRYPTED = ("--certificate", "{tls}/server.pem", "--key", "{tls}/server.key")

PAIRS = [
    Pair(
        "http3",
        peer("http3"),
        relay("http3", *ENCRYPTED),
        promised("http3"),
        flood=5_000,
        acknowledged=("request",),
        unordered=("request",),
        options={"idle_timeout_s": "3"},
    ),
]
