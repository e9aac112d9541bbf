"""The run directory keeps all results through crashes."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.factories import a_payload, a_trial
from wirelab.model.answer import CodecRow, LinkCheck
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.codec_result import Allocated, ExtraMetrics
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.estimate import Estimate
from wirelab.model.note import Note
from wirelab.model.reason import Reason
from wirelab.model.result import Counts, TrialResult
from wirelab.model.study import Study
from wirelab.model.trial import Link, State, Trial, Verdict
from wirelab.stats.sample_join import join
from wirelab.store.run import RunStore
from wirelab.store.sample_file import RECORD

ROOT = Path(__file__).resolve().parents[2]


def trial(name: str, replicate: int = 0) -> Trial:
    payload = a_payload(corpus="c.jsonl", schema="s.json", codec="json/serde_json", pack="pack.so")
    return a_trial(
        name,
        levels={"format": "json", "qos": "1"},
        replicate=replicate,
        seed=7,
        payload=payload,
        qos="1",
        link=Link("wifi"),
    )


def joined(count: int = 3):
    publisher, subscriber = np.zeros(count, RECORD), np.zeros(count, RECORD)
    times = 1000 + np.arange(count) * 100
    for name in ("planned", "start", "sent"):
        publisher[name] = times
    publisher["seq"] = subscriber["seq"] = np.arange(count)
    subscriber["received"], subscriber["decoded"] = times + 30, times + 40
    return join(publisher, subscriber, planned=count, messages=count)


def new_run(path: Path, *names: str) -> RunStore:
    return RunStore.create(path, {"name": "compare"}, [trial(n) for n in names], {"seed": 7})


def test_trials_come_back_in_planned_order_with_their_results(tmp_path):
    with new_run(tmp_path, "b", "a") as store:
        assert store.next_planned() == trial("b")
        assert store.begin("b") == 1
        store.finish(TrialResult("b", counts=Counts(planned=3, sent=3, delivered=3)), joined())
        assert store.next_planned() == trial("a")
    with RunStore.open(tmp_path) as store:
        assert [(r.trial.id, r.state, r.attempt) for r in store.results()] == [
            ("b", "done", 1),
            ("a", "planned", 0),
        ]
        assert store.results()[0].result.counts.delivered == 3
        assert store.samples("b")["decoded"].tolist() == [1040, 1140, 1240]
        assert store.samples("a") == {}
        assert store.meta() == {"seed": 7, "study": {"name": "compare"}}


def test_further_trials_are_planned_after_existing_ones(tmp_path):
    with new_run(tmp_path, "b", "a") as store:
        store.begin("b")
        store.finish(TrialResult("b"), joined())
        store.add([trial("d"), trial("c")])
        assert [one.id for one in store.planned()] == ["a", "d", "c"]
        with pytest.raises(ValueError, match="there already"):
            store.add([trial("e"), trial("b")])
        assert [r.trial.id for r in store.results()] == ["b", "a", "d", "c"]


def test_an_interrupted_trial_is_planned_again_and_finished_once(tmp_path):
    with new_run(tmp_path, "a", "b") as store:
        store.begin("a")
        store.finish(TrialResult("a"), joined())
        store.begin("b")
    with RunStore.open(tmp_path, write=True) as store:
        assert store.counts() == {"planned": 1, "running": 0, "done": 1}
        assert store.begin("b") == 2
        store.finish(TrialResult("b"))
        with pytest.raises(ValueError, match="done"):
            store.finish(TrialResult("b"))
        with pytest.raises(ValueError, match="not planned"):
            store.begin("b")
        assert store.next_planned() is None


def test_resuming_a_run_plans_invalid_trials_again_and_reading_does_not(tmp_path):
    with new_run(tmp_path, "a", "b", "c") as store:
        for name, state in (("a", State.VALID), ("b", State.INVALID), ("c", State.FAILED)):
            store.begin(name)
            store.finish(TrialResult(name, verdict=Verdict(state, Reason.message("so"))), joined())
    with RunStore.open(tmp_path) as store:
        assert store.counts()["done"] == 3
    with RunStore.open(tmp_path, write=True) as store:
        assert [(r.trial.id, r.state, r.result is None) for r in store.results()] == [
            ("a", "done", False),
            ("b", "planned", True),
            ("c", "done", False),
        ]
        assert store.samples("b") == {}
        assert store.begin("b") == 1
        store.finish(TrialResult("b"), joined())
    with RunStore.open(tmp_path, write=True) as store:
        assert store.counts()["done"] == 3


def test_reading_a_run_leaves_a_running_trial_running(tmp_path):
    with new_run(tmp_path, "a") as writer:
        writer.begin("a")
        with RunStore.open(tmp_path) as reader:
            assert reader.counts()["running"] == 1
            with pytest.raises(ValueError, match="open for reading only"):
                reader.begin("a")


def test_a_second_writer_is_refused_while_the_first_lives(tmp_path):
    with new_run(tmp_path, "a"), pytest.raises(BadInput, match="another wirelab is writing"):
        RunStore.open(tmp_path, write=True)
    RunStore.open(tmp_path, write=True).close()


def test_a_second_run_in_one_directory_is_refused(tmp_path):
    new_run(tmp_path, "a").close()
    with pytest.raises(BadInput, match="already holds a run"):
        new_run(tmp_path, "b")
    with RunStore.open(tmp_path) as store:
        assert store.results()[0].trial.id == "a"


def test_foreign_newer_damaged_and_absent_journals_are_refused_with_the_cause(tmp_path):
    with pytest.raises(BadInput, match="does not exist"):
        RunStore.open(tmp_path / "none")
    with pytest.raises(BadInput, match=r"holds no run\.db"):
        RunStore.open(tmp_path)
    sqlite3.connect(tmp_path / "run.db").execute("CREATE TABLE t (x)").connection.commit()
    with pytest.raises(BadInput, match="not written by wirelab"):
        RunStore.open(tmp_path)
    (tmp_path / "run.db").write_bytes(b"no database at all, but long enough to be taken for one" * 50)
    with pytest.raises(BadInput, match="cannot be read"):
        RunStore.open(tmp_path, write=True)
    (tmp_path / "run.db").unlink()
    new_run(tmp_path, "a").close()
    sqlite3.connect(tmp_path / "run.db").execute("PRAGMA user_version=1").connection.commit()
    with pytest.raises(BadInput, match="written in version 1, this is version 5"):
        RunStore.open(tmp_path)


def test_a_hostile_trial_id_stays_inside_the_samples_directory(tmp_path):
    name = "../../x/é\n.."
    with new_run(tmp_path / "run", name) as store:
        store.finish(TrialResult(name), joined())
        assert len(store.samples(name)["seq"]) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    assert len(list((tmp_path / "run" / "samples").iterdir())) == 1


def test_a_note_replaces_the_older_one_that_it_names(tmp_path):
    with new_run(tmp_path / "run", "a") as store:
        store.note("2 trials added")
        store.note("governor is powersave")
        store.note("5 trials added", instead_of="2 trials added")
        assert store.notes() == ["governor is powersave", "5 trials added"]


def test_link_checks_codecs_and_notes_come_back_as_they_went_in(tmp_path):
    size = Estimate(10.0, 9.0, 11.0, "B", 3, 30, "t", open_above=True)
    row = CodecRow(
        "json/serde_json", "json", "serde_json", "1.0", "rust", size, {"encode": size}, ("a loss",)
    )
    check = LinkCheck("wifi", True, {"rtt_ms": 5})
    with new_run(tmp_path, "a") as store:
        store.put_link_check(check)
        store.put_link_check(check)
        store.put_codecs([row])
        store.note("governor is powersave")
        store.note("governor is powersave")
        store.put_meta("seed", 8)
        assert store.link_checks() == [check]
        assert store.codecs() == [row]
        assert store.notes() == ["governor is powersave"]
        assert store.meta()["seed"] == 8


def test_extra_metrics_of_a_codec_are_read_under_their_former_key(tmp_path):
    size = Estimate(10.0, 9.0, 11.0, "B", 3, 30, "t")
    measured = ExtraMetrics(allocated=(Allocated("encode", 2.0, 64.0, 32),))
    row = CodecRow("json/serde_json", "json", "serde_json", "1.0", "rust", size, {}, extra_metrics=measured)
    with new_run(tmp_path, "a") as store:
        store.put_codecs([row])
    db = sqlite3.connect(tmp_path / "run.db")
    db.execute("UPDATE codec SET value = replace(value, '\"extra_metrics\"', '\"beyond\"')")
    db.commit()
    assert b'"beyond"' in db.execute("SELECT value FROM codec").fetchone()[0].encode()
    with RunStore.open(tmp_path) as store:
        assert store.codecs() == [row]


def test_a_verdict_and_its_reason_are_kept(tmp_path):
    verdict = Verdict(State.SKIPPED, Reason.message("udp has no qos 1"))
    with new_run(tmp_path, "a") as store:
        store.finish(TrialResult("a", verdict=verdict))
        assert store.results()[0].result.verdict == verdict


def test_a_missing_samples_file_is_reported_and_the_journal_stays_readable(tmp_path):
    with new_run(tmp_path, "a") as store:
        store.finish(TrialResult("a"), joined())
        next((tmp_path / "samples").iterdir()).write_bytes(b"PAR1")
        with pytest.raises(BadInput, match="absent or damaged"):
            store.samples("a")
        assert store.results()[0].state == "done"


@pytest.mark.parametrize("point", ["before", "between", "after"])
def test_kill_9_at_any_moment_of_finish_loses_no_done_trial_and_counts_none_twice(tmp_path, point):
    code = f"""
        import os, signal, sys
        sys.path.insert(0, {str(ROOT)!r})
        import wirelab.store.run as run
        from tests.store.test_run_store import joined, new_run, TrialResult
        die = lambda: os.kill(os.getpid(), signal.SIGKILL)
        store = new_run(__import__("pathlib").Path({str(tmp_path)!r}), "a", "b")
        store.begin("a"); store.finish(TrialResult("a"), joined())
        store.begin("b")
        write = run.write_samples
        if {point!r} == "before": die()
        if {point!r} == "between":
            def write_then_die(*args):
                write(*args); die()
            run.write_samples = write_then_die
        store.finish(TrialResult("b"), joined())
        die()
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    with RunStore.open(tmp_path, write=True) as store:
        left = [t.id for t in store.planned()]
        assert left == ([] if point == "after" else ["b"])
        for name in left:
            store.begin(name)
            store.finish(TrialResult(name), joined())
        assert [r.state for r in store.results()] == ["done", "done"]
        assert [len(store.samples(n)["seq"]) for n in ("a", "b")] == [3, 3]
    assert len(list((tmp_path / "samples").iterdir())) == 2


def test_a_full_disk_names_the_directory_and_leaves_earlier_results_intact(tmp_path):
    code = f"""
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(ROOT)!r})
        from tests.store.test_run_store import *
        store = new_run(Path({str(tmp_path)!r}) / "run", "a", "b", "c")
        store.finish(TrialResult("a"), joined())
        filler = open({str(tmp_path)!r} + "/filler", "wb", buffering=0)
        try:
            while True: filler.write(bytes(4096))
        except OSError:
            pass
        for what in (lambda: store.finish(TrialResult("b"), joined(5000)), lambda: store.begin("c")):
            try:
                what()
            except MeasurementFailed as error:
                assert {str(tmp_path)!r} in str(error) and "no space left" in str(error), error
            else:
                raise SystemExit("a full disk went unnoticed")
        filler.truncate(0)
        assert [r.state for r in store.results()] == ["done", "planned", "planned"]
        assert len(store.samples("a")["seq"]) == 3
        store.finish(TrialResult("b"), joined(5000))
        print("intact")
    """
    script = tmp_path.parent / f"{tmp_path.name}.py"
    script.write_text(textwrap.dedent(code))
    small = f"mount -t tmpfs -o size=1m tmpfs {tmp_path} && exec {sys.executable} {script}"
    as_root = "-m" if os.geteuid() == 0 else "-Urm"
    ended = subprocess.run(
        ["unshare", as_root, "sh", "-c", small], capture_output=True, text=True, check=False
    )
    assert ended.stdout == "intact\n", ended.stderr


def test_disk_full_while_samples_are_written_leaves_no_half_file(tmp_path, monkeypatch):
    with new_run(tmp_path, "a") as store:

        def fails(_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", fails)
        with pytest.raises(MeasurementFailed, match="no space left"):
            store.finish(TrialResult("a"), joined())
        monkeypatch.undo()
        assert list((tmp_path / "samples").iterdir()) == []
        assert store.counts()["done"] == 0


def of_version_2(directory: Path) -> None:
    """Rewrite a run in the format of version 2."""
    db = sqlite3.connect(directory / "run.db")
    (spec,) = db.execute("SELECT spec FROM trial").fetchone()
    text = json.loads(spec)
    text["workload"]["arrivals"] = "one-by-one,apart=10s"
    text["workload"]["topology"] = "loop"
    text["levels"] |= {
        "workload": "one-by-one,apart=10s", "topology": "loop", "library": "paho", "rate": "20%+80%",
    }  # fmt: skip
    db.execute("UPDATE trial SET spec=?, levels=?", (json.dumps(text), json.dumps(text["levels"])))
    result = {"trial_id": "a", "verdict": {"state": "failed", "reason": "no server"}, "notes": ["late"]}
    db.execute("UPDATE trial SET result=?", (json.dumps(result),))
    study = {"repeats": 3, "needs": ["loss=0"], "topology": ["loop"], "rate": ["20%+80%"], "numbers": "keep",
             "batch": ["1", "10"]}  # fmt: skip
    db.execute("UPDATE meta SET value=? WHERE key='study'", (json.dumps(study),))
    db.execute("PRAGMA user_version=2")
    db.commit()


@pytest.mark.parametrize("write", [False, True])
def test_a_run_of_the_previous_version_is_read_with_current_names(tmp_path, write):
    with new_run(tmp_path, "a") as store:
        store.begin("a")
        store.finish(TrialResult("a", verdict=Verdict(State.FAILED, Reason.message("no server"))))
    of_version_2(tmp_path)
    for _ in range(2):
        with RunStore.open(tmp_path, write=write) as store:
            record = store.results()[0]
            assert record.result.verdict == Verdict(State.FAILED, Reason.message("no server"))
            assert record.result.notes == (Note.message("late"),)
            read = record.trial
            assert read.workload.arrivals == ClosedLoop(spacing_ns=10_000_000_000)
            assert read.workload.topology == "round-trip"
            assert {name: level for name, level in read.levels.items() if name not in ("format", "qos")} == {
                "workload": "closed-loop,spacing=10s",
                "topology": "round-trip",
                "client_library": "paho",
                "utilization": "20%+80%",
            }
            assert msgspec.convert(store.meta()["study"], Study) == Study(
                replicates=3,
                thresholds=("loss=0",),
                topology=("round-trip",),
                utilization=("20%", "80%"),
                interleave=True,
                batch_size=("1", "10"),
            )
    version = sqlite3.connect(tmp_path / "run.db").execute("PRAGMA user_version").fetchone()[0]
    assert version == (5 if write else 2)


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("write", [False, True])
def test_the_warm_up_of_a_study_was_a_number(tmp_path, version, write):
    with new_run(tmp_path, "a"):
        pass
    db = sqlite3.connect(tmp_path / "run.db")
    paper = {"paper": {"parts": [{"name": "p", "study": {"warmup": 5}}]}}
    db.execute("UPDATE meta SET value='{\"warmup\": 3}' WHERE key='study'")
    db.execute("INSERT INTO meta VALUES ('paper', ?)", (json.dumps(paper),))
    db.execute(f"PRAGMA user_version={version}").connection.commit()
    with RunStore.open(tmp_path, write=write) as store:
        assert msgspec.convert(store.meta()["study"], Study) == Study(warmup="3")
        assert store.meta()["paper"]["paper"]["parts"][0]["study"] == {"warmup": "5"}
