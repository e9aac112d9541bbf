"""Each kind of message has figures of its own in the rows of an answer."""

from __future__ import annotations

import msgspec
import numpy as np

from wirelab.advice.kinds import kind_figures
from wirelab.model.answer import Record
from wirelab.model.kinds import Kinds
from wirelab.model.result import TrialResult
from wirelab.model.trial import Trial

KINDS = Kinds("type", ("reading", "alarm", "door"), (0, 1, 0))
TRIAL = msgspec.json.decode(
    b'{"id":"t","levels":{},"replicate":0,"seed":1,"protocol":"tcp","qos":"stream","link":{},"workload":{},'
    b'"payload":{"corpus":"","schema":"","codec":"json","pack":""}}',
    type=Trial,
)
RECORD = Record(TRIAL, "done", 1, TrialResult("t"))
# Messages 0 to 5 are reading, alarm, reading, twice; the first is warm-up, message 4 is lost.
COLUMNS = {
    "seq": np.arange(6),
    "planned": np.full(6, 100),
    "sent": np.full(6, 110),
    "decoded": np.array([0, 300, 150, 170, 0, 190]),
    "bytes": np.array([9, 40, 10, 12, 50, 14]),
    "outcome": np.array([0, 0, 0, 0, 1, 0]),
    "warmup": np.array([True, False, False, False, False, False]),
}


def test_messages_count_for_the_kind_of_their_place_in_the_corpus() -> None:
    reading, alarm = kind_figures([RECORD], lambda _: COLUMNS, KINDS)
    assert (reading.kind, reading.planned, reading.delivered) == ("reading", 3, 3)
    assert (alarm.kind, alarm.planned, alarm.delivered) == ("alarm", 2, 1)
    assert reading.bytes is not None
    assert reading.bytes.value == 12
    assert reading.latency_p50 is not None
    assert reading.latency_p50.value == 70
    assert alarm.latency_p50 is not None
    assert alarm.latency_p50.value == 200


def test_trials_of_several_publishers_have_no_figures_by_kind() -> None:
    assert kind_figures([RECORD], lambda _: {**COLUMNS, "publisher": np.zeros(6)}, KINDS) == ()
