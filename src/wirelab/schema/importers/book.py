"""The records of a given schema, and the errors that all importers share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Field, Record, Ref, Schema
from wirelab.schema import recursion
from wirelab.schema.corpus import Corpus
from wirelab.schema.json_reader import MAX_DEPTH
from wirelab.schema.kinds import Kinds
from wirelab.schema.names import MAX_NAMES, field_name, folded, is_field, is_record, record_name
from wirelab.schema.paths import Part, show
from wirelab.schema.places import places

MAX_BYTES = 4 * 2**20
EAGER = 16
"""Levels at which records are read where they are used; deeper ones wait, nearest first.

Otherwise a path through many records that use each other would be too deep.
"""


class Given(Struct, frozen=True):
    """A schema read from a file, the messages in its types (none without a payload), and notes.

    `kinds` are those of the messages if there are several.
    """

    schema: Schema
    corpus: Corpus | None = None
    notes: tuple[str, ...] = ()
    kinds: Kinds | None = None

    @property
    def messages(self) -> Corpus:
        """The corpus. Raises ValueError if only a schema was read."""
        if self.corpus is None:
            raise ValueError("no payload was read")
        return self.corpus


class Book:
    """The records found so far, nested ones first."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.records: dict[str, Record] = {}
        self._taken: set[str] = set()

    def reserve(self, wish: str) -> str:
        """A free record name: the wish if it is valid in every format."""
        good = is_record(wish) and folded(wish) not in self._taken
        name = wish if good else record_name(wish, self._taken)
        self._taken.add(folded(name))
        return name

    def keep(self, name: str, fields: Iterable[Field], path: Iterable[Part]) -> None:
        """Add a finished record. Raises BadInput if it has too many fields."""
        record = Record(name, tuple(fields))
        if max(len(record.fields), len(self.records)) > MAX_NAMES:
            raise self.refuse(path, f"more than {MAX_NAMES:,} fields or records", "use a map")
        self.records[name] = record

    def schema(self, root: AnyType) -> Schema:
        """The schema of these records. Raises BadInput for a record that contains itself without
        end.
        """
        records = tuple(self.records.values())
        try:
            recursion.check(records)
        except recursion.Endless as error:
            found = places(Schema(root, records), every_record=True)
            users = (p.path for p in found if isinstance(p.kind, Ref) and p.kind.name == error.record)
            raise self.refuse((*next(users), error.key), str(error), recursion.REMEDY) from None
        return Schema(root, recursion.ordered(records))

    def enter(self, path: tuple[Part, ...]) -> None:
        """Enter a record. Raises BadInput if it is nested too deeply."""
        if len(path) > MAX_DEPTH:
            raise self.refuse(path, f"nested deeper than {MAX_DEPTH} levels", "flatten the records")

    def refuse(self, path: Iterable[Part], why: str, next_step: str) -> BadInput:
        """The error for a part that our schemas do not support."""
        return BadInput(f"{self.source}, at {show(path)}", why, next_step)


def own_name(wish: str, taken: set[str]) -> str:
    """A field name: the wish if it is valid in every format and free. Adds it to `taken`."""
    name = wish if is_field(wish) and folded(wish) not in taken else field_name(wish, taken)
    taken.add(folded(name))
    return name


def source(path: Path, most: int = MAX_BYTES) -> bytes:
    """The bytes of a schema file, `most` at most. Raises BadInput."""
    try:
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise BadInput(
            str(path), f"cannot be read: {error.strerror}", "give a readable schema file"
        ) from None
    if len(data) > most:
        step = "keep the types that messages have, and leave out the others"
        raise BadInput(str(path), f"larger than {most // 2**20} MiB", step)
    return data
