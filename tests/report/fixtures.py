"""A made-up answer and its samples: fixed numbers, so that views have literal expectations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tests.factories import a_payload, a_trial
from wirelab.advice.codec_ranking import rank_codecs
from wirelab.model.answer import (
    Answer,
    Choice,
    CodecRow,
    Excluded,
    LinkCheck,
    Ranking,
    Record,
    Row,
    Status,
    Tally,
    Threshold,
    ThresholdResult,
    VerdictCount,
)
from wirelab.model.device import DeviceRun, Flip, OnDevice, Radio, SizeOnly
from wirelab.model.estimate import Estimate
from wirelab.model.reason import Reason
from wirelab.model.result import Counts, PeerInfo, ServerInfo, Shares, TrialResult
from wirelab.model.trial import VALID, Link, State, Trial, Verdict

MS = 1e6
SIZES = {"protobuf/prost": 1157, "avro/serde_avro_fast": 953, "json/serde_json": 12034}


def estimate(value: float, low: float, high: float, unit: str = "ns", **more: Any) -> Estimate:
    return Estimate(value, low, high, unit, replicates=5, n=150, method="order statistics", **more)


def exact(value: float, unit: str = "B") -> Estimate:
    return Estimate(value, value, value, unit, replicates=5, n=150, method="exact")


ALL_VALID = Tally(valid=5)


def row(
    format_: str,
    protocol: str,
    qos: str,
    p50_ms: float,
    lost: int = 0,
    *,
    link: str = "lte-drive",
    rank: int = 1,
    group: int = 1,
    tied: bool = False,
    inconclusive: bool = False,
    thresholds: tuple[ThresholdResult, ...] = (),
    tally: Tally = ALL_VALID,
) -> Row:
    p50 = p50_ms * MS
    payload = SIZES.get(format_, 1000)
    loss = lost / 150
    choice = {"format": format_, "protocol": protocol, "qos": qos}
    label = f"{format_} {protocol} {'qos ' + qos if qos.isdigit() else qos}"
    return Row(
        levels={**choice, "link": link},
        context={"link": link},
        choice=choice,
        label=label,
        estimates={
            "latency_p50": estimate(p50, p50 * 0.95, p50 * 1.06),
            "latency_p99": estimate(p50 * 3, p50 * 2.5, p50 * 3.9, open_above=True),
            "loss": estimate(loss, max(loss - 0.02, 0), loss + 0.024, "fraction"),
            "bytes": exact(payload),
            "wire_bytes": estimate(payload + 210, payload + 204, payload + 221, "B"),
        },
        shares=Shares(0.1 * MS, 0.02 * MS, p50 - 1.2 * MS, 1 * MS, 0.08 * MS),
        counts=Counts(planned=150, sent=150, delivered=150 - lost, lost=lost),
        tally=tally,
        trials=(f"{label}@{link}",),
        thresholds=thresholds,
        status=min(
            (result.status for result in thresholds),
            key=[Status.FAIL, Status.INCONCLUSIVE, Status.PASS].index,
            default=Status.PASS,
        ),
        rank=rank,
        group=group,
        tied=tied,
        inconclusive=inconclusive,
    )


PASSES = (ThresholdResult("loss=0", Status.PASS, "none of 150 lost"),)
FAILS = (ThresholdResult("loss=0", Status.FAIL, "4.67 % [2.7 %, 7.1 %]"),)

ROWS = (
    row("avro/serde_avro_fast", "mqtt", "0", 41.2, rank=1, group=1, tied=True, thresholds=PASSES),
    row("protobuf/prost", "mqtt", "0", 41.4, rank=2, group=1, tied=True, thresholds=PASSES),
    row("protobuf/prost", "mqtt", "1", 43.9, rank=3, group=2, inconclusive=True, thresholds=PASSES),
    row(
        "json/serde_json",
        "mqtt",
        "0",
        96.0,
        rank=4,
        group=3,
        thresholds=PASSES,
        tally=Tally(4, 1, reasons=(VerdictCount(State.INVALID, (Reason.message("rate missed"),)),)),
    ),
    row("avro/serde_avro_fast", "coap", "non", 39.8, 7, rank=5, group=4, tied=True, thresholds=FAILS),
    row("protobuf/prost", "coap", "non", 39.9, 9, rank=5, group=4, tied=True, thresholds=FAILS),
)

CODECS = tuple(rank_codecs((
    CodecRow(
        "protobuf/prost", "protobuf", "prost", "0.14.1", "rust",
        Estimate(1157, 1090, 1260, "B", 1, 200, "range"),
        {
            "serialize": estimate(1520, 1490, 1560), "deserialize": estimate(2160, 2100, 2230),
            "populate": estimate(240, 230, 250), "encode": estimate(1280, 1260, 1310), "decode": estimate(2160, 2100, 2230),
        },
        losses=("null against absent at trips[].end",),
        totals=(3600.0, 3640.0, 3680.0, 3720.0, 3760.0),
    ),
    CodecRow(
        "flatbuffers/flatbuffers", "flatbuffers", "flatbuffers", "25.12", "rust",
        Estimate(2560, 2400, 2790, "B", 1, 200, "range"),
        {
            "serialize": estimate(3408, 3300, 3500), "deserialize": estimate(1890, 1850, 1930),
            "access": estimate(12, 11, 13), "access_validated": estimate(640, 610, 690),
        },
        totals=(5220.0, 5260.0, 5298.0, 5340.0, 5372.0),
    ),
)))  # fmt: skip

CHECK = LinkCheck(
    "lte-drive",
    True,
    {
        "ok": True,
        "checks": [
            {
                "what": "rtt, median",
                "asked": 69.5e6,
                "measured": 69.9e6,
                "low": 69.1e6,
                "high": 70.6e6,
                "unit": "ns",
                "n": 120,
                "ok": True,
            },
            {
                "what": "loss",
                "asked": 0.0,
                "measured": 0.0,
                "low": 0.0,
                "high": 0.004,
                "unit": "fraction",
                "n": 120,
                "ok": True,
            },
        ],
        "trace": [[0, 8e6], [1, 2e6], [2, 0], [3, 12.5e6], [4, 9e6]],
        "lateness": {"p50_ns": 8200, "p99_ns": 41000},
    },
)

META: dict[str, object] = {
    "origin": {
        "date": "2026-11-02 10:00 UTC",
        "wirelab": "0.1.0",
        "commit": "ea3e18ff1234",
        "compiler": "rustc 1.95.0",
        "machine": "Fast <CPU>, 2 cores, Linux 6.18",
    },
    "command": "wirelab compare vehicle.jsonl --link lte-drive --need loss=0",
    "environment": {"wirelab": "0.1.0", "kernel": "6.18", "governor": "powersave"},
    "study": {"payload": "vehicle.jsonl", "seed": 1, "replicates": 5, "rate": ["5/s"]},
    "pack": "/home/u/.cache/wirelab/packs/abc/libpack.so",
}


def answer(**changes: Any) -> Answer:
    """The made-up answer, with parts of it replaced."""
    ranking = Ranking(
        {},
        ROWS,
        "avro/serde_avro_fast mqtt qos 0 passes loss=0 with median latency 41.2 ms [39.1 ms, 43.7 ms].",
    )
    parts: dict[str, Any] = {
        "thresholds": (Threshold("loss=0", "loss", "=", 0.0),),
        "objectives": ("latency_p50", "bytes"),
        "headline": ranking.headline,
        "status": Status.PASS,
        "rankings": (ranking,),
        "overall": (Choice(ROWS[0].choice, ROWS[0].label, Status.PASS, PASSES, ROWS[0].estimates, 1, 1, True),),
        "excluded": (
            Excluded({"format": "json/serde_json", "protocol": "udp", "qos": "datagram", "link": "lte-drive"},
                     "json/serde_json udp datagram", Tally(skipped=5, reasons=(VerdictCount(State.SKIPPED, (Reason.message("messages of 12 kB do not fit a datagram"),), 5),))),
        ),
        "codecs": CODECS,
        "links": (CHECK,),
        "warnings": ("CPU governor is 'powersave': set it to performance",),
        "meta": META,
    }  # fmt: skip
    return Answer(**{**parts, **changes})


class View:
    """A store with samples made up for each trial, and one invalid trial."""

    def results(self) -> list[Record]:
        verdict = Verdict(State.INVALID, Reason.message("rate missed: 3.1/s of 5/s"))
        result = TrialResult(
            "t1", verdict, peer=PeerInfo("mqtt-rumqttc", "rumqttc", "0.25.1", "rust"),
            server=ServerInfo("built-in", "0.1.0", {"max_queued": "0"}),
        )  # fmt: skip
        return [Record(trial(), "done", 1, result)]

    def samples(self, trial_id: str) -> Mapping[str, NDArray[np.generic]]:
        seed = sum(trial_id.encode())
        lost = 7 if "coap" in trial_id else 0
        planned = np.arange(153, dtype=np.int64) * 200_000_000
        taken = np.random.default_rng(seed).lognormal(17.5, 0.3, 153).astype(np.int64)
        outcome = np.where(np.arange(153) >= 153 - lost, 1, 0).astype(np.uint8)
        return {
            "planned": planned,
            "decoded": planned + taken,
            "outcome": outcome,
            "warmup": np.arange(153) < 3,
        }


def trial() -> Trial:
    levels = {"format": "json/serde_json", "protocol": "mqtt", "qos": "0", "link": "lte-drive"}
    payload = a_payload(
        corpus="vehicle.jsonl", schema="vehicle.schema", codec="json/serde_json", pack="libpack.so"
    )
    return a_trial("t1", levels=levels, replicate=3, seed=42, payload=payload, link=Link("lte-drive", 12.0))


EVIL = "<script>alert(1)</script>"
LONG = "x" * 120


CHIP = DeviceRun(
    "stm32f4", "STM32F446RE (Cortex-M4F)", "instructions", "painted", 0.37, "data sheet",
    (
        OnDevice("protobuf", "protobuf/nanopb", "0.4.7", VALID, 1215, 1292, (1843, 2291), (1993, 2446), 34.8,
                 5172, 0, 92, 284, 376, 2067, 765, ("float digits are lost",)),
        OnDevice("xdr", "xdr/wirelab", "RFC 4506", VALID, 242, 185, (348, 419), (285, 361), 42.4,
                 780, 0, 92, 64, 156, 384, 142),
        OnDevice("json", "json/arduinojson", "", Verdict(State.SKIPPED, Reason.message("name its directory"))),
    ),
    (Radio("nb-iot", "NB-IoT", 46_000, 406_000, "data sheet"), Radio("ble", "BLE", 127, 254, "data sheet")),
    (Flip(81.9, "xdr/wirelab", "protobuf/nanopb"),),
    (SizeOnly("avro", 37.2, "needs a heap"),),
    5, "gcc", "Os", (1700, 0, 12), "cycles are modelled", per_second=1.0, battery_mwh=660.0,
)  # fmt: skip


def device() -> Answer:
    """The usual answer, for a chip."""
    return answer(device=CHIP)


def hostile() -> Answer:
    """Names that are markup, very long, or both; values that span many decades."""
    rows = (
        row(f"{EVIL}/{LONG}", "mqtt", "0", 41.2, thresholds=PASSES),
        row("protobuf/prost", EVIL, EVIL, 4100.0, rank=2, group=2),
        row("json/y", "udp", "datagram", 900_000.0, 140, rank=3, group=3),
    )
    return answer(
        rankings=(Ranking({}, rows, EVIL),),
        headline=f"{EVIL} {LONG} is first",
        warnings=(EVIL, LONG),
        links=(LinkCheck(EVIL, False, {"ok": False, "weird": {"a": [1, 2, EVIL]}, "x_ns": 1e6}),),
        meta={"command": EVIL + LONG, "study": {EVIL: LONG}, EVIL: EVIL},
        codecs=tuple(
            msgspec.structs.replace(codec, codec=EVIL + LONG, losses=(LONG, EVIL)) for codec in CODECS
        ),
        device=msgspec.structs.replace(
            CHIP,
            title=EVIL + LONG,
            rows=tuple(
                msgspec.structs.replace(row, codec=EVIL + LONG, notes=(EVIL, LONG)) for row in CHIP.rows
            ),
            radios=(Radio(EVIL + LONG[:30], "", 1e-3, 1e9, LONG),),
            flips=(Flip(1e-3, EVIL, LONG), Flip(1e9, LONG, EVIL)),
        ),
    )


def nothing() -> Answer:
    """No valid trial at all."""
    headline = "No combination has a valid trial, so there is nothing to rank."
    return answer(
        rankings=(),
        overall=(),
        codecs=(),
        links=(),
        warnings=(),
        thresholds=(),
        headline=headline,
        status=Status.FAIL,
    )


def one() -> Answer:
    """A single row, no threshold, nothing excluded."""
    return answer(rankings=(Ranking({}, ROWS[:1], "r"),), codecs=CODECS[:1], thresholds=(), excluded=())


def many() -> Answer:
    """Three links with a hundred rows each."""
    rankings = []
    for link, base, lost in (
        ("lte-drive", 40.0, 0),
        ("lte-drive,loss=1%", 45.0, 2),
        ("lte-drive,loss=5%", 60.0, 9),
    ):
        deliveries = [("mqtt", "0"), ("mqtt", "1"), ("coap", "con"), ("coap", "non"), ("tcp", "stream")]
        rows = tuple(
            row(f"format{i % 20}/library", *deliveries[i // 20], base * 1.03**i, lost * (i // 20 % 2), link=link,
                rank=i + 1, group=i // 3, tied=True, thresholds=FAILS if lost and i // 20 % 2 else PASSES)
            for i in range(100)
        )  # fmt: skip
        rankings.append(Ranking({"link": link}, rows, f"On {link} format0/library mqtt qos 0 is first."))
    first = rankings[0].rows
    overall = tuple(
        Choice(r.choice, r.label, r.status, r.thresholds, r.estimates, r.rank, r.group, True) for r in first
    )
    return answer(rankings=tuple(rankings), overall=overall)


ANSWERS = {
    "usual": answer,
    "device": device,
    "hostile": hostile,
    "nothing": nothing,
    "one": one,
    "many": many,
}
