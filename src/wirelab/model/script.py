"""Scripts: the reaction of a responder to each request (docs/contracts/peer.md, "Scripts")."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Method = Literal["GET", "PUT", "DELETE"]
Effect = Literal["take", "hold", "release", "reply"]


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """The effect of a request of one method on a pool, and the text of its answer.

    `{number}` in the text stands for the number that the effect concerns. A `reply` has no pool.
    """

    effect: Effect
    answer: str
    pool: str = ""


class Script(Struct, frozen=True, forbid_unknown_fields=True):
    """The reaction of a responder to each request. Without rules it returns every message.

    A pool of size n holds the numbers 0 to n - 1, all free at first. One request is answered at a
    time, after `service_time_ns`.
    """

    pools: dict[str, Annotated[int, Meta(ge=1, le=1 << 16)]] = {}
    on: dict[Method, Rule] = {}
    service_time_ns: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
