"""The shapes that a JSON Schema allows a value: its keywords without `$ref`, `allOf`, `anyOf`,
`oneOf`.

A shape is a conjunction of subschemas. A schema is one of several shapes: each of `anyOf` and
`oneOf` together with its siblings. Branches that only narrow values (`required`, `not`, `pattern`
...) make no shape of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from wirelab.schema.importers.json_schema_files import Files, Sub
from wirelab.schema.json_reader import MAX_DEPTH
from wirelab.schema.unions import MAX_ALTERNATIVES

MAX_COMBINED = 20_000
"""Subschemas that one place combines. References in `allOf` may lead to the same ones many times."""
Shape = tuple[Sub, ...]
KINDS = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))
_TYPED = frozenset(
    """
    type enum const properties additionalProperties unevaluatedProperties patternProperties items prefixItems
    additionalItems contentEncoding format nullable $ref $dynamicRef $recursiveRef allOf anyOf oneOf then else
    minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern minLength maxLength
    """.split()  # noqa: SIM905
)
"""Keywords that say something about the type of a value."""
_IMPLIED = {
    "object": ("properties", "additionalProperties", "patternProperties", "unevaluatedProperties"),
    "array": ("items", "prefixItems", "additionalItems"),
    "string": ("pattern", "minLength", "maxLength", "contentEncoding"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_ALONE = frozenset(
    ("required", "not", "minProperties", "maxProperties", "dependentRequired", "minItems", "maxItems")
)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_KIND_OF = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    type(None): "null",
    list: "array",
}


class BadShape(ValueError):
    """A schema that no value fits, or that has no end. The message is the reason."""


def shapes_of(files: Files, sub: Sub) -> list[Shape]:
    """The shapes of a subschema; none where it takes no value.

    Raises BadShape and BadReference.
    """
    return _shapes(files, sub, MAX_DEPTH, itertools.count(1))


def _shapes(files: Files, sub: Sub, depth: int, steps: Iterator[int]) -> list[Shape]:
    text = sub.text
    if next(steps) > MAX_COMBINED:
        raise BadShape(f"it combines more than {MAX_COMBINED:,} subschemas")
    if depth == 0:
        raise BadShape(f"combined deeper than {MAX_DEPTH} levels, or with itself")
    if text is False:
        return []
    if text is True:
        return [()]
    if not isinstance(text, dict):
        raise BadShape("no JSON Schema: it is neither an object nor true or false")
    word = next((one for one in _REFERENCES if one in text), None)
    if word and sub.ignores_siblings:
        return _shapes(files, files.target(sub, text[word]), depth - 1, steps)
    found: list[Shape] = [(sub,)]
    if word:
        found = both(_shapes(files, files.target(sub, text[word]), depth - 1, steps), found)
    for one in _listed(text, "allOf"):
        found = both(found, _shapes(files, files.inside(sub, one), depth - 1, steps))
    for group in ("anyOf", "oneOf"):
        branches = [files.inside(sub, one) for one in _listed(text, group)]
        typed = [one for one in branches if not narrows_only(one.text)]
        if typed:
            plain: list[Shape] = [()] if len(typed) < len(branches) else []
            either = [shape for one in typed for shape in _shapes(files, one, depth - 1, steps)]
            found = both(found, either + plain)
    return found


def narrows_only(text: Any) -> bool:
    """Whether a branch says nothing about types: `required`, `not` and the like alone."""
    return isinstance(text, dict) and bool(text) and not _TYPED & text.keys() and bool(_ALONE & text.keys())


def both(ours: list[Shape], theirs: list[Shape]) -> list[Shape]:
    """Each shape of one list together with each of the other, where a value fits both."""
    if len(ours) * len(theirs) > MAX_ALTERNATIVES:
        raise BadShape(f"more than {MAX_ALTERNATIVES:,} alternatives")
    pairs = (
        tuple({id(sub.text): sub for sub in (*one, *other)}.values())
        for one, other in itertools.product(ours, theirs)
    )
    return [shape for shape in pairs if kinds_of(shape) != frozenset()]


def kinds_of(shape: Shape, implied: bool = True) -> frozenset[str] | None:
    """The JSON Schema types of the values of a shape; None if it takes any value.

    `properties` without a `type` mean an object, or if not `implied` any type. `number` comes with
    `integer`, since a number may be whole.
    """
    declared = [kinds for sub in shape if (kinds := _declared(sub.text)) is not None]
    if declared:
        return frozenset.intersection(*declared)
    for sub in shape:
        for kind, words in _IMPLIED.items():
            if any(word in sub.text for word in words):
                return _with_integers([kind]) if implied else KINDS
    return None


def _declared(text: dict[str, Any]) -> frozenset[str] | None:
    """The types that `type`, `enum` and `const` allow; None where there is none of them."""
    names = text.get("type")
    listed = names if isinstance(names, list) else [names]
    found = _with_integers(one for one in listed if isinstance(one, str) and one in KINDS) or None
    values = values_of(text)
    if values is None:
        return found
    own = _with_integers(_KIND_OF.get(type(value), "object") for value in values)
    if found is None:
        return own
    return found & (own | {"number"} if "integer" in own else own)


def _with_integers(kinds: Iterable[str]) -> frozenset[str]:
    found = frozenset(kinds)
    return found | {"integer"} if "number" in found else found


def values_of(text: dict[str, Any]) -> list[Any] | None:
    """The values of an `enum` or a `const`; None where there is none."""
    if "const" in text:
        return [text["const"]]
    values = text.get("enum")
    return values if isinstance(values, list) and values else None


def pure(files: Files, sub: Sub) -> Sub:
    """The subschema that is meant: `$ref` alone, also as the one branch of `allOf`, is what it
    leads to.

    Raises BadShape for references that lead to themselves or through too many others, and
    BadReference.
    """
    for _ in range(MAX_DEPTH):
        text = sub.text
        if not isinstance(text, dict):
            return sub
        typed = _TYPED & text.keys() | {"required", "if"} & text.keys()
        word = next((one for one in _REFERENCES if one in text), None)
        if word and (sub.ignores_siblings or typed == {word}):
            sub = files.target(sub, text[word])
        elif typed == {"allOf"} and len(_listed(text, "allOf")) == 1:
            inner = files.inside(sub, _listed(text, "allOf")[0])
            sub = inner._replace(name=inner.name or sub.name)
        else:
            return sub
    raise BadShape(f"a reference that leads to itself, or through more than {MAX_DEPTH} others")


def _listed(text: dict[str, Any], word: str) -> list[Any]:
    found = text.get(word)
    return found if isinstance(found, list) else []


def conditions(text: dict[str, Any]) -> Iterator[Any]:
    """The subschemas that hold for some values only: `then`, `else`, `dependentSchemas`."""
    if "if" in text:
        yield from (text[word] for word in ("if", "then", "else") if word in text)
    for word in ("dependentSchemas", "dependencies"):
        inner = text.get(word)
        if isinstance(inner, dict):
            yield from (one for one in inner.values() if isinstance(one, dict))
