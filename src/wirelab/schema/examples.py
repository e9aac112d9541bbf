"""The shipped example payloads, drawn from a seed.

`vehicle-status` imitates what proos2020 describes of its trucks' CurrentStatus messages: JSON of
about 12 kB on average with two peaks (with and without a trailer) and a few small ones (engine
off), about ten times the size of Protobuf. That ratio comes from long keys, many counters that are
zero and many switches that are off. `small` are that study's 10-byte messages, and `sensor` is one
reading of about 100 bytes.

    python -m wirelab.schema.examples DIR --seed 1 --count 100
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from wirelab.schema.example_keys import COUNTERS, SPEED_CLASS_LISTS, TELLTALES, TRAILER_SWITCHES

START = datetime(2024, 3, 4, 5, 0, 0, tzinfo=UTC)
TRAILER_SHARE = 0.45
ENGINE_OFF_SHARE = 0.03
COUNTER_IS_ZERO = 0.4
CLASSES = 13


def vehicle_status(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """`count` status messages of a fleet of trucks."""
    rng = Random(f"vehicle-status {seed}")
    fleet = [_truck(rng) for _ in range(25)]
    for number in range(count):
        yield _status(rng, rng.choice(fleet), number)


def small(count: int = 100) -> Iterator[str]:
    """`message001`, `message002` and so on."""
    return (f"message{number:03}" for number in range(1, count + 1))


def sensor(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """`count` readings of a few room sensors."""
    rng = Random(f"sensor {seed}")
    for number in range(count):
        moment = START + timedelta(seconds=10 * number)
        yield {
            "sensor": f"room-{rng.randint(1, 12):02}",
            "time": f"{moment:%Y-%m-%dT%H:%M:%SZ}",
            "temperature": round(rng.gauss(21, 2), 1),
            "humidity": rng.randint(25, 70),
            "co2": rng.randint(400, 1800),
            "battery": round(rng.uniform(2.6, 3.1), 2),
        }


def write(folder: Path, count: int, seed: int) -> None:
    """Write the three example files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_lines(folder / "vehicle-status.jsonl", vehicle_status(count, seed))
    _write_lines(folder / "small.jsonl", small())
    _write_lines(folder / "sensor.jsonl", sensor(100, seed))


def _truck(rng: Random) -> dict[str, Any]:
    letters = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
    return {
        "vin": "YS2" + "".join(rng.choice(letters) for _ in range(14)),
        "trailer": rng.random() < TRAILER_SHARE,
        "counters": {key: _counter(rng, top) for key, top in COUNTERS.items()},
    }


def _status(rng: Random, truck: dict[str, Any], number: int) -> dict[str, Any]:
    created = START + timedelta(seconds=13 * number, milliseconds=rng.randint(1, 999))
    received = created + timedelta(milliseconds=rng.randint(80, 900))
    message: dict[str, Any] = {
        "messageSequenceNumber": number + 1,
        "vehicleIdentificationNumber": truck["vin"],
        "messageCreatedDateTime": _time(created),
        "messageReceivedDateTime": _time(received),
        "messageTriggerType": rng.choice(["TIMER", "TIMER", "TIMER", "DISTANCE", "IGNITION_ON"]),
        "currentGeographicalPosition": _position(rng, created),
    }
    if rng.random() < ENGINE_OFF_SHARE:
        return message | {"telltaleIndicatorStates": _switches(rng, TELLTALES)}
    message |= {
        "currentDriverInformation": _driver(rng),
        "telltaleIndicatorStates": _switches(rng, TELLTALES),
        "accumulatedVehicleCounters": {key: _now(rng, key, was) for key, was in truck["counters"].items()},
        "tyreMonitoringMeasurements": [_tyre(rng, axle, wheel) for axle in (1, 2, 3) for wheel in (1, 2)],
    }
    for key, (step, tops) in SPEED_CLASS_LISTS.items():
        classes = CLASSES + rng.choice([0, 0, 0, 1])
        message[key] = [_speed_class(rng, index, step, tops) for index in range(classes)]
    if truck["trailer"]:
        message["connectedTrailerInformation"] = _trailer(rng)
    return message


def _position(rng: Random, moment: datetime) -> dict[str, Any]:
    return {
        "positionLatitudeDegrees": round(rng.uniform(55.4, 63.8), 6),
        "positionLongitudeDegrees": round(rng.uniform(11.3, 19.1), 6),
        "positionAltitudeMetres": rng.randint(0, 420),
        "positionHeadingDegrees": rng.randint(0, 359),
        "positionSpeedKilometresPerHour": rng.choice([0, rng.randint(1, 90)]),
        "positionFixDateTime": _time(moment - timedelta(milliseconds=rng.randint(1, 999))),
    }


def _driver(rng: Random) -> dict[str, Any]:
    return {
        "driverCardIdentification": f"S{rng.randint(10**12, 10**13 - 1)}",
        "driverWorkingState": rng.choice(["DRIVE", "DRIVE", "REST", "WORK"]),
        "driverCardInserted": True,
        "driverTimeRelatedWarningState": rng.choice([0, 0, 0, 1, 2]),
        "driverContinuousDrivingTimeSeconds": rng.randint(0, 16200),
        "driverCumulativeBreakTimeSeconds": rng.choice([0, 900, 2700]),
    }


def _tyre(rng: Random, axle: int, wheel: int) -> dict[str, Any]:
    return {
        "axlePositionNumber": axle,
        "wheelPositionNumber": wheel,
        "tyrePressureKilopascal": rng.randint(780, 905),
        "tyreTemperatureDegreesCelsius": rng.randint(8, 55),
        "tyreAirLeakageRatePascalPerSecond": 0 if rng.random() < 0.95 else rng.randint(1, 40),
        "tyrePressureThresholdExceeded": rng.random() < 0.02,
        "tyreSensorBatteryLow": rng.random() < 0.02,
        "tyreSensorSignalLost": rng.random() < 0.02,
    }


def _speed_class(rng: Random, index: int, step: int, tops: tuple[int, int, int]) -> dict[str, Any]:
    used = rng.random() < 0.95
    seconds, metres, millilitres = (rng.randint(1, top) if used else 0 for top in tops)
    return {
        "classLowerBoundary": index * step,
        "classUpperBoundary": (index + 1) * step,
        "accumulatedDurationSeconds": seconds,
        "accumulatedDistanceMetres": metres,
        "accumulatedFuelConsumptionMillilitres": millilitres,
    }


def _trailer(rng: Random) -> dict[str, Any]:
    return {
        "trailerVehicleIdentificationNumber": f"YE1{rng.randint(10**13, 10**14 - 1)}",
        "trailerAxleLoadKilograms": [rng.randint(1800, 8200) for _ in range(3)],
        "trailerSwitchStates": _switches(rng, TRAILER_SWITCHES),
        "trailerTyreMonitoringMeasurements": [
            _tyre(rng, axle, wheel) for axle in (1, 2, 3) for wheel in (1, 2)
        ],
    }


def _switches(rng: Random, keys: Iterable[str]) -> dict[str, bool]:
    return {key: rng.random() < 0.06 for key in keys}


def _counter(rng: Random, top: int) -> int:
    return 0 if rng.random() < COUNTER_IS_ZERO else rng.randint(1, top)


def _now(rng: Random, key: str, value: int) -> int:
    """The next reading of a counter: totals grow a little, gauges are drawn again, zeros stay zero."""
    if not value or key.startswith("total"):
        return value + rng.randint(0, value // 1000)
    return rng.randint(1, COUNTERS[key])


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


def _write_lines(path: Path, messages: Iterable[Any]) -> None:
    lines = (json.dumps(message, separators=(",", ":")) + "\n" for message in messages)
    path.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """The command `python -m wirelab.schema.examples`."""
    parser = argparse.ArgumentParser(
        prog="python -m wirelab.schema.examples", description="Write the examples."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="messages in vehicle-status.jsonl")
    options = parser.parse_args()
    write(options.folder, options.count, options.seed)


if __name__ == "__main__":
    main()
