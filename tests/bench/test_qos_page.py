"""The page on QoS names every protocol, each of its QoS, and the evidence for each library."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from bench import qos
from wirelab.lab.protocols import protocols

REAL = [protocol for protocol in protocols().values() if protocol.name != "mock"]


def table(heading: str) -> list[list[str]]:
    """The cells of the rows below a heading of the page."""
    _, _, rest = qos.PAGE.read_text().partition(f"\n## {heading}\n")
    lines = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def promised() -> dict[str, set[str]]:
    """The QoS of each protocol with a row of promises; an empty first cell is that of the row
    above.
    """
    found, names = defaultdict(set), ""
    for row in table("Promises"):
        names = row[0] or names
        for name in names.split(", "):
            found[name] |= set(re.findall(r"`(\w[\w-]*)`", row[1]))
    return found


@pytest.mark.parametrize("protocol", REAL, ids=lambda protocol: protocol.name)
def test_each_protocol_has_a_row_of_promises_for_each_of_its_qos(protocol) -> None:
    assert set(protocol.qos) - promised()[protocol.name] == set()


@pytest.mark.parametrize("protocol", REAL, ids=lambda protocol: protocol.name)
def test_each_protocol_has_a_row_of_features(protocol) -> None:
    assert protocol.name in {name for row in table("Features") for name in row[0].split(", ")}


@pytest.mark.parametrize("protocol", REAL, ids=lambda protocol: protocol.name)
def test_each_library_of_a_protocol_has_its_evidence(protocol) -> None:
    headings = re.findall(r"^### (.*)$", qos.PAGE.read_text(), re.MULTILINE)
    assert {f"{protocol.name}, {library}" for library in protocol.libraries} - set(headings) == set()


def test_evidence_is_wrapped_as_other_prose_is() -> None:
    name = "word " * 18
    assert (
        qos.item(f"- reliability: {name}end-to-end")
        == f"- reliability: {name.strip()[:-5]}\n  word end-to-end\n"
    )
