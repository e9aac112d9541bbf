"""Rust identifiers and literals for any JSON key."""

from __future__ import annotations

import re

from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# The Rust Reference, "Keywords": strict and reserved ones.
KEYWORDS = frozenset(
    [
        "abstract",
        "as",
        "async",
        "await",
        "become",
        "box",
        "break",
        "const",
        "continue",
        "crate",
        "do",
        "dyn",
        "else",
        "enum",
        "extern",
        "false",
        "final",
        "fn",
        "for",
        "gen",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "move",
        "mut",
        "override",
        "priv",
        "pub",
        "ref",
        "return",
        "self",
        "Self",
        "static",
        "struct",
        "super",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "unsafe",
        "unsized",
        "use",
        "virtual",
        "where",
        "while",
        "yield",
        "_",
    ]
)


def identifier(name: str) -> str:
    """A schema's name as a Rust identifier: keywords get a trailing underscore."""
    return f"{name}_" if name.rstrip("_") in KEYWORDS or name in KEYWORDS else name


def literal(text: str) -> str:
    """Any text as a Rust string literal."""
    return '"' + "".join(_escaped(sign) for sign in text) + '"'


def _escaped(sign: str) -> str:
    plain = sign.isascii() and sign.isprintable() and sign not in '"\\'
    return sign if plain else f"\\u{{{ord(sign):x}}}"


def check(schema: Schema) -> None:
    """Raise BadInput if a name is not an identifier. Names go into source code unquoted."""
    names = [record.name for record in schema.records]
    names += [field.name for record in schema.records for field in record.fields]
    for name in names:
        if not _IDENTIFIER.fullmatch(name):
            raise BadInput(
                f"schema name '{name}'", "not an identifier", "use letters, digits and underscores"
            )
