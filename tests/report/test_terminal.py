"""The answer in a terminal, literally."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console
from rich.text import Text

from tests.report import fixtures
from wirelab.advice.offered_rate import OFFERED_RATE
from wirelab.advice.thresholds import parse_threshold
from wirelab.model.answer import Answer, Ranking
from wirelab.model.result import Shares
from wirelab.report import terminal
from wirelab.report.terminal_table import Column, PipeConsole, fitted


def shown(answer: Answer, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    terminal.print_answer(answer, console)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n"))


AT_80 = """\
avro/serde_avro_fast mqtt qos 0 passes loss=0 with median latency 41.2 ms [39.1
ms, 43.7 ms].

      format    protocol  qos   latency p50          lost  payload  thresholds
──────────────────────────────────────────────────────────────────────────────
1  ┌  avro      mqtt      0         41.2 ms           0 %    953 B  pass
                               [39.1, 43.7]     [0, 2.40]
2  └  protobuf  mqtt      0         41.4 ms           0 %  1,157 B  pass
                               [39.3, 43.9]     [0, 2.40]
3?    protobuf  mqtt      1         43.9 ms           0 %  1,157 B  pass
                               [41.7, 46.5]     [0, 2.40]
4     json      mqtt      0         96.0 ms           0 %  12.0 kB  pass
                                [91.2, 102]     [0, 2.40]
5= ┌  avro      coap      non       39.8 ms        4.67 %    953 B  fail
                               [37.8, 42.2]  [2.67, 7.07]
5= └  protobuf  coap      non       39.9 ms        6.00 %  1,157 B  fail
                               [37.9, 42.3]  [4.00, 8.40]

bracketed rows tie: their difference in latency p50 is not significant; payload
orders them; = tie; ? inconclusive: too noisy to be separated from the best; [ ]
95% interval, > open above; not shown at this width: latency p99, on the wire,
latency breakdown

Failed thresholds:
 - coap non: lost 4.67 % to 6.00 % fails loss=0 (2 rows)

No valid trial:
 - skipped: messages of 12 kB do not fit a datagram (5 times) (1 combination:
   json/serde_json udp datagram)

Trials left out of rows above:
 - invalid: rate missed (1 combination: json/serde_json mqtt qos 0)

Warnings:
 - CPU governor is 'powersave': set it to performance

measured 2026-11-02 10:00 UTC; wirelab 0.1.0 (ea3e18ff1234); rustc 1.95.0; Fast
<CPU>, 2 cores, Linux 6.18
"""

TABLE_AT_170 = """\
      format    protocol  qos           latency p50          latency p99                 lost  payload             on the wire  thresholds  latency breakdown
─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
1  ┌  avro      mqtt      0    41.2 ms [39.1, 43.7]   124 ms [103, >161]        0 % [0, 2.40]    953 B  1,163 B [1,157, 1,174]  pass        wire 49 %, queue 24 %
"""


def test_at_80_columns_the_whole_answer_reads_so() -> None:
    assert shown(fixtures.answer(), 80) == AT_80


def test_thresholds_stay_where_the_metrics_that_they_ask_for_do_not_fit() -> None:
    rates = {
        "throughput": fixtures.estimate(9.87, 9.81, 9.92, "1/s"),
        "latency_p50": fixtures.estimate(128e6, 2.05e6, 8.06e9),
        "latency_p99": fixtures.estimate(1.87e9, 197e6, 1.90e9, open_above=True),
    }
    rows = [msgspec.structs.replace(row, estimates=row.estimates | rates) for row in fixtures.ROWS]
    found = fixtures.answer(
        rankings=(Ranking({}, tuple(rows), "r"),),
        thresholds=(*fixtures.answer().thresholds, parse_threshold("p99<1s"), OFFERED_RATE),
    )
    assert [
        " ".join(next(line for line in shown(found, width).split("\n") if "protocol" in line).split())
        for width in (120, 106, 84, 66)
    ] == [
        "format protocol qos delivered latency p50 latency p99 lost payload thresholds",
        "format protocol qos latency p50 latency p99 lost payload thresholds",
        "format protocol qos latency p50 lost payload thresholds",
        "format protocol qos latency p50 thresholds",
    ]
    assert "not shown at this width: delivered, " in " ".join(shown(found, 106).split())


def test_at_170_columns_nothing_is_left_out() -> None:
    first = fixtures.ROWS[0]
    shares = Shares(10e6, 4e6, 20e6, 3e6, 4e6)
    rows = (msgspec.structs.replace(first, shares=shares), *fixtures.ROWS[1:])
    text = shown(fixtures.answer(rankings=(Ranking({}, rows, "r"),)), 170)
    assert TABLE_AT_170 in text
    assert "not shown at this width" not in text


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("name", ["usual", "device", "hostile", "nothing", "one", "many"])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = shown(fixtures.ANSWERS[name](), width).split("\n")
    assert max(map(len, lines)) <= width


def test_only_the_first_rows_are_shown_and_the_rest_is_counted() -> None:
    rows = fixtures.many().rankings[0].rows
    text = shown(fixtures.answer(rankings=(Ranking({}, rows, "r"),)), 120)
    assert "format11" in text
    assert "format12" not in text
    assert "88 more rows: in the report, or --output-format csv|md|json" in text


def test_each_link_has_its_own_table_with_its_reason() -> None:
    text = shown(fixtures.many(), 120)
    assert "link lte-drive,loss=5%: On lte-drive,loss=5% format0/library mqtt qos 0 is first." in text
    assert "288 more rows" in text


def test_markup_in_names_is_only_text() -> None:
    rows = (fixtures.row("[red]x[/red]", "mqtt", "0", 41.2),)
    assert "[red]x[/red]" in shown(fixtures.answer(rankings=(Ranking({}, rows, "r"),)), 170)


def test_no_color_leaves_no_escape_sequence_of_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = Console(width=100, file=io.StringIO(), highlight=False, force_terminal=True)
    terminal.print_answer(fixtures.answer(), console)
    assert isinstance(console.file, io.StringIO)
    assert "\x1b[3" not in console.file.getvalue()
    assert "\x1b[4" not in console.file.getvalue()


def test_without_a_terminal_lines_are_120_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert terminal.plain_console().width == 120


CODECS_AT_100 = """\
protobuf/prost is the fastest (serialize + deserialize: 3.68 us), 1.44 times as fast as the next,
flatbuffers/flatbuffers.

                                  size, mean
   codec                        (min to max)     serialize   deserialize          both         ratio
────────────────────────────────────────────────────────────────────────────────────────────────────
1  protobuf/prost                    1,157 B       1.52 us       2.16 us       3.68 us          1.00
                            (1,090 to 1,260)  [1.49, 1.56]  [2.10, 2.23]  [3.59, 3.79]
2  flatbuffers/flatbuffers           2,560 B       3.41 us       1.89 us       5.30 us          1.44
                            (2,400 to 2,790)  [3.30, 3.50]  [1.85, 1.93]  [5.15, 5.43]  [1.42, 1.46]
not shown at this width: version
ratio: serialize + deserialize against the first row's

Access alone, nothing read (not comparable with deserialize):
  flatbuffers/flatbuffers: 12.0 ns [11.0 ns, 13.0 ns] (not validated)
  flatbuffers/flatbuffers: 640 ns [610 ns, 690 ns] (validated)

Not carried:
  protobuf/prost: null against absent at trips[].end
"""


def test_the_codec_table_keeps_access_apart_and_names_losses() -> None:
    console = Console(width=100, file=io.StringIO(), highlight=False)
    terminal.print_codecs(fixtures.CODECS, console)
    assert isinstance(console.file, io.StringIO)
    assert "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")) == CODECS_AT_100


def codecs_shown(console: Console, *codecs: str) -> str:
    rows = [msgspec.structs.replace(fixtures.CODECS[0], codec=codec) for codec in codecs]
    terminal.print_codecs(rows, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_codec_table_shows_settings_in_brackets() -> None:
    console = Console(width=170, file=io.StringIO(), highlight=False)
    assert "json/serde_json[strings=borrowed]" in codecs_shown(console, "json/serde_json[strings=borrowed]")


@pytest.mark.parametrize("width", [52, 70, 90, 105])
def test_a_narrow_terminal_drops_columns_and_breaks_no_name(width: int) -> None:
    name = "flatbuffers/flatbuffers[buffer=fresh]"
    lines = codecs_shown(Console(width=width, file=io.StringIO(), highlight=False), name).splitlines()
    assert any(line.startswith(name) for line in lines)
    assert max(map(len, lines)) <= width
    assert any(line.startswith("not shown at this width: ") for line in lines)


def test_the_foot_names_columns_that_a_narrow_terminal_drops() -> None:
    text = codecs_shown(Console(width=60, file=io.StringIO(), highlight=False), "protobuf/prost")
    assert "not shown at this width: serialize, version\n" in text
    assert "0.14.1" not in text


def test_a_pipe_gets_whole_lines() -> None:
    name = "flatbuffers/" + "x" * 150
    lines = codecs_shown(PipeConsole(width=120, file=io.StringIO(), highlight=False), name).splitlines()
    (row,) = [line for line in lines if line.startswith(name)]
    assert row.split()[1:3] == ["0.14.1", "1,157"]
    assert row.endswith("3.68 us [3.59, 3.79]")


def test_texts_wrap_between_words_before_a_column_is_dropped() -> None:
    columns = [
        Column("name", [Text("mqtt")]),
        Column("servers", [Text("built-in, mosquitto, rabbitmq, artemis")], 1, wrap=True),
        Column("page", [Text("page-of-mqtt")], 2),
    ]
    shown, dropped = fitted(columns, 42)
    assert [text.plain for column in shown for text in column.texts] == [
        "mqtt",
        "built-in, mosquitto,\nrabbitmq, artemis",
        "page-of-mqtt",
    ]
    assert dropped == []
    assert [column.title for column in fitted(columns, 26)[0]] == ["name", "servers"]


class Preview(msgspec.Struct, frozen=True):
    format: str
    per_message: tuple[int, ...] = ()


def test_the_preview_lists_the_smallest_format_first_and_names_pending_ones() -> None:
    previews = (Preview("json", (11000, 13000, 19000)), Preview("flatbuffers"), Preview("raw", (100, 100)))
    assert terminal.preview_text(previews) == (
        "bytes per message before compiling, mean (min to max):\n"
        "  raw   100 B\n"
        "  json  14.3 kB (11.0 to 19.0)\n"
        "  known once compiled: flatbuffers"
    )


def test_codecs_that_lose_the_same_share_a_line() -> None:
    console = Console(width=100, file=io.StringIO(), highlight=False)
    lossy = msgspec.structs.replace(fixtures.CODECS[0], losses=("key name a-b",))
    rows = [lossy, fixtures.CODECS[1], msgspec.structs.replace(lossy, codec="xdr/rfc4506")]
    terminal.print_codecs(rows, console)
    assert isinstance(console.file, io.StringIO)
    assert f"  {lossy.codec}, xdr/rfc4506: key name a-b\n" in console.file.getvalue()
