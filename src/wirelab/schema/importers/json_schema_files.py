"""The files of a JSON Schema, and what the references in them lead to.

References are resolved by `referencing`, the resolver of the jsonschema library: `$id`, anchors and
JSON pointers of drafts 4 to 2020-12. A reference to another document is a file: beside this one, as
its relative path says, or with the `$id` that is referred to. Nothing is downloaded: what has
an address on the web and no file is any value.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from referencing import Registry
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT4, DRAFT202012, SchemaResource, specification_with

from wirelab.model.errors import BadInput
from wirelab.schema.importers.json_file import parsed, text_of

MAX_FILES = 256
"""Files read for one schema, and looked through for an `$id`."""
_WEB = ("http://", "https://")
_OLD = ("draft-03", "draft-04", "draft-06", "draft-07")


class Sub(NamedTuple):
    """A subschema, the place that its references start from, and the name it was referred to by."""

    text: Any
    start: Any
    name: str = ""
    ignores_siblings: bool = False
    """Whether keywords beside a `$ref` do not count: before draft 2019-09."""


class BadReference(ValueError):
    """A reference that leads nowhere. The message is the reason."""


class Files:
    """The documents read so far."""

    def __init__(self, whole: Any, path: Path) -> None:
        self.path = path.resolve()
        self.read: dict[str, SchemaResource] = {}
        self.broken: BadInput | None = None
        self.unread: dict[str, None] = {}
        """Addresses on the web that no file answers."""
        first = _resource(whole)
        self.own = _identity(first)
        self.base = urljoin(self.path.as_uri(), self.own)
        registry: Registry[Any] = Registry(retrieve=self.retrieve)  # type: ignore[call-arg]  # a class of attrs
        self.registry = registry.with_resource(self.base, first)
        start = self.registry.resolver(base_uri=self.base)
        self.root = Sub(whole, start, "", _is_old(whole))

    def inside(self, sub: Sub, text: Any) -> Sub:
        """A subschema of `sub`."""
        start = sub.start
        if isinstance(text, dict) and isinstance(text.get("$id", text.get("id")), str):
            start = _guarded(lambda: start.in_subresource(_resource(text)))
        return Sub(text, start, "", sub.ignores_siblings)

    def target(self, sub: Sub, reference: Any) -> Sub:
        """What a `$ref` in `sub` leads to. Raises BadReference; BadInput if a file is not JSON."""
        if not isinstance(reference, str):
            raise BadReference("a reference that is not text")
        try:
            found = _guarded(lambda: sub.start.lookup(reference))
        except BadReference:
            if reference.startswith(_WEB) and not self.broken and self.is_absent(reference):
                self.unread[reference.partition("#")[0]] = None
                return Sub(True, sub.start)
            raise self.broken or BadReference(f"the reference {reference} leads nowhere") from None
        document, _, fragment = reference.partition("#")
        name = unquote(fragment.rpartition("/")[2]) or Path(urlsplit(document).path).name.partition(".")[0]
        old = sub.ignores_siblings
        if not reference.startswith("#"):
            old = _is_old(_guarded(lambda: found.resolver.lookup("#")).contents, old)
        return Sub(found.contents, found.resolver, name, old)

    def retrieve(self, uri: str) -> SchemaResource:
        """The document at an address, from a file. Raises NoSuchResource."""
        if uri not in self.read:
            path = self.find(uri)
            if path is None or len(self.read) > MAX_FILES:
                raise _missing(uri)
            try:
                self.read[uri] = _resource(parsed(text_of(path), str(path)))
            except BadInput as error:
                self.broken = error
                raise _missing(uri) from None
        return self.read[uri]

    def is_absent(self, reference: str) -> bool:
        """Whether no file has the document of a reference."""
        uri = reference.partition("#")[0]
        return uri not in self.read and uri not in self.registry and self.find(uri) is None

    def find(self, uri: str) -> Path | None:
        """The file of a document: by its relative path, its name or its `$id`."""
        address = urlsplit(uri)
        where = unquote(address.path)
        folder = self.path.parent
        if address.scheme == "file":
            return Path(where) if Path(where).is_file() else None
        near = [folder / Path(where).name, folder / f"{Path(where).name}.json"]
        depth = len(Path(urlsplit(self.base).path).parts)
        for up in range(1, min(depth, 6)):
            start = urljoin(self.base, "../" * (up - 1) or ".")
            if uri.startswith(start):
                top = folder.joinpath(*[".."] * (up - 1))
                near.insert(0, top / unquote(uri.removeprefix(start)))
        found = next((one for one in near if one.is_file()), None)
        return found or self.with_id(uri.rstrip("#"))

    def with_id(self, uri: str) -> Path | None:
        """The file beside this one whose `$id` is an address."""
        for one in sorted(self.path.parent.glob("*.json"))[:MAX_FILES]:
            try:
                text = text_of(one)
                if uri in text and _identity(_resource(parsed(text, str(one)))).rstrip("#") == uri:
                    return one
            except BadInput:
                continue
        return None


def _resource(text: Any) -> SchemaResource:
    dialect = text.get("$schema") if isinstance(text, dict) else None
    default = DRAFT202012
    if isinstance(text, dict) and "$id" not in text and "$schema" not in text:
        default = DRAFT4 if isinstance(text.get("id"), str) else DRAFT202012
    name = (
        dialect.replace("https://json-schema.org/draft-0", "http://json-schema.org/draft-0")
        if isinstance(dialect, str)
        else ""
    )
    return specification_with(name, default=default).create_resource(text)


def _missing(uri: str) -> NoSuchResource:
    return NoSuchResource(ref=uri)  # type: ignore[call-arg]  # a class of attrs


def _identity(resource: SchemaResource) -> str:
    try:
        return resource.id() or ""
    except (AttributeError, TypeError):
        return ""


def _is_old(document: Any, default: bool = False) -> bool:
    dialect = document.get("$schema") if isinstance(document, dict) else None
    return any(one in dialect for one in _OLD) if isinstance(dialect, str) else default


def _guarded(look: Callable[[], Any]) -> Any:
    """What a look-up finds. A document may be any JSON: what the library trips over is refused."""
    try:
        return look()
    except (Unresolvable, AttributeError, TypeError, ValueError, KeyError, IndexError, RecursionError):
        raise BadReference("a reference leads nowhere") from None
