"""Messages that grow by a plan, in place of those of maltsev2024, whose model is not public.

The study has 30 epochs: messages of about 0.5 kB in the first to about 4 kB in the fifteenth, and
about 30 kB in the thirtieth. Here a message is an order that services exchange: a head of texts,
numbers, a switch and an instant, and as many lines as its size needs. All epochs share one schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

EPOCHS = 30
HALF = 15
FIRST, MIDDLE, LAST = 500, 4_000, 30_000
HEAD_BYTES, LINE_BYTES = 278, 147
"""Compact JSON: the head with an empty list, and a line with its comma, on average."""
_START = datetime(2024, 4, 1, 8, 0, 0, tzinfo=UTC)
_GOODS = ("bearing", "bracket", "cable", "filter", "gasket", "housing", "relay", "sensor", "valve", "washer")


def size(epoch: int) -> float:
    """Bytes of compact JSON that a message of an epoch (1 to 30) is made for: linear within each
    half.
    """
    if epoch <= HALF:
        return FIRST + (MIDDLE - FIRST) * (epoch - 1) / (HALF - 1)
    return MIDDLE + (LAST - MIDDLE) * (epoch - HALF) / (EPOCHS - HALF)


def growing(per_epoch: int, seed: int) -> Iterator[dict[str, Any]]:
    """`per_epoch` orders of each epoch, epoch after epoch."""
    rng = Random(f"growing {seed}")
    for epoch in range(1, EPOCHS + 1):
        for _ in range(per_epoch):
            yield order(rng, max(1, round((size(epoch) - HEAD_BYTES) / LINE_BYTES)))


def order(rng: Random, lines: int) -> dict[str, Any]:
    """One order with `lines` lines."""
    moment = _START + timedelta(milliseconds=rng.randint(0, 10**9))
    return {
        "orderIdentifier": f"{rng.getrandbits(64):016x}",
        "customerIdentifier": rng.randint(1, 5_000_000),
        "createdAt": f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z",
        "currency": rng.choice(["EUR", "PLN", "SEK", "UAH"]),
        "priority": rng.random() < 0.1,
        "shippingAddress": {
            "street": f"{rng.choice(_GOODS).title()} Street {rng.randint(1, 240)}",
            "city": rng.choice(["Lviv", "Gothenburg", "Edinburgh", "Krakow"]),
            "postalCode": f"{rng.randint(10_000, 99_999)}",
            "countryCode": rng.choice(["GB", "PL", "SE", "UA"]),
        },
        "totalAmount": round(rng.uniform(5, 5000), 2),
        "lines": [_line(rng, number) for number in range(1, lines + 1)],
    }


def _line(rng: Random, number: int) -> dict[str, Any]:
    return {
        "lineNumber": number,
        "articleNumber": f"A-{rng.randint(10**6, 10**7 - 1)}",
        "description": f"{rng.choice(_GOODS)} {rng.choice(_GOODS)}",
        "quantity": rng.randint(1, 40),
        "unitPrice": round(rng.uniform(0.1, 400), 2),
        "weightKilogram": round(rng.uniform(0.01, 30), 3),
        "inStock": rng.random() < 0.9,
    }
