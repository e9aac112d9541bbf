"""`wirelab devices` in a pipe and in a narrow terminal."""

from __future__ import annotations

import io

from rich.console import Console

from tests.report.fixtures import CHIP
from wirelab.report.terminal_device import print_devices
from wirelab.report.terminal_table import PipeConsole


def printed(kind: type[Console], width: int) -> list[str]:
    out = io.StringIO()
    print_devices("t.jsonl", [CHIP], kind(file=out, width=width))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_pipe_gets_every_column_of_a_device_on_whole_lines() -> None:
    lines = printed(PipeConsole, 120)
    assert lines[0] == "t.jsonl: 5 messages measured, means per message"
    assert " ".join(lines[6].split()) == (
        "protobuf/nanopb 0.4.7 1,215 1,292 1,843 to 2,291 1,993 to 2,446 34.8 5,172 0 92 284 376 "
        "7.87 mJ 7.39 uJ 3.50 days 10.2 years"
    )
    assert lines[-1] == (
        " - battery life counts serializing and sending the messages alone: no sleep, no receiving, no connection"
    )


def test_a_narrow_terminal_keeps_times_and_energy_and_names_the_other_columns() -> None:
    lines = printed(Console, 80)
    assert lines[4:11] == [
        "                         serialize,  deserialize,  energy,  energy,",
        "codec                  instructions  instructions   nb-iot      ble",
        "───────────────────────────────────────────────────────────────────",
        "protobuf/nanopb 0.4.7         1,215         1,292  7.87 mJ  7.39 uJ",
        "xdr/wirelab RFC 4506            242           185  9.58 mJ  8.22 uJ",
        "not shown at this width: serialize modelled cycles, bytes, text B, RAM B,",
        "deserialize modelled cycles, data B, bss B, stack B, battery nb-iot, battery ble",
    ]
