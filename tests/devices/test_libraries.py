"""Libraries from directories the user names: the wrong, the absent and the hostile."""

from pathlib import Path

import pytest

from wirelab.devices import libraries
from wirelab.model.errors import BadInput


def mpack_sources(folder: Path) -> Path:
    inner = folder / "src" / "mpack"
    inner.mkdir(parents=True)
    for name in ("mpack.h", "mpack-writer.c", "mpack-expect.c"):
        (inner / name).write_text("/* mpack */\n")
    (inner / "mpack-common.h").write_text(
        "#define MPACK_VERSION_MAJOR 1 /*\n*/\n#define MPACK_VERSION_MINOR 1\n#define MPACK_VERSION_PATCH 2\n"
    )
    return folder


def test_a_source_tree_is_found_with_its_version(tmp_path: Path) -> None:
    found = libraries.find({"mpack": mpack_sources(tmp_path)}, cache=tmp_path / "none")
    assert found["mpack"].version == "1.1.2"
    assert found["mpack"].folder == (tmp_path / "src").resolve()


def test_a_library_that_is_neither_named_nor_fetched_is_absent(tmp_path: Path) -> None:
    assert libraries.find({}, cache=tmp_path) == {}


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--mpack-dir .*no such directory"):
        libraries.find({"mpack": tmp_path / "nowhere"}, cache=tmp_path)


def test_a_directory_with_other_files_is_refused_with_the_missing_ones(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not the sources of arduinojson: it lacks one of ArduinoJson.h"):
        libraries.find({"arduinojson": tmp_path}, cache=tmp_path)


def test_links_that_lead_out_of_the_directory_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "secret.c"
    outside.write_text("")
    tree = mpack_sources(tmp_path / "tree")
    (tree / "src" / "mpack" / "mpack-writer.c").unlink()
    (tree / "src" / "mpack" / "mpack-writer.c").symlink_to(outside)
    with pytest.raises(BadInput, match="not the sources of mpack"):
        libraries.find({"mpack": tree}, cache=tmp_path / "none")


def test_sources_that_state_no_version_are_known_by_their_digest(tmp_path: Path) -> None:
    tree = mpack_sources(tmp_path)
    (tree / "src" / "mpack" / "mpack-common.h").unlink()
    assert libraries.find({"mpack": tree}, cache=tmp_path / "none")["mpack"].version.startswith("sources ")
