"""Strings that mean something else are recognised exactly."""

from __future__ import annotations

import pytest

from wirelab.schema.values import comes_back, is_base64, timestamp_ns


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1969-12-31T23:59:59.5Z", -500_000_000),
        ("1970-01-01T01:30:00+01:30", 0),
        ("1969-12-31T19:00:00-05:00", 0),
        ("2024-02-29T12:00:00.123Z", 1_709_208_000_123_000_000),
        ("2262-04-11T23:47:16.854775807Z", 2**63 - 1),
    ],
)
def test_a_timestamp_is_ns_since_1970(text: str, ns: int) -> None:
    assert timestamp_ns(text) == ns


@pytest.mark.parametrize(
    "text",
    [
        "2262-04-11T23:47:16.854775808Z",
        "2023-02-29T00:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T23:59:60Z",
        "2024-01-01T00:00:00.1234567890Z",
        "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00-00:00",
        "2024-01-01T00:00:00+24:00",
        "2024-01-01t00:00:00Z",
        "2024-01-01 00:00:00Z",
        "2024-01-01T00:00:00",
        "2024-01-01",
        "٢٠٢٤-01-01T00:00:00Z",
        "",
    ],
)
def test_anything_else_is_not_a_timestamp(text: str) -> None:
    assert timestamp_ns(text) is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2024-01-01T00:00:00Z", True),
        ("2024-01-01T00:00:00.120Z", True),
        ("2024-01-01T00:00:00.12Z", False),
        ("2024-01-01T00:00:00.000Z", False),
        ("2024-01-01T00:00:00.123000Z", False),
        ("2024-01-01T00:00:00+01:00", False),
    ],
)
def test_a_timestamp_comes_back_only_in_its_shortest_utc_form(text: str, same: bool) -> None:
    assert comes_back(text) is same


def test_base64_is_padded_and_canonical() -> None:
    assert [text for text in ("", "Zg==", "Zm9vYmFy") if is_base64(text)] == ["", "Zg==", "Zm9vYmFy"]
    assert [text for text in ("Zg", "Zh==", "Zm9_", "Zg==\n", "====", "é") if is_base64(text)] == []
