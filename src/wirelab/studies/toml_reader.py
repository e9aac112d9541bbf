"""Study files: TOML, where any factor may be a single level or a list of levels."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from wirelab.model.deprecated import renewed
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.suggestions import nearest
from wirelab.workloads.services import brings_messages

T = TypeVar("T")

MAX_BYTES = 1 << 20


def load(path: Path, over: Mapping[str, Any] | None = None) -> Study:
    """The study in a TOML file. Its paths are relative to the file.

    Keys in `over` replace its own. Raises BadInput.
    """
    table = merged(str(path), read_table(path), over or {})
    return resolved(from_table(table, str(path)), path)


def read_table(path: Path) -> dict[str, Any]:
    """The keys and values of a TOML file. Raises BadInput."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise BadInput(
                f"study file {path}",
                "larger than 1 MiB",
                "give a TOML file as in docs/reference/study-file.md",
            )
        return tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise BadInput(f"study file {path}", error.strerror or str(error), "check the path") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"study file {path}", str(error), "correct the TOML") from None


def seeded(table: dict[str, Any], seed: int | None) -> dict[str, Any]:
    """The table with this seed, or unchanged if it is None."""
    return table if seed is None else table | {"seed": seed}


def merged(source: str, *tables: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of all tables in the current spelling. Later tables win. Raises BadInput.

    `rate` and `utilization` replace each other.
    """
    found: dict[str, Any] = {}
    for table in tables:
        own = renewed(table, source)
        if "rate" in own and "utilization" in own:
            raise BadInput(f"{source}: rate", "utilization is given too", "keep one of them")
        if "rate" in own:
            found = {key: value for key, value in found.items() if key not in ("utilization", "interleave")}
        if "utilization" in own:
            found.pop("rate", None)
        found |= own
    return found


def resolved(study: Study, path: Path) -> Study:
    """A study whose paths are relative to its file. Raises BadInput if it has no messages."""
    if not (study.payload or study.size or brings_messages(study.service)):
        raise BadInput(f"{path}: payload", "missing", "name a payload file, or give sizes")
    payload = str(path.parent / study.payload) if study.payload else ""
    schema = str(path.parent / study.schema) if study.schema else ""
    program = str(path.parent / study.client_program) if "/" in study.client_program else study.client_program
    proto_path = tuple(str(path.parent / folder) for folder in study.proto_path)
    libraries = {name: str(path.parent / folder) for name, folder in study.device_libraries.items()}
    return msgspec.structs.replace(
        study,
        payload=payload,
        schema=schema,
        proto_path=proto_path,
        client_program=program,
        device_libraries=libraries,
    )


def from_table(table: Mapping[str, Any], source: str) -> Study:
    """A study from plain keys and values.

    Unknown keys are refused with the nearest name. Raises BadInput.
    """
    fields = {field.name: field for field in msgspec.structs.fields(Study)}
    plain: dict[str, Any] = {}
    for key, value in merged(source, table).items():
        if key not in fields:
            raise BadInput(f"{source}: key '{key}'", "unknown", nearest(key, fields))
        is_factor = isinstance(fields[key].default, tuple)
        plain[key] = [_text(v) for v in _as_list(value)] if is_factor else value
        if key in ("count", "warmup", "duration", "battery"):
            plain[key] = _text(value)
    return converted(plain, Study, source)


def converted(table: dict[str, Any], kind: type[T], source: str) -> T:
    """A table of a study file as a value. Raises BadInput."""
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise BadInput(
            source, str(error), "see docs/reference/study-file.md for the keys and their types"
        ) from None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(value: Any) -> Any:
    return value if isinstance(value, str | list | dict | bool) else str(value)
