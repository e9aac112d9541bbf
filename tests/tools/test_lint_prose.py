"""The prose lint finds its faults, and ignores code."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def lint() -> ModuleType:
    """tools/lint_prose.py."""
    spec = importlib.util.spec_from_file_location("lint_prose", ROOT / "tools" / "lint_prose.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_banned_word_is_found_with_its_line(lint: ModuleType) -> None:
    found = list(lint.lint_markdown("# A title\n\nThe trial runs once more.\n"))
    assert [number for number, _ in found] == [3]
    assert "'once more'" in found[0][1]


def test_code_and_quotations_may_hold_banned_words(lint: ModuleType) -> None:
    text = 'The kind `told` replaces "whoever".\n\n```\nonce more\n```\n'
    assert list(lint.lint_markdown(text)) == []


def test_a_sentence_over_two_lines_is_counted_as_one(lint: ModuleType) -> None:
    words = " ".join(["word"] * 18)
    assert list(lint.lint_markdown(f"{words}\n{words[5:]}.\n")) == []
    found = list(lint.lint_markdown(f"{words}\n{words}.\n"))
    assert [(number, message[:23]) for number, message in found] == [(1, "a sentence of 36 words,")]


def test_a_long_line_is_found_unless_it_is_of_a_table(lint: ModuleType) -> None:
    cells = "a b. " * 21
    assert list(lint.lint_markdown(f"| {cells} |\n")) == []
    assert [number for number, _ in lint.lint_markdown(f"{cells}\n")] == [1]


def test_comments_and_docstrings_of_python_are_prose_and_strings_are_not(lint: ModuleType) -> None:
    text = '"""Whoever."""\n\nx = "whoever"  # whoever\n'
    assert [number for number, _ in lint.banned_words(lint.source_prose("a.py", text))] == [1, 3]


def test_strings_of_messages_are_prose_and_generated_code_is_not(lint: ModuleType) -> None:
    text = '"""Told."""\nraise ValueError(f"{x} is no path")\ncode = "anew told;"\nname = "told"\n'
    found = lint.banned_words(lint.message_prose(text))
    assert [(number, message.split(":")[0]) for number, message in found] == [(2, "'is no path'")]


def test_a_module_named_by_a_participle_is_refused_and_a_noun_is_not(lint: ModuleType) -> None:
    assert lint.module_name_finding("src/wirelab/lab/asked.py") != ""
    assert lint.module_name_finding("src/wirelab/lab/drain.py") == ""
    assert lint.module_name_finding("tests/test_more.py") == ""


LONG = "word " * 20 + "end"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", f"# {LONG}\n"),
        ("a.py", f'"""{LONG}"""\n'),
        ("a.rs", f"/// {LONG}\n"),
        ("a.c", f" * {LONG}\n"),
        ("a.toml", f"# {LONG}\n"),
    ],
)
def test_a_comment_or_docstring_of_more_than_100_columns_is_found(
    lint: ModuleType, name: str, text: str
) -> None:
    assert [number for number, _ in lint.long_lines(name, text)] == [1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", f'x = "{LONG}"\n'),
        ("a.py", f"x = 1  # {LONG}\n"),
        ("a.py", f'"""{LONG[:97]}"""\n'),
        ("a.c", f"*update = {LONG};\n"),
        ("a.rs", f"// https://example.org/{'a' * 90}\n"),
    ],
)
def test_code_the_quotes_of_a_docstring_and_addresses_may_be_longer(
    lint: ModuleType, name: str, text: str
) -> None:
    assert list(lint.long_lines(name, text)) == []
