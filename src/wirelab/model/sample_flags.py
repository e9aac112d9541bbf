"""The flags of a sample record: docs/contracts/peer.md, "Samples"."""

from __future__ import annotations

ACKNOWLEDGED = 1
# The message failed, or the publisher gave it up.
FAILED = 2
# The message did not decode.
UNDECODABLE = 4
# The content is not in the corpus.
UNKNOWN = 8
# The protocol itself marked it a duplicate.
DUPLICATE = 16
