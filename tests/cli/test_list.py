"""`wirelab list` in every format."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner

from wirelab.cli.commands import list as listing
from wirelab.model.errors import BadInput

ROWS = [
    {"server": "mosquitto", "protocols": ["mqtt", "mqtt5"], "version": {"lib": "2.0", "core": ""}},
    {"server": "nats-server", "protocols": ["nats"], "version": {}},
]


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "LISTS", dict.fromkeys(listing.KINDS, lambda: ROWS))


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(listing.command, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_text_is_a_table_with_whole_lines() -> None:
    assert [line.rstrip() for line in shown("servers").splitlines()] == [
        "servers",
        "server       protocols    version",
        "───────────────────────────────────────",
        "mosquitto    mqtt, mqtt5  lib 2.0, core",
        "nats-server  nats",
    ]


def test_json_keeps_lists_and_tables() -> None:
    assert json.loads(shown("servers", "--output-format", "json")) == {"servers": ROWS}
    assert list(json.loads(shown("--output-format", "json"))) == [
        "formats", "protocols", "servers", "links", "devices"
    ]  # fmt: skip


def test_csv_has_a_line_per_name() -> None:
    assert list(csv.reader(io.StringIO(shown("servers", "--output-format", "csv")))) == [
        ["server", "protocols", "version"],
        ["mosquitto", "mqtt, mqtt5", "lib 2.0, core"],
        ["nats-server", "nats", ""],
    ]


def test_csv_of_all_kinds_is_refused_with_the_command_for_one() -> None:
    with pytest.raises(
        BadInput, match="CSV holds one table; name one: wirelab list formats --output-format csv"
    ):
        shown("--output-format", "csv")


def test_markdown_has_a_table_for_each_kind() -> None:
    assert shown("links", "--output-format", "md").startswith(
        "## links\n\n| server | protocols | version |\n| --- | --- | --- |\n| mosquitto |"
    )
