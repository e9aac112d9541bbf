"""Schemas in the languages of the formats. Each format has a module with `emit(schema)`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema

SUFFIXES = {
    "avro": ".avsc",
    "capnp": ".capnp",
    "flatbuffers": ".fbs",
    "jsonschema": ".schema.json",
    "protobuf": ".proto",
    "thrift": ".thrift",
    "xdr": ".x",
}


def emit(schema: Schema, format_name: str) -> str:
    """The schema in the language of a format (a key of `SUFFIXES`).

    Raises BadInput if it has none.
    """
    if format_name not in SUFFIXES:
        choices = ", ".join(SUFFIXES)
        raise BadInput(
            f"format '{format_name}'", "no schema can be written for it", f"choose one of {choices}"
        )
    module = import_module(f"wirelab.schema.emitters.{format_name}")
    return cast(Callable[[Schema], str], module.emit)(schema)
