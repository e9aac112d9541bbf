"""The instrument of maltsev2024: 14 formats in Java on growing messages, and their lag through
Kafka.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from wirelab.codecs.build import default_cache
from wirelab.codecs.java.bench import JavaBench
from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.capnp import missing_generator
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.lab.host_cpu import CpuMonitor
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.schema import payload
from wirelab.schema.inference import infer
from wirelab.studies.claims import Checked, Claim, Figure, check
from wirelab.studies.execution import MAX_ATTEMPTS
from wirelab.studies.published_tables import InstrumentResult
from wirelab.studies.registry import Request
from wirelab.studies.study_file import texts
from wirelab.studies.toml_reader import read_table, seeded
from wirelab_reproductions.maltsev2024 import actors, lag, tables, times
from wirelab_reproductions.maltsev2024.messages import EPOCHS, growing
from wirelab_reproductions.maltsev2024.state import Effort, State, begin

Progress = Callable[[str], None]


def reproduce(path: Path, out: Path, request: Request) -> InstrumentResult:
    """Measure, write `maltsev2024.json` to `out`, and check the claims of the study's file.

    Extra replicates are for inconclusive claims. Raises BadInput where Java is missing. Without
    Kafka the claims on lag are not applicable, without capnpc-java those on Cap'n Proto; the result
    says why.
    """
    study, tell = seeded(read_table(path), request.seed), request.progress
    no_capnp = missing_generator()
    if no_capnp:
        built = {name: codec for name, codec in study["codecs"].items() if not codec.startswith("capnp/")}
        study = {**study, "codecs": built}
    effort = msgspec.convert(study["quick" if request.quick else "full"], Effort)
    out.mkdir(parents=True, exist_ok=True)
    state = begin(out, State(effort, study["seed"]), request.resume or request.extra_replicates > 0)
    before, began = state.took_s, time.monotonic()
    messages = _messages(study, effort, out, tell)
    state.took_s += time.monotonic() - began
    lacking = _measure(study, state, messages, out, tell)
    claims = texts(path, request.quick).claims
    if request.extra_replicates:
        state.look_again(_checked(claims, figures(state), state, lacking, no_capnp), request.extra_replicates)
        lacking = _measure(study, state, messages, out, tell)
    found = figures(state)
    checked = _checked(claims, found, state, lacking, no_capnp)
    notes = [*filter(None, (lacking, no_capnp)), *state.notes()]
    return InstrumentResult(checked, tables.tables(study, found, effort.distributed), notes, before_s=before)


def _checked(
    claims: tuple[Claim, ...], found: dict[str, Figure], state: State, no_lag: str, no_capnp: str
) -> list[Checked]:
    def reason(name: str) -> str:
        """Why a figure is missing."""
        if no_capnp and "capnp" in name:
            return no_capnp
        return no_lag if "lag" in name else name

    return check(claims, found, reason, state.looks)


class _Messages(msgspec.Struct, frozen=True):
    """What is measured: a pack, all messages, and those that the actors hand on."""

    pack: Pack
    whole: Path
    part: Path


def _messages(study: dict[str, Any], effort: Effort, out: Path, tell: Progress) -> _Messages:
    lines = [json.dumps(one) for one in growing(study["messages"], study["seed"])]
    pack, text = _pack(lines, list(study["codecs"].values()), tell)
    part = b"".join(text.splitlines(keepends=True)[: study["messages"] * effort.distributed.last])
    return _Messages(pack, _written(out / "messages.jsonl", text), _written(out / "messages-lag.jsonl", part))


def _measure(study: dict[str, Any], state: State, messages: _Messages, out: Path, tell: Progress) -> str:
    """All that is still missing, saved as it comes. Why there are no lags, "" where there are."""
    began = time.monotonic() - state.took_s

    def save() -> None:
        state.took_s = time.monotonic() - began
        state.save(out)

    _times(study, state, messages, tell, save)
    try:
        actors.check()
    except BadInput as error:
        return error.sentence
    plan = state.effort.distributed
    subject = actors.Subject(messages.pack, messages.part, study["codecs"])
    wanted = lag.keys(plan, list(study["codecs"]), study["seed"], state.more)
    for _ in range(MAX_ATTEMPTS):
        runs = state.lacks_lags(wanted)
        for key, found in actors.measure(plan, subject, runs, study["seed"], tell) if runs else ():
            state.keep_lag(key, found)
            save()
    return ""


def _times(
    study: dict[str, Any],
    state: State,
    messages: _Messages,
    tell: Progress,
    save: Callable[[], None],
) -> None:
    names: dict[str, str] = {codec: name for name, codec in study["codecs"].items()}
    pack = messages.pack
    bench = JavaBench(pack, str(messages.whole))
    draw = random.Random(study["seed"])
    if not state.sizes:
        times.check_content(bench, pack.codecs)
        state.sizes = times.measure_sizes(bench, pack.codecs, names)
    for number in range(1, state.repeats() + 1):
        seed = draw.getrandbits(63)
        for _ in range(MAX_ATTEMPTS):
            if not state.lacks_round(number):
                break
            tell(f"timing {len(names)} formats over {EPOCHS} epochs, replicate {number} of {state.repeats()}")
            watch = CpuMonitor()
            found = times.measure_round(bench, pack.codecs, names, state.effort.seconds_per, seed)
            state.keep_round(number, found, watch.elsewhere())
            save()


def _pack(lines: list[str], names: list[str], tell: Progress) -> tuple[Pack, bytes]:
    corpus = payload.parse("".join(f"{line}\n" for line in lines).encode(), "growing.jsonl")
    schema = infer(corpus)
    specs = [spec for spec in java_codecs(schema)[0] if spec.name in names]
    if len(specs) < len(names):
        lost = sorted(set(names) - {spec.name for spec in specs})
        raise MeasurementFailed("codecs", f"{', '.join(lost)} cannot carry the messages")
    return build_java_pack(schema, specs, default_cache(), tell), payload.normalised(corpus, schema)


def _written(path: Path, text: bytes) -> Path:
    path.write_bytes(text)
    return path.absolute()


def figures(state: State) -> dict[str, Figure]:
    """All figures of both parts by name."""
    found = times.figures(times.together(state.evidence(), state.sizes))
    if state.lags:
        found |= lag.figures(state.lags_by_key(), found)
    return found
