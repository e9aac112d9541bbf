"""Topics: where messages are published. A subject, routing key, address or path where the protocol
has these instead.
"""

from __future__ import annotations

from wirelab.model.errors import BadInput

DEFAULT = "wirelab/t"
ID = "{id}"
ID_DIGITS = 4
# A topic of MQTT is a string of at most 65,535 bytes (MQTT 5, section 1.5.4).
LARGEST_BYTES = 65_535


def check_topic(topic: str) -> str:
    """The topic, checked for what no protocol here can publish to. Raises BadInput."""
    what = f"topic '{topic}'"
    if not topic or topic.startswith("/") or topic.endswith("/") or "//" in topic:
        raise BadInput(what, "has an empty level", "separate levels by one slash: site/sensor/data")
    if len(topic.encode()) > LARGEST_BYTES:
        raise BadInput(what[:60], f"has over {LARGEST_BYTES} bytes", "give a shorter one")
    if wrong := next((one for one in topic if one in "#+*>" or one.isspace() or not one.isprintable()), ""):
        raise BadInput(what, f"has {wrong!r}, a wildcard or a space", "name one topic to publish to")
    rest = topic.replace(ID, "")
    if "{" in rest or "}" in rest:
        raise BadInput(what, "has a placeholder that is not known", "write {id} for the number of the device")
    return topic


def fill(topic: str, publisher: int, publishers: int, trial: int) -> str:
    """The topic of one publisher in the `trial`-th trial on one server.

    No two are the same, since a server may keep messages. A topic with `{id}` has the same length
    for all.
    """
    if ID in topic:
        return topic.replace(ID, f"{trial * publishers + publisher:0{ID_DIGITS}d}")
    own = f"{topic}{trial or ''}"
    return f"{own}/{publisher}" if publishers > 1 else own
