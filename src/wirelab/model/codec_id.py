"""The id of a codec: which format, in which library."""

from __future__ import annotations

from msgspec import Struct


class CodecId(Struct, frozen=True):
    """`format/library`; the library of a codec with another setting than usual is
    `library[setting=value]`.
    """

    format: str
    library: str = ""

    @classmethod
    def parse(cls, text: str) -> CodecId:
        """The id that `text` is; of a format alone, an id without a library."""
        format_, _, library = text.partition("/")
        return cls(format_, library)

    @property
    def is_variant(self) -> bool:
        """Whether the codec has another setting than usual."""
        return self.library.endswith("]")

    def __str__(self) -> str:
        return f"{self.format}/{self.library}" if self.library else self.format
