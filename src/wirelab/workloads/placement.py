"""The placement of roles: one text for each node of a cluster.

`publishers=2,server`   two publishers and the server
`subscriber`            a subscriber, which gets every message
`server=HOST:PORT`      not a node: the server runs there already
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.host_port import HostPort
from wirelab.model.suggestions import nearest

ROLES = ("publishers", "server", "subscriber")
# There is a process for each publisher, and one per publisher at each subscriber.
MOST_PUBLISHERS = 64


class Post(Struct, frozen=True):
    """The roles on one node."""

    publishers: int = 0
    server: bool = False
    subscriber: bool = False


class Placement(Struct, frozen=True):
    """All nodes, and the address of an external server ("" if one starts on a node)."""

    posts: tuple[Post, ...]
    outside: HostPort | None = None

    @property
    def publishers(self) -> list[int]:
        """The node of each publisher, as an index into `posts`."""
        return [at for at, post in enumerate(self.posts) for _ in range(post.publishers)]

    @property
    def subscribers(self) -> list[int]:
        """The nodes with a subscriber, as indices into `posts`."""
        return [at for at, post in enumerate(self.posts) if post.subscriber]


def parse(texts: Sequence[str]) -> Placement:
    """The placement that texts name. Raises BadInput."""
    outside = [_address(text.removeprefix("server=")) for text in texts if text.startswith("server=")]
    posts = tuple(_post(text) for text in texts if not text.startswith("server="))
    servers = len(outside) + sum(post.server for post in posts)
    missing = [
        role
        for role, number in (
            ("publishers", sum(post.publishers for post in posts)),
            ("server", servers),
            ("subscriber", sum(post.subscriber for post in posts)),
        )
        if not number
    ]
    if missing:
        raise BadInput(
            "placement", f"no {missing[0]} on any node", 'write it like ["publishers=2,server", "subscriber"]'
        )
    if servers > 1:
        raise BadInput("placement", "several servers", "name one")
    if sum(post.publishers for post in posts) > MOST_PUBLISHERS:
        raise BadInput(
            "placement", f"more than {MOST_PUBLISHERS} publishers", "let each of them send more often"
        )
    return Placement(posts, outside[0] if outside else None)


def _post(text: str) -> Post:
    given: dict[str, int] = {}
    for part in text.split(","):
        role, equals, number = (piece.strip() for piece in part.partition("="))
        if role not in ROLES or role in given:
            why = f"duplicate '{role}'" if role in given else f"'{role}' is not a role"
            raise BadInput(f"placement '{text}'", why, nearest(role, ROLES))
        if bool(equals) != (role == "publishers") or (equals and not (number.isdigit() and int(number))):
            raise BadInput(
                f"placement '{text}'", f"'{part}' is not a part", "write it like publishers=2,server"
            )
        given[role] = int(number or 1)
    return Post(given.get("publishers", 0), "server" in given, "subscriber" in given)


def _address(text: str) -> HostPort:
    found = HostPort.parse(text)
    if found is None:
        raise BadInput(f"placement 'server={text}'", "not HOST:PORT", "write it like server=10.0.0.7:1883")
    return found
