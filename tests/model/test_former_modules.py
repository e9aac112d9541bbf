"""A module of the previous release is refused with its present name."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

import pytest

from wirelab.former_modules import NAMES


def test_a_former_module_is_refused_with_its_present_name() -> None:
    with pytest.raises(ModuleNotFoundError) as refused:
        importlib.import_module("wirelab.lab.over")
    assert str(refused.value) == "wirelab.lab.over is now wirelab.lab.drain; import that"


def test_a_module_of_a_former_package_is_refused_with_the_packages_name() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"wirelab\.schema\.emit is now wirelab\.schema\.emitters"):
        importlib.import_module("wirelab.schema.emit.avro")


def test_a_name_that_never_was_ours_is_not_found_as_usual() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'wirelab\.nothing'"):
        importlib.import_module("wirelab.nothing")


def test_every_present_name_is_a_module() -> None:
    assert [name for name in NAMES.values() if find_spec(name) is None] == []
