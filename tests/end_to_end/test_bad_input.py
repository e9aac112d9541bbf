"""Bad input is refused before anything is built or measured, in one sentence with exit code 3."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import refused, wirelab

pytestmark = pytest.mark.first_case

DEEP = 10_000
GOOD = '{"id": 1, "name": "a"}\n{"id": 2, "name": "b"}\n'


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.jsonl"
    path.write_text(GOOD)
    return path


PAYLOADS = {
    "empty": (b"", "the file is empty"),
    "only blanks": (b" \n\t\n", "the file is empty"),
    "truncated": (b'{"a": [1, 2', "the text ends here"),
    "lists nested 10,000 levels deep": (b"[" * DEEP + b"]" * DEEP, "nested deeper than 64 levels"),
    "objects nested 10,000 levels deep": (
        b'{"a":' * DEEP + b"1" + b"}" * DEEP,
        "nested deeper than 64 levels",
    ),
    "not UTF-8": (b'{"a":"\xe9"}', "byte 6 (0xe9) is not UTF-8"),
    "a key twice": (b'{"a":1,"a":2}', "this key is a duplicate in its object"),
    "not a number": (b'{"a":NaN}', "NaN is not a JSON number"),
    "beyond every float": (b'{"a":1e999}', "larger than any 64-bit float"),
    "half a surrogate pair": (rb'{"a":"\ud800"}', "half of a surrogate pair"),
    "zero bytes": (b"\0" * 100, "the file is empty"),
}


@pytest.mark.parametrize("case", PAYLOADS)
def test_an_invalid_payload_is_refused(case: str, tmp_path: Path) -> None:
    data, complaint = PAYLOADS[case]
    path = tmp_path / "payload.json"
    path.write_bytes(data)
    assert complaint in refused("compare", path, "-o", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_payload_of_1_gb_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    path.touch()
    os.truncate(path, 2**30)
    assert "larger than 256 MiB; take a sample" in refused("compare", path)


def test_an_endless_payload_is_refused() -> None:
    assert "larger than 256 MiB; take a sample" in refused("compare", "/dev/zero")


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        (
            'root = "R"\n[record.R]\nid = "bool"\nname = "string"\n',
            "at id: the schema expects bool, found int",
        ),
        ('root = "R"\n[record.R]\nid = "int 0..1"\nname = "string"\n', "at id"),
        ('root = "R"\n[record.R]\nid = "int 0..9"\n', "name"),
        ("root = [", "not TOML"),
        ('root = "R"\n', "R"),
    ],
)
def test_a_schema_that_contradicts_the_payload_is_refused(
    schema: str, complaint: str, good: Path, tmp_path: Path
) -> None:
    path = tmp_path / "schema.toml"
    path.write_text(schema)
    assert complaint in refused("compare", good, "--schema", path)


TRACES = {
    "words": (b"abc\n1\n", "no column that is known as time"),
    "nothing": (b"", "trace is empty"),
    "only zeros": (b"0\n0\n0\n", "trace ends at 0 ms"),
    "time that goes back": (b"5\n3\n", "time goes back from 5 to 3 ms"),
    "a time beyond 64 bits": (b"1\n99999999999999999999999\n", "is not a whole number of ms"),
    "bytes that are no text": (bytes(range(256)) * 10, "trace is neither text nor a capture"),
}


@pytest.mark.parametrize("case", TRACES)
def test_a_malformed_trace_is_refused(case: str, good: Path, tmp_path: Path) -> None:
    data, complaint = TRACES[case]
    path = tmp_path / "link.trace"
    path.write_bytes(data)
    assert complaint in refused("compare", good, "--link", path)


def test_an_endless_trace_is_refused(good: Path, tmp_path: Path) -> None:
    pipe, huge = tmp_path / "pipe", tmp_path / "huge"
    os.mkfifo(pipe)
    huge.touch()
    os.truncate(huge, 2**30)
    assert "not a regular file" in refused("compare", good, "--link", "/dev/zero")
    assert "a pipe may never end; save the trace to a file" in refused("compare", good, "--link", pipe)
    assert "larger than 16 MiB; cut it" in refused("compare", good, "--link", huge)


STUDIES = [
    ('rate = "5/fortnight"', "rate '5/fortnight': not a unit of time; write it like 500/s"),
    ('rate = "-5/s"', "not a number with a unit"),
    ('rate = "1e300/s"', "above 10,000,000/s; use max"),
    ('rate = "1e-300/s"', "longer than a week"),
    ('duration = "5 parsecs"', "duration '5 parsecs': not a number with a unit; write it like 500ms"),
    ('duration = "1e300h"', "too large"),
    ('duration = "0s"', "a trial must last"),
    ("count = 0", "less than one message"),
    ("count = 99999999999", "more than 10,000,000; send fewer"),
    ('loss = "200%"', "outside 0 to 1"),
    ('loss = "5ms"', "write it like 1%"),
    ('link = "rate=5furlongs"', "unknown unit; write it like 2Mbit/s"),
    ('thresholds = ["p99<5kg"]', "duration '5kg'"),
    ('thresholds = ["speed<5"]', "metric 'speed'"),
    ('protocol = "coap"\nserver = "mosquitto"', "none of coap runs on it"),
    ('protocol = "mqtt"\nqos = "con"', "qos 'con': not supported by mqtt; known: 0, 1, 2"),
    ('protocol = "mqt"', "did you mean mqtt?"),
    ('protocol = ["udp", "udp"]', "protocol 'udp': duplicate level; name it once"),
    ('format = "protobug"', "did you mean protobuf?"),
    ("link = []", "link: no level given"),
    ('topology = "ring"', "topology 'ring': unknown; known: one-way, round-trip"),
    ("replicates = 0", "replicates 0: less than one"),
    ("replicates = 99999999", "more than 100,000"),
    ("warmup = -1", "warmup '-1': not a number with a unit"),
    ("seed = -1", "seed -1: less than zero"),
    ('client_program = "/no/such/program"', "name the one it speaks with protocol"),
    ('protocol = "udp"\nclient_program = "/no/such/program"', "no such program; give the path"),
    ("options = 5", "Expected `object`"),
    ('protocols = "mqtt"', "did you mean protocol?"),
    ("= 5", "correct the TOML"),
]


@pytest.mark.parametrize(("line", "complaint"), STUDIES)
def test_a_study_that_cannot_be_run_is_refused(line: str, complaint: str, good: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(f'payload = "{good}"\n{line}\n')
    assert complaint in refused("run", study, "-o", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_endless_study_file_is_refused() -> None:
    assert "larger than 1 MiB" in refused("run", "/dev/zero")


def test_a_directory_that_cannot_hold_a_run_is_refused(good: Path, tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("mine")
    complaint = refused("compare", good, "--format", "json", "--protocol", "udp", "-o", taken / "run")
    assert str(taken) in complaint
    assert taken.read_text() == "mine"


def test_a_directory_without_a_run_cannot_be_reported_or_resumed(tmp_path: Path) -> None:
    assert "holds no run.db" in refused("report", tmp_path)
    assert "does not exist" in refused("compare", "--resume", tmp_path / "none")
    (tmp_path / "run.db").write_bytes(b"not a database" * 1000)
    assert "run.db cannot be read" in refused("report", tmp_path)


def test_a_plan_of_bad_input_is_refused_like_the_run(tmp_path: Path) -> None:
    assert wirelab("compare", tmp_path / "none.json", "--dry-run").returncode == 3
