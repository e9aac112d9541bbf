"""A large file of lines has the messages, schema and refusals of a small one, in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.schema import json_corpus, json_reader, line_messages
from wirelab.schema.corpus import Corpus
from wirelab.schema.inference import infer_with_notes
from wirelab.schema.kinds import find_kinds
from wirelab.schema.line_messages import LineMessages, is_exact, types_of

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('":\\ a1\n'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('":\\ a'), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def _always_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_corpus, "LARGE", 0)
    monkeypatch.setattr(line_messages, "BATCH", 2)


def outcome(data: bytes, large: bool) -> Any:
    json_corpus.LARGE = 0 if large else 2**30
    try:
        corpus = json_corpus.parse(data, "p.jsonl")
    except BadInput as error:
        return error.sentence
    return repr(list(corpus.messages)), list(corpus.lines), corpus.notes


@pytest.mark.usefixtures("_always_large")
def test_a_large_file_is_parsed_when_it_is_asked_for() -> None:
    corpus = json_corpus.parse(b'\xef\xbb\xbf{"a":1}\0\r\n\n {"a":-0.5}\n[18446744073709551616]', "p.jsonl")
    assert isinstance(corpus.messages, LineMessages)
    assert list(corpus.messages) == [{"a": 1}, {"a": -0.5}, [2**64]]
    assert corpus.messages[1:] == [{"a": -0.5}, [2**64]]
    assert corpus.messages[-1] == [2**64]
    assert corpus.where(1) == "p.jsonl, line 3 (message 2)"
    assert len(corpus.notes) == 2


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":1,"a":2}',
        b'{"a" :1,"a" :2}',
        b'{"x":"\\":","a":1,"a":2}',
        b'{"x\\\\":1,"a":1,"a":2}',
        b'{"x":"\\\\\\":","a":1,"a":1}',
        b"[" * 65 + b"]" * 65,
        b'{"a":1}{"b":2}',
        b"nan",
        b'"\xff"',
        b'"\\ud800"',
        b"1e999",
    ],
)
@pytest.mark.usefixtures("_always_large")
def test_a_line_that_the_strict_reader_refuses_is_refused(line: bytes) -> None:
    assert not is_exact([line])
    with pytest.raises(BadInput, match="p.jsonl, line 2"):
        json_corpus.parse(b"{}\n" + line + b"\n{}", "p.jsonl")


def test_a_batch_ends_with_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_messages, "BATCH_BYTES", 4)
    monkeypatch.setattr(json_corpus, "LARGE", 0)
    corpus = json_corpus.parse(b'1\n"abcdef"\n2\n3\n4\n', "p.jsonl")
    assert isinstance(corpus.messages, LineMessages)
    assert list(corpus.messages.batches()) == [[1, "abcdef", 2], [3, 4]]


def test_kinds_that_alternate_are_found_in_a_large_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_corpus, "LARGE", 0)
    monkeypatch.setattr(line_messages, "SAMPLE", 40)
    lines = [b'{"type":"temp","t":1.5}', b'{"type":"door","open":true}'] * 80
    corpus = json_corpus.parse(b"\n".join(lines), "p.jsonl")
    kinds = find_kinds(corpus).kinds
    assert kinds is not None
    assert (kinds.by, kinds.counts()) == ("type", {"temp": 80, "door": 80})


@pytest.mark.usefixtures("_always_large")
@pytest.mark.parametrize(
    ("data", "types"), [(b'{"a":1}\n {}', {dict}), (b"{}\n[1]", {dict, list}), (b"{}\n2", {dict, int})]
)
def test_the_types_of_messages_are_known_by_their_lines(data: bytes, types: set[type]) -> None:
    assert types_of(json_corpus.parse(data, "p.jsonl").messages) == types


def test_minus_zero_is_left_to_the_strict_reader() -> None:
    assert [is_exact([line]) for line in (b"[-0]", b"-0", b"[-0.0,-0.5]", b'"2026-01-02"')] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("line", [b'{"a": "b c", "d": [1, {"e": "x:"}]}', b'{"a":"{\\"b\\":1}"}'])
def test_common_lines_are_read_fast(line: bytes) -> None:
    assert is_exact([line])


@pytest.mark.usefixtures("_always_large")
def test_a_line_that_may_differ_is_read_by_the_strict_reader() -> None:
    data = b'{"a" : " :"}\n{"a":1}\n'
    corpus = json_corpus.parse(data, "p.jsonl")
    assert list(corpus.messages) == [{"a": " :"}, {"a": 1}]


@pytest.mark.usefixtures("_always_large")
@given(st.lists(JSON, min_size=1, max_size=7))
def test_the_schema_in_batches_is_that_of_the_whole(messages: list[Any]) -> None:
    data = "\n".join(json.dumps(one) for one in messages).encode()
    large = json_corpus.parse(data, "p.jsonl")
    assert list(large.messages) == messages
    small = Corpus(tuple(messages), b"", "p.jsonl")
    for one, other in ((large, small),):
        try:
            expected = infer_with_notes(other)
        except BadInput as error:
            with pytest.raises(BadInput, match="p.jsonl") as caught:
                infer_with_notes(one)
            assert caught.value.sentence == error.sentence  # noqa: PT017  (compares two errors)
        else:
            assert infer_with_notes(one) == expected


@pytest.mark.usefixtures("_always_large")
@given(
    st.lists(
        st.sampled_from([*'{}[]":,\\ \n\t\r\0a1-.e', '"a":', "true", '{"a":1}', '\\"', "\\\\"]), max_size=12
    )
)
@example(['{"a":1}', "\n", "{", '"a":', "1", ",", '"a":', "1", "}"])
@example(["1", "\n", "\0"])
def test_any_text_is_read_or_refused_as_in_a_small_file(parts: list[str]) -> None:
    data = "".join(parts).encode()
    assert outcome(data, large=True) == outcome(data, large=False)


@given(st.text('{}[]":,\\a10 .e-', max_size=30))
def test_what_is_read_fast_is_what_the_strict_reader_reads(text: str) -> None:
    if is_exact([text.encode()]):
        assert repr(line_messages._decode(text)) == repr(json_reader.whole(text))


@pytest.mark.matrix
@pytest.mark.quiet
def test_a_corpus_of_100_mb_is_inferred_in_10_s_and_500_mb(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(400_000):
            at = {"lat": 40 + number % 997 / 997, "lon": number % 31 / 31}
            items = [{"k": k, "v": k / 7} for k in range(number % 5)]
            stream.write(
                json.dumps(
                    {"id": f"dev-{number % 1000}", "n": number, "at": at, "items": items, "pad": "x" * 90}
                )
                + "\n"
            )
    assert path.stat().st_size > 95_000_000
    program = (
        "import resource, sys; from wirelab.schema.importers import read;"
        "from wirelab.schema.payload import read as payload; from wirelab.schema.kinds import find_kinds;"
        "from wirelab.schema.inference import infer; corpus = payload(sys.argv[1]);"
        "infer(corpus, find_kinds(corpus).kinds); used = resource.getrusage(resource.RUSAGE_SELF);"
        "peak = open('/proc/self/status').read().split('VmHWM:')[1].split()[0];"  # maxrss counts the parent, too
        "print(used.ru_utime + used.ru_stime, peak)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    seconds, kib = map(float, answer.stdout.split())
    assert seconds < 10
    assert kib < 500_000
