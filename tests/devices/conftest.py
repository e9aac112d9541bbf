"""Toolchains and libraries for the device tests: skipped loudly where they are absent."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirelab.devices import catalog, codecs, libraries
from wirelab.devices.catalog import Device
from wirelab.devices.libraries import Libraries
from wirelab.devices.measurement import Job, measure
from wirelab.devices.result import Measured
from wirelab.model.schema import Schema
from wirelab.schema import payload
from wirelab.schema.check import typed_messages
from wirelab.schema.inference import infer
from wirelab.schema.numerals import with_numerals


def loudly_skip(reason: str) -> None:
    warnings.warn(reason, stacklevel=2)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def found() -> Libraries:
    """What firmware/get-libraries.sh brought."""
    return libraries.find({})


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests, so that libraries are compiled once."""
    return tmp_path_factory.mktemp("devices")


@pytest.fixture(scope="session")
def chip() -> Callable[[str], Device]:
    """A device whose toolchain is installed."""

    def wanted(name: str) -> Device:
        found = catalog.device(name)
        if lacking := catalog.missing_tools(found):
            loudly_skip(str(lacking))
        return found

    return wanted


Measure = Callable[..., Measured]


@pytest.fixture(scope="session")
def cost(chip: Callable[[str], Device], found: Libraries, cache: Path) -> Measure:
    """Measure JSON Lines text with a codec on a device."""

    def measured(
        device: str,
        codec: str,
        lines: bytes,
        optimise: str = "Os",
        given: Schema | None = None,
        **more: Any,
    ) -> Measured:
        one = codecs.CODECS[codec]
        if one.library not in ("wirelab", *found):
            loudly_skip(libraries.HOW[one.library])
        corpus = payload.parse(lines, "payload.jsonl")
        schema = given or infer(corpus)
        messages = list(typed_messages(with_numerals(corpus), schema))
        return measure(
            Job(chip(device), one, schema, messages, list(range(len(messages))), found, optimise, **more),
            cache,
        )

    return measured
