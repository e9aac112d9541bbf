"""The result of measuring a codec on a device."""

from __future__ import annotations

from msgspec import Struct

from wirelab.devices.elf import Sizes
from wirelab.model.trial import Verdict


class PerMessage(Struct, frozen=True):
    """One message on one device.

    Counts are in the device's unit; `*_cycles` are modelled bounds.
    """

    index: int
    bytes: str
    serialize: int
    deserialize: int
    serialize_stack: int
    deserialize_stack: int
    serialize_cycles: tuple[int, int] | None = None
    deserialize_cycles: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        """Bytes of the serialized message."""
        return len(self.bytes) // 2


class Measured(Struct, frozen=True):
    """A codec on a device. `sizes` are those of the codec: the baseline image is subtracted.

    bss holds the message object and its buffer (`object_bytes`, `buffer_bytes`). `heap` is the peak
    use of its arena.
    """

    device: str
    codec: str
    version: str
    counts: str
    verdict: Verdict
    compiler: str = ""
    optimise: str = "Os"
    messages: tuple[PerMessage, ...] = ()
    sizes: Sizes = Sizes(0, 0, 0)
    baseline: Sizes = Sizes(0, 0, 0)
    heap: int = 0
    notes: tuple[str, ...] = ()

    @property
    def stack(self) -> int:
        """The deepest stack of both directions and all messages, in bytes."""
        return max((max(m.serialize_stack, m.deserialize_stack) for m in self.messages), default=0)

    @property
    def ram(self) -> int:
        """data + bss + arena in use + stack."""
        return self.sizes.data + self.sizes.bss + self.heap + self.stack

    def mean(self, what: str) -> float:
        """The mean of `serialize`, `deserialize` or `size` over the messages."""
        return float(sum(getattr(m, what) for m in self.messages)) / len(self.messages)

    def band(self, what: str) -> tuple[float, float] | None:
        """Means of the modelled bounds of `serialize` or `deserialize`; None if not modelled."""
        bands = [getattr(m, f"{what}_cycles") for m in self.messages]
        if not bands or not all(bands):
            return None
        low, high = (sum(band[end] for band in bands) / len(bands) for end in (0, 1))
        return low, high
