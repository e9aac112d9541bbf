"""The answer of a run: its rows, and its headline."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.factories import a_payload, a_trial
from wirelab.advice.answer import answer
from wirelab.advice.thresholds import parse_thresholds
from wirelab.model.answer import LinkCheck, Record, Status
from wirelab.model.errors import BadInput
from wirelab.model.note import Note, NoteCode
from wirelab.model.reason import Reason
from wirelab.model.result import Counts, Shares, TrialResult, Usage, Wire
from wirelab.model.trial import VALID, Link, State, Verdict
from wirelab.stats.sample_join import DELIVERED, LOST

MS = 1_000_000


@dataclass
class Run:
    """A store in memory. `add` makes the replicates of one combination."""

    records: list[Record] = field(default_factory=list)
    columns: dict[str, dict] = field(default_factory=dict)
    checks: list[LinkCheck] = field(default_factory=list)

    def add(
        self, name, qos="0", link="wifi", ms=50.0, size=100, lost=0, n=100, repeats=5, verdict=VALID,
        protocol="mqtt", **more,
    ):  # fmt: skip
        for r in range(repeats):
            rng = np.random.default_rng([r, len(link)])
            own = np.random.default_rng(len(self.records))
            latency = (
                ms * MS * (1 + rng.normal(0, 0.1) + rng.normal(0, 0.05, n)) + own.normal(0, 1e4, n)
            ).astype(int)
            self._trial(f"{name}/{name}", protocol, qos, link, r, latency, size, lost, verdict, more)
        return self

    def _trial(self, codec, protocol, qos, link, r, latency, size, lost, verdict, more):
        n, levels = len(latency), {"format": codec, "protocol": protocol, "qos": qos, "link": link}
        id_ = f"{len(self.records)}-{codec}-{qos}-{link}-{r}"
        payload = a_payload(corpus="c.jsonl", schema="s.json", codec=codec, pack="p.so")
        trial = a_trial(
            id_, levels=levels, replicate=r, seed=100 + r, payload=payload, qos=qos, link=Link(link)
        )
        result = TrialResult(
            id_,
            verdict,
            carried=n,
            counts=Counts(planned=n, sent=n, delivered=n - lost, lost=lost),
            payload_bytes=size,
            shares=Shares(wire=float(latency.mean())),
            usage={"publisher": Usage(n * 1000, 0, 5_000_000)},
            wire={"device.up": Wire(l3_bytes=n * (size + 60)), "device.down": Wire(l3_bytes=n * 40)},
            **more,
        )
        outcome = np.where(np.arange(n) < lost, LOST, DELIVERED)
        planned = 1 + np.arange(n) * 200 * MS
        self.columns[id_] = {
            "planned": planned,
            "received": planned + latency - 1000,
            "decoded": planned + latency,
            "outcome": outcome,
            "warmup": np.zeros(n, bool),
        }
        self.records.append(Record(trial, "done", 1, result))

    def results(self):
        return self.records

    def samples(self, trial_id):
        return self.columns[trial_id]

    def codecs(self):
        return []

    def link_checks(self):
        return self.checks

    def notes(self):
        return ["governor is powersave"]

    def meta(self):
        return {"seed": 7}


def rows(found):
    return [(row.rank, row.label, row.tied, row.status.value) for row in found.rankings[0].rows]


def test_the_fastest_that_passes_the_thresholds_is_named_with_the_next():
    run = Run().add("json", ms=80, size=900).add("avro", ms=40, size=100)
    found = answer(run, parse_thresholds(["loss=0", "p99<1s"]))
    assert rows(found) == [(1, "avro/avro", False, "pass"), (2, "json/json", False, "pass")]
    assert found.headline.startswith(
        "Use avro/avro: it passes loss=0 and p99<1s with median latency 39.8 ms ["
    )
    assert "; next is json/json with 79.5 ms" in found.headline
    assert found.status is Status.PASS
    assert found.rankings[0].context == {}
    assert found.warnings == ("governor is powersave",)


def test_a_tie_in_latency_is_decided_by_bytes_with_a_note():
    run = Run().add("protobuf", size=120).add("avro", size=100)
    found = answer(run)
    assert rows(found) == [(1, "avro/avro", True, "pass"), (2, "protobuf/protobuf", True, "pass")]
    assert found.headline.endswith(
        "; it ties with protobuf/protobuf: the difference in median latency is not significant, "
        "so payload per message decides (100 B against 120 B)."
    )


def test_a_tie_that_no_objective_breaks_is_reported():
    found = answer(Run().add("avro", qos="0").add("avro", qos="1"))
    assert rows(found) == [(1, "qos 0", True, "pass"), (1, "qos 1", True, "pass")]
    assert found.headline.endswith(
        "; it ties with qos 1: the difference in median latency or payload per message is not significant."
    )


def test_a_faster_row_that_loses_messages_ranks_behind_one_that_does_not():
    run = Run().add("json", qos="0", ms=20, lost=3).add("json", qos="1", ms=60)
    found = answer(run, parse_thresholds(["loss=0"]))
    assert rows(found) == [(1, "qos 1", False, "pass"), (2, "qos 0", False, "fail")]
    assert found.rankings[0].rows[1].counts.lost == 15


def test_losses_without_a_threshold_are_in_the_headline():
    assert "; it loses 3.00 % of the messages" in answer(Run().add("json", lost=3)).headline


def test_the_backlog_of_an_overloaded_row_is_no_loss_and_the_carried_rate_is_named():
    run = Run().add("json", ms=50, lost=70, overloaded=True, elapsed_ns=20_000 * MS).add("xml", ms=400)
    found = answer(run, parse_thresholds(["loss=0"]))
    best, overloaded = found.rankings[0].rows
    assert (best.label, best.status, best.overloaded) == ("xml/xml", Status.PASS, 0)
    assert (overloaded.status, overloaded.overloaded) == (Status.FAIL, 5)
    assert "loss" not in overloaded.estimates
    assert [(r.threshold, r.status, r.evidence) for r in overloaded.thresholds] == [
        ("offered rate", Status.FAIL, "carries 1.50/s of 5.00/s"),
        ("loss=0", Status.INCONCLUSIVE, "not measured"),
    ]


def test_a_row_that_is_overloaded_in_some_trials_is_inconclusive():
    run = Run().add("json", repeats=3).add("json", repeats=2, overloaded=True, elapsed_ns=50_000 * MS)
    (row,) = answer(run).rankings[0].rows
    assert row.thresholds[0].evidence == "carries 2.00/s of 5.00/s; overloaded in 2 of 5 trials"
    assert row.status is Status.INCONCLUSIVE


def test_a_row_whose_server_stalled_says_so_instead_of_a_rate():
    stalled = (Note(NoteCode.STALLED, {"late": 7, "planned": 30, "wait": 10e9}),)
    run = Run().add("json", repeats=3).add("json", repeats=2, overloaded=True, notes=stalled)
    (row,) = answer(run).rankings[0].rows
    assert row.thresholds[0].evidence == "stalled in 2 of 5 trials"
    assert row.status is Status.INCONCLUSIVE


def test_a_link_off_spec_voids_the_rows_that_rest_on_it():
    run = Run().add("json", link="wifi").add("json", link="lte")
    off = {"checks": [{"what": "rtt, median", "asked": 20e6, "measured": 25e6, "unit": "ns", "ok": False}]}
    run.checks += [LinkCheck("lte", False, off), LinkCheck("wifi", True, {"ok": True})]
    found = answer(run)
    (lte,), (wifi,) = (ranking.rows for ranking in found.rankings)
    assert (lte.status, wifi.status, found.status) == (Status.INCONCLUSIVE, Status.PASS, Status.INCONCLUSIVE)
    assert lte.thresholds[0].threshold == "link as specified"
    assert lte.thresholds[0].evidence == "rtt, median 25.0 ms instead of 20.0 ms"
    assert "but link as specified (rtt, median 25.0 ms instead of 20.0 ms) is inconclusive" in found.headline


def test_floors_stand_beside_the_ranking_unless_nothing_else_was_measured():
    run = Run().add("json", ms=50)
    found = answer(run, floors=frozenset({"tcp"}))
    assert (len(found.rankings[0].rows), found.rankings[0].floors) == (1, ())
    found = answer(run, floors=frozenset({"mqtt"}))
    assert (len(found.rankings[0].rows), found.rankings[0].floors) == (1, ())
    run.add("cbor", ms=20, protocol="tcp")
    found = answer(run, floors=frozenset({"tcp"}))
    assert [row.label for row in found.rankings[0].rows] == ["json/json mqtt"]
    assert [(row.label, row.rank) for row in found.rankings[0].floors] == [("cbor/cbor tcp", 1)]
    assert found.headline.startswith("Use json/json mqtt: it is first")
    assert [row.label for row in answer(run).rankings[0].rows] == ["cbor/cbor tcp", "json/json mqtt"]


def test_without_overload_no_threshold_is_added():
    assert answer(Run().add("json")).thresholds == ()


def test_without_a_row_that_passes_the_best_of_the_rest_is_named():
    found = answer(Run().add("json", lost=2), parse_thresholds(["loss=0"]))
    assert found.status is Status.FAIL
    assert found.headline == (
        "No combination passes loss=0; the best of the rest is json/json mqtt qos 0 with median latency "
        "49.7 ms [48.5 ms, 50.9 ms], which fails loss=0 (2.00 % [0.96 %, 3.65 %])."
    )


def test_too_few_messages_for_p99_are_inconclusive_and_the_headline_gives_the_number():
    found = answer(Run().add("json", n=30), parse_thresholds(["p99<1s"]))
    assert found.status is Status.INCONCLUSIVE
    assert "but p99<1s (" in found.headline
    assert found.headline.endswith(": a pass takes 368 messages) is inconclusive.")


def test_invalid_failed_and_skipped_trials_are_reported_and_not_averaged():
    run = Run().add("json", ms=50, repeats=3)
    run.add("json", ms=5000, repeats=5, verdict=Verdict(State.INVALID, Reason.message("link off spec")))
    run.records[:] = run.records[:3] + run.records[6:]
    run.add("avro", repeats=2, verdict=Verdict(State.SKIPPED, Reason.message("no such codec")))
    found = answer(run)
    row = found.rankings[0].rows[0]
    assert (row.tally.valid, row.tally.invalid) == (3, 2)
    assert [str(count) for count in row.tally.reasons] == ["invalid: link off spec (2 times)"]
    assert row.estimates["latency_p50"].value < 100 * MS
    assert row.counts.planned == 300
    assert [(e.label, e.tally.skipped, *map(str, e.tally.reasons)) for e in found.excluded] == [
        ("avro/avro", 2, "skipped: no such codec (2 times)")
    ]
    assert "2 of 7 trials are invalid and are not averaged in: --resume measures them again" in found.warnings


def test_each_link_is_a_context_and_the_overall_answer_is_by_the_worst_of_them():
    run = Run()
    run.add("json", link="lte,loss=10%", ms=100, size=900).add("json", link="lte,loss=2%", ms=50, size=900)
    run.add("avro", link="lte,loss=10%", ms=70).add("avro", link="lte,loss=2%", ms=60)
    found = answer(run)
    assert [r.context for r in found.rankings] == [{"link": "lte,loss=2%"}, {"link": "lte,loss=10%"}]
    assert [r.rows[0].label for r in found.rankings] == ["json/json", "avro/avro"]
    assert found.rankings[0].headline.startswith("Use json/json on lte,loss=2%: it is first with")
    assert [(c.rank, c.label) for c in found.overall] == [(1, "avro/avro"), (2, "json/json")]
    assert found.overall[0].worst["latency_p50"].value == pytest.approx(70 * MS, rel=0.2)
    assert found.headline.startswith("Use avro/avro on every link: it is first with")


def test_a_choice_has_to_pass_the_thresholds_on_every_link():
    run = Run().add("json", link="wifi").add("json", link="lte", lost=2)
    run.add("avro", link="wifi", ms=90).add("avro", link="lte", ms=90)
    found = answer(run, parse_thresholds(["loss=0"]))
    assert [(c.label, c.status.value) for c in found.overall] == [
        ("avro/avro", "pass"),
        ("json/json", "fail"),
    ]


def test_a_choice_measured_on_one_link_only_is_inconclusive():
    run = Run().add("json", link="wifi", ms=1).add("avro", link="wifi").add("avro", link="lte")
    found = answer(run)
    assert [(c.label, c.status.value) for c in found.overall] == [
        ("avro/avro", "pass"),
        ("json/json", "inconclusive"),
    ]
    assert found.overall[1].thresholds[-1].evidence == "measured in 1 of 2 contexts"


def test_bytes_on_the_wire_are_those_of_the_publishers_link_in_both_directions():
    row = answer(Run().add("json", size=100)).rankings[0].rows[0]
    assert row.estimates["wire_bytes"].value == 200
    assert row.estimates["overhead"].value == 100
    assert row.estimates["cpu"].value == 1000
    assert row.shares.wire == pytest.approx(50 * MS, rel=0.2)


def test_an_unfinished_run_warns_and_answers_from_its_finished_trials():
    run = Run().add("json")
    run.records[0] = Record(run.records[0].trial, "planned", 0)
    found = answer(run)
    assert not found.complete
    assert found.rankings[0].rows[0].tally.missing == 1
    assert "1 of 5 trials are not done: continue with --resume" in found.warnings


def test_a_run_without_a_valid_trial_says_that_nothing_could_be_measured():
    found = answer(Run().add("json", verdict=Verdict(State.FAILED, Reason.message("server died"))))
    assert found.headline == "No combination has a valid trial, so there is nothing to rank."
    assert (found.rankings, found.status) == ((), Status.FAIL)


def test_one_replicate_separates_nothing_and_the_answer_warns():
    found = answer(Run().add("json", ms=90, repeats=1).add("avro", ms=10, repeats=1))
    assert all(row.tied for row in found.rankings[0].rows)
    assert any("one valid replicate" in warning for warning in found.warnings)


def test_the_same_codec_twice_ties_in_at_least_95_of_100_answers():
    ties = 0
    for start in range(40):
        run = Run()
        run.records.extend([None] * start * 100)
        run.add("a").add("b")
        run.records = run.records[start * 100 :]
        ties += all(row.group == 1 for row in answer(run).rankings[0].rows)
    assert ties >= 38


def test_an_unknown_objective_is_refused():
    with pytest.raises(BadInput, match="did you mean latency"):
        answer(Run(), objectives=("latencie",))


def test_messages_later_than_a_limit_include_the_lost_ones():
    run = Run().add("json", ms=50, lost=3, n=100)
    found = answer(run, parse_thresholds(["late>1s<=3%", "late>1ms<50%"]), ["late>1s"])
    row = found.rankings[0].rows[0]
    assert row.estimates["late>1s"].value == pytest.approx(0.03)
    assert row.estimates["late>1s"].n == 500
    assert row.estimates["late>1ms"].value == 1
    assert [one.status.value for one in row.thresholds] == ["inconclusive", "fail"]
    assert found.headline.startswith("No combination passes late>1s<=3% and late>1ms<50%")


def test_rows_are_ranked_by_any_quantile_and_by_the_largest():
    run = Run().add("slow", ms=80).add("fast", ms=40)
    for objective in ("p97.5", "max", "p95"):
        found = answer(run, (), [objective])
        assert [row.label for row in found.rankings[0].rows] == ["fast/fast", "slow/slow"]
    assert "latency_p97.5" not in answer(run).rankings[0].rows[0].estimates
    longest = answer(run, (), ["max"]).rankings[0].rows[0].estimates["latency_max"]
    assert (longest.open_above, longest.method) == (True, "largest of 500")


def test_the_longest_gap_is_that_of_each_trial_on_average():
    row = answer(Run().add("json", lost=4)).rankings[0].rows[0]
    assert (row.estimates["gap"].value, row.estimates["gap"].unit) == (4, "messages")
    overloaded = answer(Run().add("json", lost=4, overloaded=True)).rankings[0].rows[0]
    assert "gap" not in overloaded.estimates


def test_duplicates_and_order_are_shares_of_delivered_messages():
    run = Run().add("json", n=100)
    for record in run.records:
        run.columns[record.trial.id]["duplicates"] = np.where(np.arange(100) < 2, 3, 0)
    found = answer(run, parse_thresholds(["duplicates=0", "reordered=0"])).rankings[0].rows[0]
    assert found.estimates["duplicates"].value == pytest.approx(0.02)
    assert [one.status.value for one in found.thresholds] == ["fail", "pass"]
    assert found.thresholds[1].evidence == "none of 500 out of order: below 0.74 % with 95 % confidence"
