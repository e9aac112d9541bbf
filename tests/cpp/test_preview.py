"""The preview computes what the C++ libraries write where no Rust library stands beside them."""

from __future__ import annotations

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from wirelab.codecs.pack import Pack
from wirelab.codecs.preview import preview_sizes

pytestmark = pytest.mark.matrix


def test_the_preview_of_thrift_is_exact(ugly_pack: Pack) -> None:
    messages = [pack_schemas.FULL, pack_schemas.BARE]
    session = Library(ugly_pack.path, messages).session("thrift/thrift-cpp-compact")
    previews = {one.format: one.per_message for one in preview_sizes(messages, pack_schemas.UGLY)}
    assert previews["thrift"] == tuple(len(session.encode(index)) for index in (0, 1))
