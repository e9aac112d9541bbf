"""Lint the prose: words, sentence length and line length of docs, words of comments, names of modules.

`python tools/lint_prose.py` prints `file:line: message` for each finding and exits with 1 if there are any.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONGEST_LINE = 100
LONGEST_SENTENCE = 35

DOCS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/")
# Pages that are not reworded yet. Remove a line when its pages are clean.
DOCS_EXEMPT = ("docs/contracts/", "docs/studies/")
# Source directories and files whose comments and docstrings are clean. Add to it.
SOURCES = ("docs/generate.py", "docs/hooks.py", "tools/", "tests/test_docs.py", "tests/test_lint_prose.py")

BANNED = {
    r"\btold\b": "say who reports what",
    r"\bwhoever\b": "name the actor",
    r"\bnobody\b|\bsomebody\b|\banybody\b": "name the actor, or use the passive",
    r"\banew\b|\bonce more\b": "again",
    r"\bhas it not\b|\bhave it not\b": "does not support it",
    r"\bis no (evidence|time|comparison|duration|number|path)\b": "is invalid; is not a ...",
    r"\bstands (there )?twice\b": "is a duplicate",
    r"\bstands? in (the|a) (row|file|result|table|output)\b": "is in",
    r"\bwhat is left\b|\bwhat waits\b|\bwhat is lost\b": "name the thing",
    r"\bsays? of itself\b": "reports",
    r"\bwithheld\b": "steal time",
    r"\bvoid trials?\b": "invalid",
    r"\bheld up by\b": "stalled by, delayed by",
    r"\bbeside it\b": "next to it",
    r"\bis owed\b|\bowes\b": "must",
}
FORBIDDEN_MODULES = frozenset(
    """about above again alone anew around aside asked be been begun beside between beyond done each fast
    fresh found given held here in into kept known made met more new of off on once one only other over
    own pass passed placed redrawn seen sent shown taken then there timed told under waiting wanted
    weighed within""".split()
)
FENCE = re.compile(r"^(`{3}|~{3})")
SKIPPED_LINE = re.compile(r"^\s*(\||<|!\[|\[[^\]]+\]:)|^\S{90,}$|https?://\S{60,}")
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+(?=\S)")
BLOCK_START = re.compile(r"^\s*([-*+]|\d+\.|#+|>)\s")


def tracked() -> list[str]:
    """All files that git knows, relative to the root."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def banned_words(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Findings in numbered lines of prose."""
    for number, line in lines:
        for pattern, instead in BANNED.items():
            if match := re.search(pattern, line, re.IGNORECASE):
                yield number, f"'{match[0]}': {instead}"


def markdown_prose(text: str) -> list[tuple[int, str]]:
    """The numbered lines outside code: fences are left out, inline code and quotations are blanked."""
    lines, fenced = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line.lstrip()):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            lines.append((number, re.sub(r"`[^`]*`|\"[^\"]*\"", "`x`", line)))
    return lines


def paragraphs(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Each paragraph or list item as one line, with the number of its first line; tables are left out."""
    start, collected, previous = 0, "", 0
    for number, line in lines:
        separate = not line.strip() or SKIPPED_LINE.match(line) or number != previous + 1
        if collected and (separate or BLOCK_START.match(line)):
            yield start, collected
            collected = ""
        if line.strip() and not SKIPPED_LINE.match(line):
            start = start if collected else number
            collected = f"{collected} {line.strip()}".strip()
        previous = number
    if collected:
        yield start, collected


def lint_markdown(text: str) -> Iterator[tuple[int, str]]:
    """Words, lines and sentences of a page."""
    prose = markdown_prose(text)
    yield from banned_words(prose)
    shown = text.splitlines()
    for number, line in prose:
        if len(shown[number - 1]) > LONGEST_LINE and not SKIPPED_LINE.search(line):
            yield number, f"{len(shown[number - 1])} characters in a line, at most {LONGEST_LINE}"
    for number, paragraph in paragraphs(prose):
        for sentence in SENTENCE_END.split(re.sub(r"\]\([^)]*\)", "]", paragraph)):
            words = len(re.findall(r"[^\s|]*\w[^\s|]*", sentence))
            if words > LONGEST_SENTENCE:
                yield number, f"a sentence of {words} words, at most {LONGEST_SENTENCE}: {sentence[:60]}..."


def source_prose(name: str, text: str) -> list[tuple[int, str]]:
    """The numbered lines of comments and, in Python, docstrings."""
    if not name.endswith(".py"):
        found = enumerate(text.splitlines(), 1)
        return [(number, line) for number, line in found if re.match(r"\s*(//|/?\*|#)", line)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if docstring := ast.get_docstring(node, clean=False):
            first = node.body[0].lineno
            lines += [(first + i, line) for i, line in enumerate(docstring.splitlines())]
    return sorted(lines)


def module_name_finding(name: str) -> str:
    """Why a file's name is not that of a module; empty if it is fine."""
    path = Path(name)
    if path.suffix not in (".py", ".rs", ".java", ".c", ".hpp") or path.name.startswith("test_"):
        return ""
    return f"a module named '{path.stem}': name it by a noun" if path.stem in FORBIDDEN_MODULES else ""


def main(names: list[str]) -> int:
    """Lint these files, or all that git knows. Returns the exit code."""
    findings = []
    for name in names or tracked():
        if finding := module_name_finding(name):
            findings.append((name, 1, finding))
        if name.endswith(".md") and name.startswith(DOCS) and not name.startswith(DOCS_EXEMPT):
            found = lint_markdown((ROOT / name).read_text())
        elif name.startswith(SOURCES) and name.endswith((".py", ".rs", ".java")):
            found = banned_words(source_prose(name, (ROOT / name).read_text()))
        else:
            continue
        findings += [(name, number, message) for number, message in sorted(found)]
    for name, number, message in findings:
        print(f"{name}:{number}: {message}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
