"""A message without the keys that a schema does not have."""

from __future__ import annotations

from typing import Any

from wirelab.model.schema import AnyType, List, Map, Ref, Schema, Tuple, Union


def projected(message: Any, schema: Schema) -> Any:
    """The message without keys that the schema does not have.

    A value of another type than the schema's stays as it is. Of a union's records, the one that
    shares most keys with an object is taken.
    """

    def value(found: Any, kind: AnyType) -> Any:
        if isinstance(kind, Union):
            return value(found, _nearest(found, kind))
        if isinstance(found, dict) and isinstance(kind, Ref):
            types = {field.key: field.type for field in schema.record(kind.name).fields}
            return {key: value(inner, types[key]) for key, inner in found.items() if key in types}
        if isinstance(found, dict) and isinstance(kind, Map):
            return {key: value(inner, kind.values) for key, inner in found.items()}
        if isinstance(found, list) and isinstance(kind, List):
            return [value(inner, kind.items) for inner in found]
        if isinstance(found, list) and isinstance(kind, Tuple) and len(found) == len(kind.items):
            return [value(inner, one) for inner, one in zip(found, kind.items, strict=True)]
        return found

    def _nearest(found: Any, union: Union) -> AnyType:
        if isinstance(found, list):
            lists = [one for one in union.alternatives if isinstance(one, List | Tuple)]
            fit = [one for one in lists if isinstance(one, List) or len(one.items) == len(found)]
            return (fit or lists or union.alternatives)[0]
        if not isinstance(found, dict):
            return union.alternatives[0]
        refs = [one for one in union.alternatives if isinstance(one, Ref)]
        maps = [one for one in union.alternatives if isinstance(one, Map)]
        if not refs:
            return (maps or union.alternatives)[0]

        def unlike(one: Ref) -> int:
            keys = {field.key for field in schema.record(one.name).fields}
            return len(keys ^ found.keys())

        return min(refs, key=unlike)

    return value(message, schema.root)
