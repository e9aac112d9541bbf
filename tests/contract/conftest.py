"""Fixtures of the contract suite: a pair, its running server, and trials with both peers."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness import Peer, Server, manage, serve
from pairs import PAIRS, Pair, once_per
from trial import Trial

from wirelab.lab.servers import check
from wirelab.model.errors import BadInput

# Tests that every peer is held to in the first tier; of the others, it has one peer of each
# runtime.
EVERY_PEER = (
    "test_paced_messages_all_arrive_known_by_their_content",
    "test_every_line_of_a_trial_follows_its_schema",
    "test_a_server_reports_that_it_listens_with_its_version_and_limits",
)
ONE_OF_EACH_RUNTIME = ("mqtt with the built-in broker", "tcp in another language")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`pair` runs over all pairs, or those that a mark names; `pair` with `qos` over all their
    levels.

    Cases outside the first tier are marked `matrix`.
    """
    test = metafunc.definition
    named = test.get_closest_marker("pairs")
    if "qos" in metafunc.fixturenames:
        levels = [(pair, qos) for pair in PAIRS for qos in pair.qos]
        first = first_tier(test.name, [pair for pair, _ in levels])
        cases = [
            pytest.param(
                *level,
                id=f"{level[0].name}, qos {level[1]}",
                marks=[]
                if level[0] in first and level[1] == next(iter(level[0].qos))
                else [pytest.mark.matrix],
            )
            for level in levels
        ]
        metafunc.parametrize(("pair", "qos"), cases, scope="module")
    elif "pair" in metafunc.fixturenames:
        once = test.get_closest_marker("once_per")
        pairs = once_per(*once.args) if once else PAIRS
        if named is not None:
            pairs = [pair for pair in pairs if pair.name in named.args]
            assert len(pairs) == len(named.args), named.args
        first = pairs[:1] if named is not None else first_tier(test.name, pairs)
        cases = [
            pytest.param(pair, id=pair.name, marks=[] if pair in first else [pytest.mark.matrix])
            for pair in pairs
        ]
        metafunc.parametrize("pair", cases, scope="module")


def first_tier(test: str, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of the first tier: each peer and each server once, or one of each runtime."""
    if test not in EVERY_PEER:
        return [pair for pair in pairs if pair.name in ONE_OF_EACH_RUNTIME]
    chosen: list[Pair] = []
    covered: set[object] = set()
    for pair in pairs:
        new = {pair.peer, pair.server_kind} - covered
        if new:
            chosen.append(pair)
            covered |= new
    return chosen


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Side by side, what shares a server stays together."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        pair = callspec.params.get("pair") if callspec else None
        if isinstance(pair, Pair):
            shared = pair.name if pair.managed is None else " ".join(pair.managed)
            item.add_marker(pytest.mark.xdist_group(shared))


def need(pair: Pair) -> None:
    """Skip, loudly, where a program of the pair is not there."""
    for program in (pair.peer[0], *(pair.server or ())[:1]):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not there: `make build`, or install it")
    if pair.managed is not None:
        try:
            check(*pair.managed[:2])
        except BadInput as error:
            pytest.skip(error.sentence)


@contextlib.contextmanager
def serving(
    pair: Pair, directory: Path, valid: timedelta = timedelta(days=1), named: str = "127.0.0.1"
) -> Iterator[Server | None]:
    """The pair's server, started for the caller; `valid` is how long its certificate is, if it has
    one, and `named` the address it is for.
    """
    running = (
        serve(pair.server, pair.config, directory, valid, named)
        if pair.managed is None
        else manage(*pair.managed, directory, valid, named=named)
    )
    with running as server:
        yield server


@pytest.fixture(scope="session")
def long_lived() -> Iterator[Callable[[Pair, Path], Server | None]]:
    """Servers that take seconds to start serve all modules, and all pairs they are the same for."""
    with contextlib.ExitStack() as stack:
        started: dict[object, Server | None] = {}

        def get(pair: Pair, directory: Path) -> Server | None:
            key = pair.managed or pair.name
            if key not in started:
                started[key] = stack.enter_context(serving(pair, directory))
            return started[key]

        yield get


@pytest.fixture(scope="module")
def server(
    pair: Pair,
    tmp_path_factory: pytest.TempPathFactory,
    long_lived: Callable[[Pair, Path], Server | None],
) -> Iterator[Server | None]:
    """The pair's server, shared by a module's tests. Each trial has its own topic."""
    need(pair)
    directory = tmp_path_factory.mktemp("server")
    if pair.managed is not None:
        yield long_lived(pair, directory)
        return
    with serving(pair, directory) as running:
        yield running


@pytest.fixture
def own_server(pair: Pair, tmp_path: Path) -> Iterator[Server | None]:
    """A server for one test, to be killed in it."""
    need(pair)
    with serving(pair, tmp_path) as running:
        yield running


@pytest.fixture
def launch() -> Iterator[Callable[[Pair], Peer]]:
    """Start peers; none is left running."""
    peers: list[Peer] = []

    def start(pair: Pair) -> Peer:
        need(pair)
        peers.append(Peer(pair.peer))
        return peers[-1]

    yield start
    for peer in peers:
        peer.kill()


@pytest.fixture
def trial(tmp_path: Path, launch: Callable[[Pair], Peer]) -> Callable[..., Trial]:
    """Make a trial: both peers of a pair, prepared."""

    def make(pair: Pair, server: Server | None, qos: str, messages: list[bytes], **more: Any) -> Trial:
        return Trial(pair, server, qos, messages, tmp_path, launch, **more)

    return make
