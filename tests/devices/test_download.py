"""The download of a library's release: the correct one, and wrong or hostile archives."""

from __future__ import annotations

import functools
import http.server
import io
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirelab.devices import download, libraries
from wirelab.devices.download import Release
from wirelab.model.errors import BadInput

FILES = {
    "mpack-9/README.md": b"not taken",
    "mpack-9/src/mpack/mpack.h": b"/* h */\n",
    "mpack-9/src/mpack/mpack-writer.c": b"/* w */\n",
    "mpack-9/src/mpack/mpack-expect.c": b"/* e */\n",
}
# sha256 over path, NUL, length, NUL, content of the three files, in the order of their paths.
DIGEST = "04c9bd98449479cae7a703f83d7a7eae46164a8317227d7116e410c2e595cde2"


def archive(folder: Path, *odd: tarfile.TarInfo, files: dict[str, bytes] = FILES) -> Path:
    path = folder / "release.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for info in odd:
            tar.addfile(info)
    return path


def release(path: Path, digest: str = DIGEST) -> Release:
    return Release("9", path.as_uri(), digest)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of a server on loopback that serves this test's folder."""
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(quiet, directory=str(tmp_path))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_release_is_fetched_over_http_and_found_by_its_name(tmp_path: Path, served: str) -> None:
    archive(tmp_path)
    cache = tmp_path / "cache"
    download.fetch("mpack", libraries.library_folder(cache), Release("9", f"{served}/release.tar.gz", DIGEST))
    assert libraries.find({}, cache)["mpack"].folder == cache / "libraries" / "mpack" / "src"
    assert not (cache / "libraries" / "mpack" / "README.md").exists()


def test_a_downloaded_library_is_not_downloaded_again(tmp_path: Path) -> None:
    wanted = release(archive(tmp_path))
    folder = download.fetch("mpack", tmp_path / "kept", wanted)
    (tmp_path / "release.tar.gz").unlink()
    assert download.fetch("mpack", tmp_path / "kept", wanted) == folder


def test_sources_with_another_checksum_are_refused_and_not_kept(tmp_path: Path) -> None:
    changed = {**FILES, "mpack-9/src/mpack/mpack.h": b"/* other */\n"}
    with pytest.raises(BadInput, match="not the sources of mpack 9: another checksum"):
        download.fetch("mpack", tmp_path / "kept", release(archive(tmp_path, files=changed)))
    assert list((tmp_path / "kept").iterdir()) == []


def odd(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize(
    "info",
    [
        odd("mpack-9/src/../../../escaped"),
        odd("/mpack-9/src/absolute"),
        odd("mpack-9/src/link", tarfile.SYMTYPE, "/etc/passwd"),
        odd("mpack-9/src/hard", tarfile.LNKTYPE, "/etc/passwd"),
        odd("mpack-9/src/device", tarfile.CHRTYPE),
        odd("mpack-9/src/pipe", tarfile.FIFOTYPE),
    ],
    ids=lambda info: info.name,
)
def test_an_archive_that_reaches_out_of_its_folder_is_refused(tmp_path: Path, info: tarfile.TarInfo) -> None:
    with pytest.raises(BadInput, match="in it is not a regular file"):
        download.fetch("mpack", tmp_path / "kept", release(archive(tmp_path, info)))
    assert not (tmp_path / "escaped").exists()
    assert list((tmp_path / "kept").iterdir()) == []


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    bomb = {"mpack-9/src/zeros": bytes(download.MOST_BYTES + 1)}
    with pytest.raises(BadInput, match="more files or bytes than a source release has"):
        download.fetch("mpack", tmp_path / "kept", release(archive(tmp_path, files=bomb)))


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"\x1f\x8b\x08\x00cut"])
def test_a_file_that_is_not_an_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "release.tar.gz"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="not a tar archive"):
        download.fetch("mpack", tmp_path / "kept", release(path))


def test_an_unreachable_page_is_reported_with_an_alternative(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be fetched .*--mpack-dir"):
        download.fetch("mpack", tmp_path, Release("9", (tmp_path / "none").as_uri(), DIGEST))


def test_every_library_that_is_fetched_is_pinned_to_a_release_over_https() -> None:
    for one in download.RELEASES.values():
        assert one.url.startswith("https://github.com/")
        assert one.version in one.url
        assert len(one.digest) == 64
