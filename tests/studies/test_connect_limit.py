"""The connect timeout that a link asks for."""

from __future__ import annotations

from typing import Any

import pytest

from wirelab.studies import connect_limit
from wirelab.studies.connect_limit import options_for


def way(delay_ms: int = 0, rate: float | None = None, loss: float = 0.0) -> dict[str, Any]:
    return {
        "delay_ns": delay_ms * 1_000_000,
        "jitter": None,
        "rate": {"mean_bit_per_s": rate},
        "loss": {"mean": loss} if loss else None,
    }


LINKS = {
    "ideal": {"up": way(), "down": way()},
    "fast": {"up": way(20), "down": way(20)},
    "slow": {"up": way(800, 60_000), "down": way(800, 30_000)},
    "lossy": {"up": way(800, loss=0.2), "down": way(800, loss=0.2)},
    "dead": {"up": way(800, loss=1.0), "down": way(800_000)},
}


@pytest.fixture(autouse=True)
def links(monkeypatch: pytest.MonkeyPatch) -> None:
    connect_limit.connect_limit_s.cache_clear()
    monkeypatch.setattr(connect_limit.link, "show", LINKS.__getitem__)


@pytest.mark.parametrize(
    ("link", "options"),
    [
        ("ideal", {}),
        ("fast", {}),
        ("slow", {"connect_timeout_s": "44"}),  # 20 x (1.6 s + 0.2 s up + 0.4 s down)
        ("lossy", {"connect_timeout_s": "50"}),  # 20 x 1.6 s, of which 64 % arrive
        ("dead", {"connect_timeout_s": "3600"}),
    ],
)
def test_a_link_with_long_round_trips_gets_a_longer_timeout(link: str, options: dict[str, str]) -> None:
    assert options_for({}, link) == options


def test_a_timeout_that_the_study_names_stays() -> None:
    assert options_for({"connect_timeout_s": "5", "inflight": "1"}, "slow") == {
        "connect_timeout_s": "5",
        "inflight": "1",
    }
