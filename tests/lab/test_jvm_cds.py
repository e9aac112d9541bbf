"""An archive of classes never changes the output of a JVM."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from wirelab.lab.jvm_cds import KEEP, archive


def test_a_jvm_uses_an_archive_or_writes_a_new_one_next_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEEP, raising=False)
    assert archive(Path("/x/mqtt.jsa"))[-1] == "-XX:SharedArchiveFile=/x/mqtt.jsa"
    monkeypatch.setenv(KEEP, "1")
    assert archive(Path("/x/mqtt.jsa"))[-1] == "-XX:ArchiveClassesAtExit=/x/mqtt.jsa.new"


@pytest.mark.parametrize("kept", ["of other jars", "none"])
def test_a_peer_without_a_matching_archive_speaks_the_contract(root: Path, tmp_path: Path, kept: str) -> None:
    built = root / "java" / "peers" / "target"
    if not (built / "wirelab-peers.jar").exists():
        pytest.skip("no Java peers: `make peers`")
    home = tmp_path / "peers" / "target"
    home.mkdir(parents=True)
    (home / "lib").symlink_to(built / "lib")
    shutil.copyfile(built / "wirelab-peers.jar", home / "wirelab-peers.jar")
    if kept == "of other jars":
        shutil.copyfile(built / "mqtt.jsa", home / "mqtt.jsa")
    peer = shutil.copy(root / "java" / "wirelab-peer-java", tmp_path)
    told = subprocess.run([peer, "mqtt"], input=b'{"cmd":"describe"}\n', capture_output=True, check=False)
    lines = [json.loads(line)["event"] for line in told.stdout.splitlines()]
    assert (lines, told.returncode) == (["described", "stopped"], 0)
