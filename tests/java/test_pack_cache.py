"""Java packs are built once, by one process at a time."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from wirelab.codecs.java import build
from wirelab.codecs.java.registry import JAVA

pytestmark = pytest.mark.matrix


def test_two_concurrent_requests_for_a_pack_build_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, built = threading.Event(), []

    def hold(home: Path, *_: object) -> None:
        built.append(home)
        assert waiting.wait(60)
        (home / "classes").mkdir(parents=True)

    def tell(line: str) -> None:
        if line.startswith("waiting"):
            waiting.set()

    monkeypatch.setattr(build, "_build", hold)
    codecs = [codec for codec in JAVA if codec.format == "xdr"]
    arguments = (pack_schemas.GOLDEN, codecs, tmp_path, tell)
    threads = [threading.Thread(target=build.build_java_pack, args=arguments) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
