"""The flows of captured trials in the report."""

from __future__ import annotations

from msgspec.structs import replace

from tests.report import fixtures
from wirelab.model.answer import Answer, Ranking, Record
from wirelab.model.result import Flow, TrialResult
from wirelab.report import section
from wirelab.report.html import page

FLOW = Flow(
    "device", "up", "tcp", "device", "server:1883", packets=1200, l2_bytes=150_000, l3_bytes=140_000,
    payload_bytes=90_000, retransmissions=4, dropped={"loss": 3, "queue": 4}, queue_max_bytes=2500,
    sojourn_mean_ns=5e6, sojourn_max_ns=72_000_000,
)  # fmt: skip


class Captured(fixtures.View):
    """A store of one captured trial, that of the first row."""

    def results(self) -> list[Record]:
        return [Record(fixtures.trial(), "done", 1, TrialResult("t1", flows=(FLOW,)))]


def answer(capture: bool = True) -> Answer:
    row = replace(fixtures.ROWS[0], trials=("t1",))
    study = {"payload": "vehicle.jsonl", "capture": capture}
    return fixtures.answer(
        rankings=(Ranking({}, (row, *fixtures.ROWS[1:]), ""),), meta={**fixtures.META, "study": study}
    )


def test_the_flows_of_a_row_and_its_captures_are_on_the_page() -> None:
    text = page(answer(), Captured())
    cells = (
        "tcp device to server:1883", "device up", "1,200", "140 kB", "90.0 kB", "4", "loss 3, queue 4", "2,500 B",
        "5.00 ms", "72.0 ms",
    )  # fmt: skip
    for cell in cells:
        assert f">{cell}</td>" in text, cell
    assert '<a href="packets/t1.pcapng">replicate 1</a>' in text


def test_the_table_of_flows_has_every_trial() -> None:
    head, line = section.tables(answer(), Captured())["flows"].splitlines()
    assert head == (
        "format,protocol,qos,link,replicate,trial,verdict,host,direction,ip_protocol,source,destination,"
        "packets,l2_bytes,l3_bytes,payload_bytes,retransmissions,dropped_loss,dropped_queue,dropped_mtu,"
        "dropped_own,queue_max_bytes,sojourn_mean_ns,sojourn_max_ns"
    )
    assert line == (
        "json/serde_json,mqtt,0,lte-drive,3,t1,valid,device,up,tcp,device,server:1883,1200,150000,140000,"
        "90000,4,3,4,0,0,2500,5000000,72000000"
    )


def test_there_are_no_flows_unless_they_are_asked_for() -> None:
    assert "flows" not in section.sections(answer(capture=False))
