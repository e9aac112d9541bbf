"""Payloads on stdin, in directories and in archives; files that are not what they seem."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.schema.inputs import archives, files
from wirelab.schema.inputs.archives import Budget, members
from wirelab.schema.payload import read

TWO = b'{"a":1}\n{"a":2}\n'


def zipped(content: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return stream.getvalue()


def tarred(content: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


CONTENT = {"b.json": b'{"a":3}', "a.jsonl": TWO, ".hidden": b"x", "__MACOSX/a.jsonl": b"x"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("p.zip", zipped(CONTENT)),
        ("p.tar", tarred(CONTENT)),
        ("p.tar.gz", gzip.compress(tarred(CONTENT))),
        ("p.tar.xz", lzma.compress(tarred(CONTENT))),
        ("upload", zipped(CONTENT)),
    ],
)
def test_the_files_of_an_archive_are_read_by_name(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    corpus = read(tmp_path / name)
    assert corpus.messages == ({"a": 1}, {"a": 2}, {"a": 3})
    assert corpus.notes == ("read from 2 files",)
    assert corpus.where(1).endswith("/a.jsonl, line 2 (message 2)")
    assert corpus.where(2).endswith("/b.json")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_is_read_as_what_it_holds(tmp_path: Path, compress: object) -> None:
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(compress(TWO))  # type: ignore[operator]
    assert read(path).messages == ({"a": 1}, {"a": 2})


def test_the_files_of_a_directory_are_read_by_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x").write_bytes(b"x")
    (tmp_path / "sub" / "c.json").write_bytes(b'{"a":3}')
    (tmp_path / "b.jsonl").write_bytes(TWO)
    corpus = read(tmp_path)
    assert corpus.messages == ({"a": 1}, {"a": 2}, {"a": 3})


def test_a_fault_in_a_directory_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "b.json").write_bytes(b"{")
    with pytest.raises(BadInput, match=r"b\.json, line 1, at \$: the text ends here"):
        read(tmp_path)


def test_stdin_is_a_payload_that_may_be_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    files._stdin.cache_clear()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TWO)))
    assert read("-").messages == read("-").messages == ({"a": 1}, {"a": 2})
    assert read("-").where(1) == "stdin, line 2 (message 2)"
    files._stdin.cache_clear()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (zipped({}), "the archive has no files"),
        (zipped({"a.json": b"{}"})[:40], "not a whole archive"),
        (gzip.compress(TWO)[:20], "not a whole archive"),
        (
            gzip.compress(gzip.compress(gzip.compress(gzip.compress(TWO)))),
            "more than 3 archives inside each other",
        ),
        (b"\x28\xb5\x2f\xfd\x00", "zstd archives are not read; decompress it with zstd -d"),
    ],
)
def test_an_archive_that_cannot_be_read_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        list(members("p", data, Budget("p")))


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: zipped({"a": data, "b": data})])
def test_an_archive_that_expands_without_bound_is_refused(
    monkeypatch: pytest.MonkeyPatch, pack: object
) -> None:
    monkeypatch.setattr(archives, "MAX_BYTES", 2**20)
    with pytest.raises(BadInput, match="p: larger than 1 MiB"):
        list(members("p", pack(bytes(700_000) * 2), Budget("p")))  # type: ignore[operator]


def test_a_member_that_says_a_size_beyond_the_bound_is_refused_unread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archives, "MAX_BYTES", 2**20)
    data = zipped({"a": bytes(2**20 + 1)})
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it is read"))
    with pytest.raises(BadInput, match="p: larger than 1 MiB"):
        list(members("p", data, Budget("p")))


def test_an_archive_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 2)
    content = {f"{number}.json": b"{}" for number in range(3)}
    for data in (zipped(content), tarred(content)):
        with pytest.raises(BadInput, match="p: more than 2 files"):
            list(members("p", data, Budget("p")))


def test_a_file_that_grows_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(TWO)
    bounded = files._bounded

    def slow(*given: object) -> bytes:
        data = bounded(*given)  # type: ignore[arg-type]
        with path.open("ab") as stream:
            stream.write(TWO)
        return data

    monkeypatch.setattr(files, "_bounded", slow)
    with pytest.raises(BadInput, match="it changed while it was read; copy it"):
        read(path)


def test_a_file_of_another_kind_in_a_directory_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "README.md").write_bytes(b"# hello\n")
    with pytest.raises(BadInput) as caught:
        read(tmp_path)
    assert caught.value.sentence.endswith(f"correct the JSON, or take the file out of {tmp_path}")


def test_a_file_that_vanishes_from_a_directory_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(b"{}")
    data_of = files.data_of

    def removing(path: Path) -> bytes:
        (tmp_path / "b.json").unlink(missing_ok=True)
        return data_of(path)

    monkeypatch.setattr(files, "data_of", removing)
    monkeypatch.setattr(Path, "is_file", lambda _: True)
    with pytest.raises(BadInput, match="b.json: no such file"):
        read(tmp_path)


@given(st.integers(0, 2000), st.binary(min_size=1, max_size=4), st.sampled_from([zipped, tarred]))
def test_a_damaged_archive_has_members_or_is_refused(at: int, damage: bytes, pack: object) -> None:
    whole = pack({"a.json": b"{}", "b": bytes(300)})  # type: ignore[operator]
    at %= len(whole)
    try:
        list(members("p", whole[:at] + damage + whole[at + len(damage) :], Budget("p")))
    except BadInput:
        return
