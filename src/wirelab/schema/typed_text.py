"""Text that a binary format marks as bytes or as a time. Inference types it so."""

from __future__ import annotations

import base64


class ByteText(str):
    """Padded standard base64 (RFC 4648) of a byte string."""

    __slots__ = ()

    @classmethod
    def of(cls, data: bytes) -> ByteText:
        """The text of a byte string."""
        return cls(base64.b64encode(data).decode())


class TimeText(str):
    """An RFC 3339 timestamp that 64 bits of ns since 1970 hold."""

    __slots__ = ()
