"""Avro IDL (.avdl) as Avro JSON: a parser of its protocol and schema syntax.

The reference is "IDL Language" of the Avro 1.12 specification. Avro's own parser is in Java alone;
this one keeps what decides about types and leaves out messages, docs and orders.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.schema.json_reader import MAX_DEPTH

_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|(?P<text>\"(?:[^\"\\\n]|\\.)*\")|(?P<word>`[^`\n]+`|[^\W\d][\w.-]*)"
    r"|(?P<number>[-+]?(?:[0-9]|Infinity)[\w.+-]*)|(?P<sign>[{}()<>\[\],;:=@?.])",
    re.DOTALL,
)
_LOGICAL: dict[str, dict[str, str]] = {
    "date": {"type": "int", "logicalType": "date"},
    "time_ms": {"type": "int", "logicalType": "time-millis"},
    "timestamp_ms": {"type": "long", "logicalType": "timestamp-millis"},
    "local_timestamp_ms": {"type": "long", "logicalType": "local-timestamp-millis"},
    "uuid": {"type": "string", "logicalType": "uuid"},
}
_ENDS = {"(": ")", "{": "}", "[": "]"}
MAX_IMPORTS = 256


def read_avdl(words: str, path: Path) -> Any:
    """The named types of an .avdl and of the files that it imports, in their order.

    With a main schema (`schema NAME;`) they are in `types`, and it is in `main`. Raises BadInput
    with the line.
    """
    parser = _Parser(words, path, set())
    types = parser.whole()
    return types if parser.main is None else {"types": types, "main": parser.main, "namespace": parser.space}


class _Parser:
    def __init__(self, words: str, path: Path, seen: set[Path]) -> None:
        self.words, self.path, self.seen = words, path, seen
        self.seen.add(path.resolve())
        self.tokens = list(self.split())
        self.at = 0
        self.space = ""
        self.types: list[Any] = []
        self.main: Any = None

    def split(self) -> list[tuple[str, int]]:
        found, at = [], 0
        while at < len(self.words):
            match = _TOKEN.match(self.words, at)
            if match is None:
                raise self.bad(at, f"{self.words[at]!r} is not expected")
            if match.lastgroup:
                found.append((match[0], at))
            at = match.end()
        return found

    def bad(self, at: int, why: str) -> BadInput:
        line = self.words.count("\n", 0, at) + 1
        return BadInput(f"{self.path}, line {line}", f"no Avro IDL: {why}", "correct the schema")

    def fail(self, why: str) -> BadInput:
        at = self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.words)
        return self.bad(at, why)

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        if not token:
            raise self.fail("the file ends too early")
        self.at += 1
        return token

    def take(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.take(token):
            raise self.fail(f"{token!r} is missing before {self.peek()!r}")

    def name(self) -> str:
        token = self.next()
        if not re.match(r"`|[^\W\d]", token):
            self.at -= 1
            raise self.fail(f"{token!r} is not a name")
        return token.strip("`")

    def whole(self) -> list[Any]:
        while self.peek():
            marks = self.marks()
            if self.take("namespace"):
                self.space = self.name()
                self.expect(";")
            elif self.take("schema"):
                self.main = self.type(MAX_DEPTH)
                self.expect(";")
            elif self.take("protocol"):
                self.space = str(marks.get("namespace", self.space))
                self.name()
                self.expect("{")
                while not self.take("}"):
                    self.declaration(self.marks())
            else:
                self.declaration(marks)
        return self.types

    def marks(self) -> dict[str, Any]:
        """Annotations: `@name(JSON)`."""
        found = {}
        while self.take("@"):
            name = self.name()
            found[name] = self.json_in_brackets()
        return found

    def json_in_brackets(self) -> Any:
        self.expect("(")
        value = self.json()
        self.expect(")")
        return value

    def json(self) -> Any:
        """A JSON value, from the text at the next token on."""
        start = self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.words)
        try:
            value, end = json.JSONDecoder().raw_decode(self.words, start)
        except (ValueError, RecursionError):
            raise self.fail("not a JSON value") from None
        while self.at < len(self.tokens) and self.tokens[self.at][1] < end:
            self.at += 1
        return value

    def declaration(self, marks: dict[str, Any]) -> None:
        word = self.peek()
        if self.take("import"):
            self.read_import()
        elif word in ("record", "error"):
            self.record(marks)
        elif self.take("enum"):
            name = self.name()
            self.expect("{")
            symbols = [self.name()] if self.peek() != "}" else []
            while self.take(","):
                symbols.append(self.name())
            self.expect("}")
            if self.take("="):
                self.name()
            self.take(";")
            self.keep({"type": "enum", "name": name, "symbols": symbols}, marks)
        elif self.take("fixed"):
            name = self.name()
            size = self.json_in_brackets()
            self.expect(";")
            self.keep({"type": "fixed", "name": name, "size": size}, marks)
        else:
            self.message()

    def keep(self, text: dict[str, Any], marks: dict[str, Any]) -> None:
        self.types.append({"namespace": self.space, **text, **marks})

    def read_import(self) -> None:
        kind = self.next()
        target = self.path.parent / str(self.json())
        self.expect(";")
        if kind not in ("idl", "protocol", "schema"):
            raise self.fail(f"import {kind} is not known")
        if target.resolve() in self.seen:
            return
        if len(self.seen) > MAX_IMPORTS:
            raise self.fail(f"more than {MAX_IMPORTS} imports")
        from wirelab.schema.importers.avro_files import read_types  # noqa: PLC0415  (reads .avdl by this module)
        from wirelab.schema.importers.json_file import text_of  # noqa: PLC0415

        if target.suffix == ".avdl":
            self.types += _Parser(text_of(target), target, self.seen).whole()
        else:
            self.seen.add(target.resolve())
            found = read_types(target)
            self.types += found if isinstance(found, list) else [found]

    def record(self, marks: dict[str, Any]) -> None:
        kind, name = self.next(), self.name()
        fields: list[dict[str, Any]] = []
        self.expect("{")
        while not self.take("}"):
            before = self.marks()
            of = self.type(MAX_DEPTH, before)
            while True:
                own = self.marks()
                field = {"name": self.name(), "type": of, **own}
                if self.take("="):
                    field["default"] = self.json()
                fields.append(field)
                if not self.take(","):
                    break
            self.expect(";")
        self.keep({"type": kind, "name": name, "fields": fields}, marks)

    def type(self, depth: int, marks: dict[str, Any] | None = None) -> Any:
        """A type; `marks` before it are its attributes."""
        if depth == 0:
            raise self.fail(f"nested deeper than {MAX_DEPTH} levels")
        marks = {**(marks or {}), **self.marks()}
        found = self.plain(depth)
        if "logicalType" in marks and isinstance(found, str):
            found = {"type": found, **marks}
        return ["null", found] if self.take("?") else found

    def plain(self, depth: int) -> Any:
        word = self.name()
        if word in ("array", "map"):
            self.expect("<")
            inner = self.type(depth - 1)
            self.expect(">")
            return {"type": "array", "items": inner} if word == "array" else {"type": "map", "values": inner}
        if word == "union":
            self.expect("{")
            branches = [self.type(depth - 1)]
            while self.take(","):
                branches.append(self.type(depth - 1))
            self.expect("}")
            return branches
        if word == "decimal":
            self.expect("(")
            precision = self.json()
            scale = self.json() if self.take(",") else 0
            self.expect(")")
            return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}
        return _LOGICAL.get(word, word)

    def message(self) -> None:
        """A message of a protocol, up to its `;`. It has no types of its own."""
        self.type(MAX_DEPTH)
        self.name()
        self.expect("(")
        depth = 1
        while depth:
            token = self.next()
            depth += (token in _ENDS) - (token in _ENDS.values())
        while not self.take(";"):
            self.next()
