"""From a payload to a ranked answer, with real libraries, servers and packets."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import wirelab
from tests.noise_retry import busy
from wirelab.model.answer import Record
from wirelab.model.trial import State
from wirelab.schema.inputs.capture_packets import frames
from wirelab.store.run import RunStore

pytestmark = pytest.mark.lab

SMALL = ("--format", "json,protobuf", "--count", "6", "--warmup", "1", "--rate", "20/s", "--replicates", "2")


def valid(record: Record) -> bool:
    """Whether a trial is evidence."""
    return record.result is not None and record.result.verdict.state is State.VALID


@pytest.fixture(scope="module")
def run(payload: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """One run over every protocol and qos, with and without loss; shared by the tests that look at
    it.
    """
    directory = tmp_path_factory.mktemp("run") / "r"
    done = wirelab(
        "compare",
        payload,
        *SMALL,
        "--link",
        "rate=20Mbit/s,rtt=20ms",
        "--threshold",
        "loss=0",
        "-o",
        directory,
    )
    assert done.returncode in (0, 1, 2), done.stderr
    return directory, done.stdout, done.returncode


def test_every_combination_is_measured(run: tuple[Path, str, int]) -> None:
    with RunStore.open(run[0]) as store:
        records = store.results()
    assert len(records) == 2 * 7 * 2
    verdicts = [record.result.verdict for record in records if record.result]
    assert len(verdicts) == len(records)
    # Whether a trial is valid is up to what else this machine does; none may fail.
    bad = [str(v) for v in verdicts if v.state is not State.VALID and not busy(v)]
    assert bad == []


def test_every_message_is_accounted_for(run: tuple[Path, str, int]) -> None:
    with RunStore.open(run[0]) as store:
        for record in store.results():
            assert record.result is not None
            counts = record.result.counts
            assert (counts.planned, counts.sent) == (6, 6)
            assert counts.delivered + counts.lost == counts.sent
            assert (counts.corrupt, counts.unknown) == (0, 0)


def test_latency_is_at_least_the_delay_of_the_link(run: tuple[Path, str, int]) -> None:
    with RunStore.open(run[0]) as store:
        for record in store.results():
            samples = store.samples(record.trial.id)
            assert (samples["received"] - samples["planned"]).min() >= 10_000_000


def test_the_answer_is_printed_ranked_and_written_in_every_view(run: tuple[Path, str, int]) -> None:
    directory, printed, code = run
    with RunStore.open(directory) as store:
        measured = {tuple(record.trial.levels.values()) for record in store.results() if valid(record)}
        checked = all(check.ok for check in store.link_checks())
    # A link that this machine could not emulate as specified is evidence of nothing.
    assert code == ((0 if checked else 1) if measured else 2)
    assert "protobuf" in printed
    assert str(directory / "report.html") in printed.replace("\n", "")
    page = (directory / "report.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org", "")
    answer = json.loads((directory / "report.json").read_text())["answer"]
    ranked = [row for ranking in answer["rankings"] for row in ranking["rows"]]
    floors = [row for ranking in answer["rankings"] for row in ranking["floors"]]
    assert len(ranked) + len(floors) == len(measured)
    assert {row["levels"]["protocol"] for row in floors} <= {"udp", "tcp"}
    with (directory / "report.csv").open() as stream:
        assert len(list(csv.DictReader(stream))) == 14


def test_report_rebuilds_the_views_from_the_store(run: tuple[Path, str, int]) -> None:
    directory, printed, code = run
    (directory / "report.html").unlink()
    again = wirelab("report", directory)
    assert again.returncode == code
    assert again.stdout == printed
    assert (directory / "report.html").exists()


def test_a_threshold_that_nothing_passes_gives_exit_code_1(run: tuple[Path, str, int]) -> None:
    assert wirelab("report", run[0], "--threshold", "p50<1us").returncode == (1 if run[2] != 2 else 2)


def test_the_same_seed_loses_the_same_messages(payload: Path, tmp_path: Path) -> None:
    lost = []
    for name in ("a", "b"):
        wirelab(
            "compare", payload, "--format", "json", "--protocol", "udp", "--link", "rtt=4ms,loss=30%",
            "--count", "20", "--rate", "50/s", "--replicates", "2", "-o", tmp_path / name,
        )  # fmt: skip
        with RunStore.open(tmp_path / name) as store:
            lost.append([store.samples(r.trial.id)["outcome"].tolist() for r in store.results()])
    assert lost[0] == lost[1]
    assert sum(map(sum, lost[0])) > 0
    assert lost[0][0] != lost[0][1]


def test_a_plan_measures_nothing(payload: Path, tmp_path: Path) -> None:
    done = wirelab("compare", payload, *SMALL, "--dry-run", cwd=tmp_path)
    assert done.returncode == 0
    assert "28 trials" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_study_file_runs_like_the_flags(payload: Path, tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    study.write_text(
        f'payload = "{payload}"\nformat = "json"\nprotocol = ["tcp", "udp"]\nrate = "20/s"\ncount = 5\nrepeats = 2\n'
    )
    done = wirelab("run", study, "-o", tmp_path / "r", "--output-format", "csv")
    assert done.returncode in (0, 2), done.stderr
    assert len(list(csv.DictReader(done.stdout.splitlines()))) == 2


def test_mosquitto_serves_when_it_is_selected(payload: Path, tmp_path: Path) -> None:
    done = wirelab(
        "compare", payload, "--format", "json", "--protocol", "mqtt", "--server", "mosquitto",
        "--count", "5", "--rate", "20/s", "--replicates", "1", "-o", tmp_path / "r",
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    with RunStore.open(tmp_path / "r") as store:
        servers = {(r.result.server.name, r.result.server.version[:2]) for r in store.results() if r.result}
    assert servers == {("mosquitto", "2.")}


def test_codecs_of_two_languages_cross_one_link(payload: Path, tmp_path: Path) -> None:
    directory = tmp_path / "r"
    words = ("--format", "json", "--language", "rust,cpp", "--protocol", "udp", "--rate", "20/s")
    done = wirelab("compare", payload, *words, "--count", "6", "--replicates", "1", "-o", directory)
    assert done.returncode in (0, 1, 2), done.stderr
    with RunStore.open(directory) as store:
        records = store.results()
        timed = {row.codec: row.language for row in store.codecs()}
    levels = {(record.trial.levels["format"], record.trial.levels["language"]) for record in records}
    assert levels == {("json/serde_json", "rust"), ("json/jsoncpp", "cpp")}
    assert timed == {"json/serde_json": "rust", "json/jsoncpp": "cpp"}
    assert len({record.trial.payload.pack for record in records}) == 2
    verdicts = [record.result.verdict for record in records if record.result]
    assert [str(v) for v in verdicts if v.state is not State.VALID and not busy(v)] == []


def test_java_codecs_need_a_client_in_java(payload: Path) -> None:
    done = wirelab("compare", payload, "--language", "java", "--protocol", "mqtt")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "wirelab: language 'java': its codecs run in a JVM, and none of the clients does: rumqttc (mqtt); "
        "add --client-library paho"
    )


def test_messages_cross_the_link_compressed(payload: Path, tmp_path: Path) -> None:
    directory = tmp_path / "r"
    words = ("--format", "json", "--compression", "none,zstd", "--protocol", "udp", "--rate", "20/s")
    done = wirelab("compare", payload, *words, "--count", "6", "--replicates", "2", "-o", directory)
    assert done.returncode in (0, 1, 2), done.stderr
    with RunStore.open(directory) as store:
        results = [(r.trial.levels["compression"], r.result) for r in store.results() if r.result]
    verdicts = [result.verdict for _, result in results]
    assert [str(v) for v in verdicts if v.state is not State.VALID and not busy(v)] == []
    sizes = {name: result.payload_bytes for name, result in results if result.counts.delivered}
    # Too small to shrink: a frame adds a magic number (4), its header (2), a block's header (3).
    assert sizes["zstd"] - sizes["none"] == pytest.approx(9)
    assert sum(result.counts.corrupt for _, result in results) == 0


def test_captured_trials_leave_their_packets_and_flows(tmp_path: Path) -> None:
    directory = tmp_path / "r"
    words = ("--size", "100B", "--protocol", "udp", "--link", "rate=1Mbit/s,rtt=10ms", "--rate", "20/s")
    done = wirelab("compare", *words, "--count", "6", "--replicates", "2", "--capture", "-o", directory)
    assert done.returncode in (0, 1, 2), done.stderr
    with RunStore.open(directory) as store:
        records = [record for record in store.results() if record.result]
    assert len(records) == 2
    for record in records:
        assert record.result is not None
        up, down = (
            sum(flow.packets for flow in record.result.flows if flow.direction == way)
            for way in ("up", "down")
        )
        capture = (directory / "packets" / f"{record.trial.id}.pcapng").read_bytes()
        assert len(list(frames(capture))) == up + down > 12
    lines = list(csv.DictReader((directory / "report-flows.csv").read_text().splitlines()))
    assert {line["host"] for line in lines} >= {"device", "server"}


def test_messages_cross_the_link_in_batches(payload: Path, tmp_path: Path) -> None:
    """Five messages as one, 50 ms apart: 160 bytes of a batch, the first waits for 200 ms."""
    directory = tmp_path / "r"
    words = ("--format", "json", "--batch", "1,5", "--protocol", "udp", "--rate", "20/s")
    done = wirelab("compare", payload, *words, "--count", "10", "--replicates", "2", "-o", directory)
    assert done.returncode in (0, 1, 2), done.stderr
    with RunStore.open(directory) as store:
        results = {r.trial.id: (r.trial.levels["batch"], r.result) for r in store.results() if r.result}
        batched = [
            store.samples(trial_id)
            for trial_id, (size, result) in results.items()
            if size == "5" and result.verdict.state is State.VALID
        ]
    verdicts = [result.verdict for _, result in results.values()]
    assert [str(v) for v in verdicts if v.state is not State.VALID and not busy(v)] == []
    sizes = {size: result.payload_bytes for size, result in results.values() if result.counts.delivered}
    # The lengths before the messages have a byte each.
    assert sizes["5"] - sizes["1"] == pytest.approx(1, abs=0.3)
    assert sum(result.counts.corrupt + result.counts.unknown for _, result in results.values()) == 0
    for columns in batched:
        assert len(columns["seq"]) == 15
        assert {len(set(columns["received"][at : at + 5].tolist())) for at in (0, 5, 10)} == {1}
        waited = (columns["planned"][4::5] - columns["planned"][0::5]) // 1_000_000
        assert waited.tolist() == [200, 200, 200]


def test_generated_messages_cross_the_link_in_batches(tmp_path: Path) -> None:
    directory = tmp_path / "r"
    words = ("--size", "20B", "--batch", "4", "--protocol", "udp", "--rate", "40/s", "--count", "8")
    done = wirelab("compare", *words, "--replicates", "1", "-o", directory)
    assert done.returncode in (0, 1, 2), done.stderr
    with RunStore.open(directory) as store:
        (record,) = store.results()
    assert record.result is not None
    assert record.result.verdict.state is State.VALID or busy(record.result.verdict)
    assert (record.result.payload_bytes, record.result.counts.sent) == (21, 8)
