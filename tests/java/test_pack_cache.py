"""Java packs are built once, by one process at a time."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from tests.codecs.fake_pack import changed
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


def test_a_change_of_what_compiles_a_pack_is_another_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_build", lambda home, *_: (home / "classes").mkdir(parents=True))
    arguments = (pack_schemas.GOLDEN, [codec for codec in JAVA if codec.format == "xdr"], tmp_path)
    before = build.build_java_pack(*arguments)
    changed(build, tmp_path, monkeypatch)
    assert build.build_java_pack(*arguments).path != before.path
