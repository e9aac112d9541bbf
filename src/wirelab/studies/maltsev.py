"""maltsev2024 again: 14 formats in Java on messages that grow over 30 epochs, their lag through Kafka, and the paper's claims checked."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from wirelab.codecs.build import default_cache
from wirelab.codecs.java.bench import JavaBench
from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.schema import payload
from wirelab.schema.example_growing import EPOCHS, growing
from wirelab.schema.infer import infer
from wirelab.studies import maltsev_actors, maltsev_lag, maltsev_tables, maltsev_times
from wirelab.studies.claims import Figure, check
from wirelab.studies.load import read_table, seeded
from wirelab.studies.maltsev_lag import Key, Lag, Plan
from wirelab.studies.maltsev_times import Round
from wirelab.studies.paper import STUDIES, texts
from wirelab.studies.tables import Redone

STUDY = STUDIES / "maltsev2024.toml"

Progress = Callable[[str], None]


class Effort(Struct, frozen=True):
    """How much is measured: `repeats` processes spend `seconds_per` on each format, phase and epoch; and the distributed part."""

    repeats: int
    seconds_per: float
    distributed: Plan


class State(Struct):
    """What is measured so far, in how many seconds; a run goes on from here. Lags stand under `replicate network format`."""

    effort: Effort
    seed: int
    rounds: list[Round] = []
    sizes: dict[str, tuple[float, ...]] = {}
    lags: dict[str, Lag] = {}
    took_s: float = 0.0


def reproduce_maltsev(
    out: Path,
    quick: bool,
    resume: bool = False,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Redone:
    """Measure, write `maltsev2024.json` to `out`, and check the claims of studies/maltsev2024.toml. `seed` takes the place of the file's own.

    Raises BadInput where Java is missing. Where Kafka is, claims on lag cannot be tested, and say why.
    """
    study = seeded(read_table(STUDY), seed)
    tell = progress or (lambda _: None)
    effort = msgspec.convert(study["quick" if quick else "full"], Effort)
    out.mkdir(parents=True, exist_ok=True)
    store = out / "maltsev2024.json"
    state = _begin(store, State(effort, study["seed"]), resume)
    before = state.took_s
    lacking = _measure(study, state, out, tell)
    found = figures(state)
    checked = check(texts(STUDY).claims, found, lambda name: lacking if "lag" in name else name)
    notes = [lacking] if lacking else []
    tables = maltsev_tables.tables(study, found, effort.distributed)
    return Redone(checked, tables, notes, before_s=before)


def _begin(store: Path, fresh: State, resume: bool) -> State:
    if not resume:
        return fresh
    try:
        state = msgspec.json.decode(store.read_bytes(), type=State)
    except (OSError, msgspec.DecodeError) as error:
        raise BadInput(f"run {store.parent}", f"cannot be resumed: {error}", "leave --resume out") from None
    if (state.effort, state.seed) != (fresh.effort, fresh.seed):
        raise BadInput(f"run {store.parent}", "was measured with other settings", "leave --resume out")
    return state


def _measure(study: dict[str, Any], state: State, out: Path, tell: Progress) -> str:
    """All that is still missing, saved as it comes. Why there are no lags, "" where there are."""
    began = time.monotonic() - state.took_s

    def save() -> None:
        state.took_s = time.monotonic() - began
        new = out / "maltsev2024.new"
        new.write_bytes(msgspec.json.encode(state))
        new.replace(out / "maltsev2024.json")

    names: dict[str, str] = {codec: name for name, codec in study["codecs"].items()}
    lines = [json.dumps(one) for one in growing(study["messages"], study["seed"])]
    pack, text = _pack(lines, names, tell)
    _times(study, state, pack, names, _written(out / "messages.jsonl", text), tell, save)
    try:
        maltsev_actors.check()
    except BadInput as error:
        return error.sentence
    plan = state.effort.distributed
    part = b"".join(text.splitlines(keepends=True)[: study["messages"] * plan.last])
    subject = maltsev_actors.Subject(pack, _written(out / "messages-lag.jsonl", part), study["codecs"])
    wanted = maltsev_lag.keys(plan, list(study["codecs"]), study["seed"])
    runs = [key for key in wanted if _text(key) not in state.lags]
    for key, lag in maltsev_actors.measure(plan, subject, runs, study["seed"], tell) if runs else ():
        state.lags[_text(key)] = lag
        save()
    return ""


def _times(
    study: dict[str, Any],
    state: State,
    pack: Pack,
    names: dict[str, str],
    corpus: Path,
    tell: Progress,
    save: Callable[[], None],
) -> None:
    bench = JavaBench(pack, str(corpus))
    draw = random.Random(study["seed"])
    if not state.sizes:
        maltsev_times.check_content(bench, pack.codecs)
        state.sizes = maltsev_times.measure_sizes(bench, pack.codecs, names)
    for number in range(1, state.effort.repeats + 1):
        seed = draw.getrandbits(63)
        if number <= len(state.rounds):
            continue
        tell(
            f"timing {len(names)} formats over {EPOCHS} epochs, replicate {number} of {state.effort.repeats}"
        )
        state.rounds.append(
            maltsev_times.measure_round(bench, pack.codecs, names, state.effort.seconds_per, seed)
        )
        save()


def _pack(lines: list[str], names: dict[str, str], tell: Progress) -> tuple[Pack, bytes]:
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


def _text(key: Key) -> str:
    return " ".join(map(str, key))


def _key(text: str) -> Key:
    number, network, name = text.split()
    return int(number), network, name


def figures(state: State) -> dict[str, Figure]:
    """All figures of both parts by name."""
    found = maltsev_times.figures(maltsev_times.together(state.rounds, state.sizes))
    if state.lags:
        found |= maltsev_lag.figures({_key(text): lag for text, lag in state.lags.items()}, found)
    return found
