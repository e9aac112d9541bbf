"""Study files: parsing, and errors with a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirelab.model.errors import BadInput
from wirelab.studies.toml_reader import load


def write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


def test_any_factor_may_be_one_level_or_a_list(tmp_path: Path) -> None:
    study = load(write(tmp_path, 'payload = "p.json"\nformat = "json"\nloss = [0, "1%", 0.05]\ncount = 10\n'))
    assert study.format == ("json",)
    assert study.loss == ("0", "1%", "0.05")
    assert study.count == "10"


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    assert load(write(tmp_path, 'payload = "p.json"')).payload == str(tmp_path / "p.json")


def test_a_device_s_libraries_are_relative_to_the_file_and_its_cell_may_be_a_number(tmp_path: Path) -> None:
    text = 'payload = "p.json"\ndevice = "stm32f4"\nradio = "lora"\nbattery = 7500\n[device_libraries]\nmpack = "c"\n'
    (tmp_path / "s.toml").write_text(text)
    study = load(tmp_path / "s.toml")
    assert (study.device, study.battery) == ("stm32f4", "7500")
    assert study.device_libraries == {"mpack": str(tmp_path / "c")}


def test_an_unknown_key_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="key 'protocols'.*did you mean protocol"):
        load(write(tmp_path, 'payload = "p.json"\nprotocols = ["mqtt"]\n'))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('payload = "p.json"\nreplicates = "many"\n', "replicates"),
        ("format = 'json'\n", "payload"),
        ("payload = [", "correct the TOML"),
        ('payload = "p.json"\nformat = [{a = 1}]\n', "format"),
    ],
)
def test_a_wrong_value_is_refused_by_name(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        load(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.toml"):
        load(tmp_path / "none.toml")


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="correct the TOML"):
        load(path)
