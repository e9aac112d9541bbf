"""Avro types in files near a schema, by their full names; protocols as lists of types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.schema.importers.json_file import parsed, text_of, without_comments

MAX_FILES = 256
_NAMED = ("record", "error", "enum", "fixed")


def read_types(path: Path) -> Any:
    """The Avro JSON in an .avsc or .avpr, or of an .avdl. A protocol is the list of its types.

    Raises BadInput.
    """
    words = text_of(path)
    if path.suffix == ".avdl":
        from wirelab.schema.importers.avdl import read_avdl  # noqa: PLC0415  (reads imports by this module)

        return read_avdl(words, path)
    return types_of(parsed(without_comments(words), str(path)))


def types_of(whole: Any) -> Any:
    """The types of a protocol with its namespace, any other JSON as it is."""
    if not isinstance(whole, dict) or "protocol" not in whole:
        return whole
    space, types = str(whole.get("namespace", "")), whole.get("types")
    listed = types if isinstance(types, list) else []
    return [{"namespace": space, **one} if isinstance(one, dict) else one for one in listed]


def is_avro(whole: Any) -> bool:
    """Whether JSON is an Avro schema or protocol: no JSON Schema has types of these names."""
    if isinstance(whole, list):
        return any(map(is_avro, whole))
    return isinstance(whole, dict) and (whole.get("type") in _NAMED or "protocol" in whole)


class Neighbours:
    """The named types of the schema files in the folder of a file, and in the folders below it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.types: dict[str, dict[str, Any]] | None = None

    def find(self, full: str) -> dict[str, Any] | None:
        """The definition with a full name, with its namespace; None if no file has it."""
        if self.types is None:
            self.types = {}
            for one in self.files():
                try:
                    whole = read_types(one)
                except BadInput:
                    continue
                for name, text in named(whole, ""):
                    self.types.setdefault(name, text)
        return self.types.get(full)

    def files(self) -> list[Path]:
        found = []
        for one in self.path.resolve().parent.rglob("*.av??"):
            if one.suffix in (".avsc", ".avpr", ".avdl") and one.is_file() and one != self.path.resolve():
                found.append(one)
            if len(found) == MAX_FILES:
                break
        return sorted(found)


def named(text: Any, space: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The named types in a schema, outermost first, each with its full name and own namespace."""
    if isinstance(text, list):
        for one in text:
            yield from named(one, space)
    if not isinstance(text, dict):
        return
    kind, name = text.get("type"), text.get("name")
    if isinstance(kind, str) and kind in _NAMED and isinstance(name, str):
        if "." in name:
            space = name.rpartition(".")[0]
        else:
            space = str(text.get("namespace", space) or "")
            name = f"{space}.{name}" if space else name
        yield name, {**text, "name": name, "namespace": space}
        fields = text.get("fields")
        for field in fields if isinstance(fields, list) else []:
            yield from named(field.get("type") if isinstance(field, dict) else None, space)
        return
    for word in ("type", "items", "values", "types"):
        if isinstance(text.get(word), dict | list):
            yield from named(text[word], space)
