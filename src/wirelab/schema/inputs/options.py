"""How a payload file is read where its name and content do not say it."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.study import Study


class InputOptions(Struct, frozen=True):
    """`format` is one of wirelab.schema.inputs.formats, or empty: known by name and content.

    `lenient` reads common text that is not JSON, with a note (wirelab.schema.lenient_json).
    `proto_path` has the folders of a given schema's imports.
    """

    format: str = ""
    lenient: bool = False
    proto_path: tuple[str, ...] = ()

    @classmethod
    def of(cls, study: Study) -> InputOptions:
        """The options that a study names."""
        return cls(study.input_format, study.lenient, study.proto_path)
