"""The delivery modes of a study: protocol, qos, server, client library and transport."""

from __future__ import annotations

import itertools

from msgspec import Struct

from wirelab.lab.protocols import protocol
from wirelab.lab.servers.external import External, is_external
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.suggestions import nearest

ANY = ("all", "default")


class Delivery(Struct, frozen=True):
    """One delivery mode."""

    protocol: str
    qos: str
    server: str
    client_library: str
    transport: str


# Factors of a protocol, and the error for a level that no protocol of the study has.
BENEATH = {
    "server": "none of {} runs on it",
    "client_library": "none of {} has a peer on it",
    "transport": "none of {} runs over it",
}


def deliveries(study: Study) -> list[Delivery]:
    """The protocol x qos x server x client library x transport combinations that exist.

    Raises BadInput for names that no protocol of the study has.
    """
    known = [protocol(name) for name in study.protocol]
    for qos in study.qos:
        every = {q for p in known for q in p.qos}
        if qos != "all" and qos not in every:
            raise BadInput(
                f"qos '{qos}'", f"not supported by {', '.join(study.protocol)}", nearest(qos, every)
            )
    for factor, complaint in BENEATH.items():
        every = {level for p in known for level in p.offers(factor)} | set(ANY if factor != "server" else ())
        for level in getattr(study, factor):
            if factor == "server" and is_external(level):
                External(level)
            elif level not in every | {"built-in"}:
                why = complaint.format(", ".join(study.protocol))
                raise BadInput(f"{factor} '{level}'", why, nearest(level, every - {""}))
    return [
        Delivery(p.name, qos, *beneath)
        for p in known
        for qos in (p.qos if "all" in study.qos else tuple(q for q in p.qos if q in study.qos))
        for beneath in itertools.product(*(chosen(getattr(study, f), p.offers(f)) for f in BENEATH))
    ]


def chosen(asked: tuple[str, ...], offered: tuple[str, ...]) -> list[str]:
    """The requested levels that a protocol offers; its default, the first, if it offers none."""
    if "all" in asked:
        return list(offered)
    wanted = [offered[0] if level == "default" else level for level in asked]
    return list(dict.fromkeys(level for level in wanted if level in offered or is_external(level))) or [
        offered[0]
    ]


def worth_showing(factor: str, delivery: Delivery, study: Study) -> bool:
    """Whether a level is shown: defaults of a protocol are not."""
    level, asked = getattr(delivery, factor), getattr(study, factor)
    several = len(asked) > 1 or "all" in asked
    return several or level not in ("built-in", "none", protocol(delivery.protocol).offers(factor)[0])
