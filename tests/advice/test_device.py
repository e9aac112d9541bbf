"""A device in the answer: formats that do not run fail, and energy counts the bytes of the
protocol.
"""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from tests.advice.test_ranked_answer import Run
from wirelab.advice.answer import answer
from wirelab.advice.thresholds import parse_threshold
from wirelab.model.answer import Answer, Status
from wirelab.model.device import DeviceRun, OnDevice, Radio, SizeOnly
from wirelab.model.errors import BadInput
from wirelab.model.reason import Reason
from wirelab.model.study import Study
from wirelab.model.trial import VALID, State, Verdict, Workload
from wirelab.studies.device import check_device

TOO_BIG = Verdict(State.FAILED, Reason.message("xdr/wirelab on atmega328p: too big: RAM exceeded by 12 B"))
CHIP = DeviceRun(
    device="stm32f4",
    title="STM32F4",
    counted="instructions",
    stack="painted",
    nj_per_cycle=0.5,
    energy_source="data sheet",
    rows=(
        OnDevice(
            "protobuf", "protobuf/nanopb", "0.4.7", VALID, 1500, 1600, (1800, 2200), (1900, 2300),
            size=40, text=5000, data=20, bss=90, stack=200, ram=310, cycles=2000, compute_nj=1000,
        ),
        OnDevice("json", "json/arduinojson", "6", VALID, 7000, 7000, (9000, 11000), None, 100, 7000, 0, 300, 300, 600, 10_000, 5000),
        OnDevice("xdr", "xdr/wirelab", "1", TOO_BIG),
    ),
    radios=(Radio("slow", "slow", 80, 120, "data sheet"),),
    sizes_only=(SizeOnly("avro", 30.0, "needs a heap"),),
    messages=5,
    battery_mwh=24.0,
)  # fmt: skip


class Meta(Run):
    """A run in memory with a device."""

    def meta(self) -> dict[str, object]:
        return {**super().meta(), "device": msgspec.to_builtins(CHIP)}


def ranked(*objectives: str, thresholds: tuple[str, ...] = ()) -> Answer:
    run = Meta().add("json", ms=40, size=100).add("protobuf", ms=50, size=44)
    run.add("avro", ms=30, size=30).add("xdr", ms=20, size=50).add("flatbuffers", ms=10, size=90)
    return answer(run, tuple(map(parse_threshold, thresholds)), objectives or ("energy", "latency"))


def test_energy_counts_the_protocol_overhead_that_the_device_sent() -> None:
    # The run's link carries 60 B of overhead upwards: (40 + 60) B x 100 nJ + 1,000 nJ.
    best = ranked().rankings[0].rows[0]
    assert best.choice["format"] == "protobuf/protobuf"
    assert best.estimates["energy"].value == pytest.approx(11_000)
    assert best.estimates["energy"].unit == "nJ"


def test_acknowledgements_received_are_not_counted_as_sent() -> None:
    json = next(row for row in ranked().rankings[0].rows if row.choice["format"] == "json/json")
    assert json.estimates["energy"].value == pytest.approx(5_000 + (100 + 60) * 100)


def test_a_row_has_flash_ram_and_the_counted_unit() -> None:
    found = ranked().rankings[0].rows[0].estimates
    assert (found["device_flash"].value, found["device_ram"].value) == (5020, 310)
    assert (found["device_instructions"].value, found["device_instructions"].unit) == (1500, "instructions")
    modelled = found["device_modelled_cycles"]
    assert (modelled.value, modelled.low, modelled.high) == (2000, 1800, 2200)
    assert "device_cycles" not in found


def test_battery_life_is_for_the_rate_of_the_row() -> None:
    run = Meta().add("protobuf", ms=50, size=44)
    run.records = [
        replace(one, trial=replace(one.trial, workload=Workload(rate_hz=2.0))) for one in run.records
    ]
    (row,) = answer(run, (), ("battery",)).rankings[0].rows
    # 24 mWh are 86.4 J; 22 uJ a second.
    assert row.estimates["battery"].value == pytest.approx(86.4 / 22e-6 / 86_400)


def test_a_codec_that_does_not_fit_fails_and_a_missing_one_is_inconclusive() -> None:
    rows = {row.choice["format"]: row for row in ranked("latency").rankings[0].rows}
    assert [row.status for row in rows.values()] == [Status.PASS] * 2 + [Status.INCONCLUSIVE] * 2 + [
        Status.FAIL
    ]
    assert rows["xdr/xdr"].thresholds[0].evidence == f"xdr/wirelab: {TOO_BIG}"
    assert rows["avro/avro"].thresholds[0].evidence == "avro: needs a heap"
    assert (
        rows["flatbuffers/flatbuffers"].thresholds[0].evidence
        == "flatbuffers: no C codec for chips is built for it"
    )


def test_the_answer_names_the_device_among_its_thresholds() -> None:
    found = ranked(thresholds=("energy<20uJ",))
    assert [threshold.text for threshold in found.thresholds] == ["runs on stm32f4", "energy<20uJ"]
    assert found.device == CHIP
    assert "device" not in found.meta
    status = {row.choice["format"]: row.status for row in found.rankings[0].rows}
    assert (status["protobuf/protobuf"], status["json/json"]) == (Status.PASS, Status.FAIL)


@pytest.mark.parametrize(
    ("study", "why"),
    [
        (Study("p.json", thresholds=("energy<5mJ",)), "metric 'energy': needs a device"),
        (Study("p.json", rank_by=("ram",)), "metric 'device_ram': needs a device"),
        (Study("p.json", radio="lora"), "radio: given without a device"),
        (Study("p.json", device="stm32f4"), "device 'stm32f4': no radio"),
        (Study("p.json", device="stm32", radio="lora"), "did you mean stm32f4"),
        (Study("p.json", device="stm32f4", radio="custom:x"), "custom:250"),
        (
            Study("p.json", device="stm32f4", radio="lora", device_libraries={"mpak": "/"}),
            "did you mean mpack",
        ),
    ],
)
def test_an_invalid_device_is_refused_before_anything_runs(study: Study, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_device(study)
