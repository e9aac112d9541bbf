"""Truncated and bit-flipped input: an error or another message, never a crash, never memory without
bound.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.test_round_trip import ALL
from wirelab.codecs.pack import Pack

# In a separate process with a limit of 1 GiB: a crash or a huge allocation ends it by a signal.
FUZZ = """
import json, random, resource, sys
sys.path.insert(0, sys.argv[1])
from tests.codecs.pack_ffi import Library, Refused
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
session = Library(sys.argv[2], json.loads(sys.argv[4])).session(sys.argv[3])
draw = random.Random(7)
tried = refused = 0
def attempt(data):
    global tried, refused
    tried += 1
    for read in (session.decode, session.message):
        try:
            read(data)
        except Refused:
            refused += 1
for index in (0, 1):
    whole = session.encode(index)
    for length in range(len(whole)):
        attempt(whole[:length])
    for _ in range(3000):
        flipped = bytearray(whole)
        for _ in range(draw.choice((1, 1, 2, 8))):
            flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
        attempt(bytes(flipped))
print(tried, refused)
"""


UGLY = [pack_schemas.FULL, pack_schemas.BARE]

# Its reader goes on yielding items of one list until memory ends.
UNBOUNDED = "flexbuffers/flexbuffers"


def fuzz(pack: Pack, codec: str, messages: list[Any]) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", FUZZ, root, pack.path, codec, json.dumps(messages)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("codec", [codec for codec in ALL if codec != UNBOUNDED])
def test_truncated_and_flipped_messages_end_in_an_error_or_another_message(
    ugly_pack: Pack, codec: str
) -> None:
    done = fuzz(ugly_pack, codec, UGLY)
    assert done.returncode == 0, done.stderr
    tried, refused = map(int, done.stdout.split())
    assert tried > 6000
    assert refused > 0


@pytest.mark.matrix
@pytest.mark.parametrize("codec", [codec for codec in ALL if codec != UNBOUNDED])
def test_damaged_unions_and_tuples_end_in_an_error_or_another_message(mixed_pack: Pack, codec: str) -> None:
    done = fuzz(mixed_pack, codec, [pack_schemas.MIXED_REPORT, ["x", {"x": 4}, 0.5]])
    assert done.returncode == 0, done.stderr
    tried, refused = map(int, done.stdout.split())
    assert tried > 6000
    assert refused > 0


def test_damaged_flexbuffers_make_their_library_allocate_without_bound(ugly_pack: Pack) -> None:
    done = fuzz(ugly_pack, UNBOUNDED, UGLY)
    assert done.returncode == -signal.SIGABRT
    assert "memory allocation of" in done.stderr
