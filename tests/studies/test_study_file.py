"""Study files: parts, the effect of --quick and spacings, and unknown names with the nearest one."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.model.trial import Trial
from wirelab.studies import registry, run_parts, study_file
from wirelab.studies.expression import instances
from wirelab.studies.results import check_claims, place

PLAIN = """
name = "small"
size = "10B"
protocol = ["mqtt", "coap"]
qos = ["0", "con"]
count = 20
replicates = 5

[quick]
replicates = 2

[spacing.published]
rate = "0.1/s"

[[part]]
name = "lossy"
loss = [0, "5%"]
quick = { loss = ["5%"] }

[[part]]
name = "best"
count = 7

[[claim]]
text = "CON is slower"
published = "twice"
locator = "Fig. 1"
tests = ["lossy.coap-con.*.mean > lossy.mqtt-0.*.mean"]
display = ["best.mqtt-0.mean"]
"""


def write(folder: Path, text: str = PLAIN) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


def read_and_check(path: Path) -> None:
    found = study_file.read(path)
    check_claims(found, run_parts.sketch(found))


def names(found: study_file.Paper, planned: list[Trial]) -> set[str]:
    studies = {part.name: part.study for part in found.parts}
    return {place(trial, studies[trial.levels["part"]]).name for trial in planned}


def test_parts_take_the_files_values_and_put_their_own_in_place(tmp_path: Path) -> None:
    lossy, best = study_file.read(write(tmp_path)).parts
    assert (lossy.study.loss, lossy.study.count, lossy.study.replicates) == (("0", "5%"), "20", 5)
    assert (best.study.loss, best.study.count) == ((), "7")


def test_quick_and_a_spacing_override_the_file(tmp_path: Path) -> None:
    lossy, best = study_file.read(write(tmp_path), quick=True, spacing="published").parts
    assert (lossy.study.loss, lossy.study.replicates, lossy.study.rate) == (("5%",), 2, ("0.1/s",))
    assert best.study.replicates == 2


def test_a_part_that_is_not_quick_is_left_out_of_a_quick_run_with_its_figures(tmp_path: Path) -> None:
    figures = "".join(
        f'[[figure]]\ntitle = "{part}"\npart = "{part}"\nmetric = "mean"\nx_axis = "loss"\n'
        for part in ("lossy", "best")
    )
    path = write(tmp_path, PLAIN.replace('quick = { loss = ["5%"] }', "quick = false") + figures)
    whole, looked = (study_file.read(path, quick) for quick in (False, True))
    assert [part.name for part in whole.parts] == [chart.part for chart in whole.charts] == ["lossy", "best"]
    assert [part.name for part in looked.parts] == [chart.part for chart in looked.charts] == ["best"]


def test_a_quick_run_without_any_part_is_refused(tmp_path: Path) -> None:
    only = (
        PLAIN.split("[[part]]", maxsplit=1)[0] + '[[part]]\nname = "best"\nlink = ["ideal"]\nquick = false\n'
    )
    path = write(tmp_path, only)
    assert [part.name for part in study_file.read(path).parts] == ["best"]
    with pytest.raises(BadInput) as refused:
        study_file.read(path, quick=True)
    why = "a quick look leaves all of them out; run it without --quick"
    assert refused.value.sentence == f"study file {path}: part: {why}"


def test_a_claim_that_a_quick_run_cannot_test_has_a_note_only_there(tmp_path: Path) -> None:
    path = write(tmp_path, PLAIN + 'quick = { tests = [], reason = "too short" }\n')
    whole, looked = (study_file.read(path, quick).claims[0] for quick in (False, True))
    assert (whole.tests, whole.reason) == (["lossy.coap-con.*.mean > lossy.mqtt-0.*.mean"], "")
    assert (looked.tests, looked.reason) == ([], "too short")
    assert (looked.text, looked.display) == (whole.text, whole.display)


def test_figures_are_named_by_part_delivery_and_level(tmp_path: Path) -> None:
    found = study_file.read(write(tmp_path))
    assert names(found, run_parts.sketch(found)) == {
        "lossy.mqtt-0.0", "lossy.mqtt-0.5", "lossy.coap-con.0", "lossy.coap-con.5", "best.mqtt-0", "best.coap-con"
    }  # fmt: skip


def test_parts_share_their_replicates_and_no_trial_comes_twice(tmp_path: Path) -> None:
    planned = run_parts.sketch(study_file.read(write(tmp_path)))
    assert len({trial.id for trial in planned}) == len(planned) == 6 * 5


def test_replicates_of_all_parts_meet_the_same_draws_however_many_combinations_a_part_has(
    tmp_path: Path,
) -> None:
    planned = run_parts.sketch(study_file.read(write(tmp_path)))
    draws = {(trial.replicate, trial.seed, trial.link.trace_offset_s) for trial in planned}
    assert {trial.levels["part"] for trial in planned} == {"lossy", "best"}
    assert len(draws) == len({seed for _, seed, _ in draws}) == 5


def test_trials_that_may_wait_long_come_last_and_together(tmp_path: Path) -> None:
    planned = run_parts.sketch(study_file.read(write(tmp_path)))
    patient = [trial.qos == "con" and "loss=" in trial.link.text for trial in planned]
    assert patient == sorted(patient)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "best"', 'name = "lossy"', "name of its own"),
        ("count = 7", "cuont = 7", "did you mean count"),
        ('locator = "Fig. 1"', 'locatro = "Fig. 1"', "did you mean locator"),
        ('published = "twice"', "published = 2", "published"),
        ('loss = [0, "5%"]', 'loss = [0, "lots"]', "fraction 'lots'"),
        ('size = "10B"', 'siez = "10B"', "did you mean size"),
        ('qos = ["0", "con"]', 'qos = ["0", "conn"]', "did you mean con"),
        ('size = "10B"', 'size = "10B"\ntime_budget = 20', "time_budget = 20: is not a duration"),
        ('size = "10B"', 'size = "10B"\nwithin = "20"', "duration '20'"),
        ('[[part]]\nname = "best"', '[[parts]]\nname = "best"', "did you mean part|unknown"),
        ("lossy.coap-con.*.mean >", "lossy.coap-non.5.mean >", "did you mean lossy.coap-con.5"),
        ("lossy.coap-con.*.mean >", "lossy.coap-con.5.meen >", "did you mean mean"),
        ("lossy.coap-con.*.mean > lossy.mqtt-0.*.mean", "lossy.coap-con.5.mean", "is not a comparison"),
        ("lossy.coap-con.*.mean >", "fast >", "neither a number nor a figure"),
        ('tests = ["lossy.coap-con.*.mean > lossy.mqtt-0.*.mean"]', "", "neither tests nor a reason"),
        ('locator = "Fig. 1"', "quick = { tets = [] }", "did you mean tests"),
        ('locator = "Fig. 1"', "quick = 3", "quick: is not a table"),
        ('quick = { loss = ["5%"] }', "quick = 3", "part lossy: quick: is not a table"),
        ('quick = { loss = ["5%"] }', "quick = true", "part lossy: quick: is not a table"),
    ],
)
def test_a_wrong_name_is_refused_with_the_nearest(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    assert old in PLAIN
    path = write(tmp_path, PLAIN.replace(old, new))
    with pytest.raises(BadInput, match=complaint):
        read_and_check(path)


def test_a_protocol_without_its_server_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(name: str, protocol: str) -> None:
        if protocol == "coap":
            raise BadInput("coapd", "not found", "apt install coapd")

    monkeypatch.setattr(run_parts.servers, "check", check)
    monkeypatch.setattr(run_parts, "check_study", lambda study: study)
    monkeypatch.setattr(run_parts, "find", lambda name: name)
    found = run_parts.available(study_file.read(write(tmp_path)))
    assert found.lacking == {"coap": "coapd: not found; apt install coapd"}
    assert found.paper.parts[0].study.protocol == ("mqtt",)
    assert found.paper.parts[0].study.qos == ("0",)


def test_options_of_a_protocol_that_is_left_out_go_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(name: str, protocol: str) -> None:
        if protocol == "coap":
            raise BadInput("coapd", "not found", "apt install coapd")

    monkeypatch.setattr(run_parts.servers, "check", check)
    monkeypatch.setattr(run_parts, "check_study", lambda study: study)
    monkeypatch.setattr(run_parts, "find", lambda name: name)
    monkeypatch.setattr(run_parts, "ask_peer", lambda _: {"connection": "kept"})
    text = PLAIN.replace("count = 20", 'count = 20\noptions = { connection = "each", nstart = "8" }')
    found = run_parts.available(study_file.read(write(tmp_path, text)))
    assert found.paper.parts[0].study.options == {"connection": "each"}


def test_an_unknown_protocol_is_refused(tmp_path: Path) -> None:
    text = PLAIN.replace('protocol = ["mqtt", "coap"]', 'protocol = ["mqtt", "smoke"]')
    with pytest.raises(BadInput, match="protocol 'smoke'"):
        run_parts.available(study_file.read(write(tmp_path, text)))


def test_an_unknown_spacing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="did you mean published"):
        study_file.read(write(tmp_path), spacing="publish")


def test_the_same_braces_match_the_same_word() -> None:
    assert instances("m.{a,b}.time < n.{a,b}.time", []) == ["m.a.time < n.a.time", "m.b.time < n.b.time"]


def test_every_shipped_study_is_valid_and_its_claims_name_measured_figures() -> None:
    studies = [registry.load(name) for name in registry.registered()]
    assert len(studies) >= 7
    for path in [study.study for study in studies if study.instrument is None]:
        whole = study_file.read(path)
        planned = run_parts.sketch(whole)
        for quick in (False, True):
            found = study_file.read(path, quick)
            assert run_parts.sketch(found)
            check_claims(replace(whole, claims=found.claims), planned)


@pytest.mark.parametrize("name", ["maltsev2024", "friesel2021", "proos2020-serialization"])
def test_a_study_without_links_is_refused_with_the_command_that_runs_it(name: str) -> None:
    with pytest.raises(BadInput, match=f"no links and protocols; run it with: wirelab reproduce {name}"):
        study_file.read(registry.load(name).study)


FORMER = """
name = "small"
asked = "Which?"
size = "10B"
protocol = "mqtt"
within = "20min"

[quick]
within = "2min"

[pace.paper]
rate = "0.1/s"

[[part]]
name = "lossy"
loss = [0, "5%"]

[[stand_in]]
wanted = "a lorry"
here = "a file"
why = "no lorry"

[[figure]]
title = "Losses"
part = "lossy"
metric = "mean"
over = "loss"
beside = "sd"
where = "Fig. 2"
marks = [{ low = "1ms" }]

[[claim]]
text = "It is slow"
published = "slow"
where = "Fig. 1"
tests = ["lossy.mqtt-0.5.mean > 1s"]
show = ["lossy.mqtt-0.5.mean"]
quick = { tests = [], why = "too short" }
"""


def test_a_file_with_former_keys_reads_the_same_with_notes(tmp_path: Path) -> None:
    path = write(tmp_path, FORMER)
    with pytest.warns(FutureWarning) as notes:
        found, looked = study_file.read(path, spacing="paper"), study_file.read(path, quick=True)
    assert (found.question, found.time_budget_s, looked.time_budget_s) == ("Which?", 1200, 120)
    assert found.parts[0].study.rate == ("0.1/s",)
    assert found.deviations == (study_file.Deviation("a lorry", "a file", "no lorry"),)
    (chart,), (claim,) = found.charts, found.claims
    assert (chart.x_axis, chart.second_metric, chart.locator) == ("loss", "sd", "Fig. 2")
    assert chart.annotations == [study_file.Annotation("1ms")]
    assert (claim.locator, claim.display, looked.claims[0].reason) == (
        "Fig. 1", ["lossy.mqtt-0.5.mean"], "too short"
    )  # fmt: skip
    assert dict.fromkeys(
        str(one.message).removeprefix(f"study file {path}") for one in notes
    ) == dict.fromkeys(
        [
            ": key 'asked' is now 'question'",
            ": key 'within' is now 'time_budget'",
            ": key 'pace' is now 'spacing'",
            ": key 'stand_in' is now 'deviation'",
            ", deviation: key 'wanted' is now 'published'",
            ", deviation: key 'here' is now 'used'",
            ", deviation: key 'why' is now 'reason'",
            ", figure: key 'over' is now 'x_axis'",
            ", figure: key 'beside' is now 'second_metric'",
            ", figure: key 'where' is now 'locator'",
            ", figure: key 'marks' is now 'annotations'",
            ", claim: key 'where' is now 'locator'",
            ", claim: key 'show' is now 'display'",
            ", claim: key 'why' is now 'reason'",
        ]
    )


def test_a_part_with_a_rate_keeps_it_in_a_quick_run_of_utilization_levels(tmp_path: Path) -> None:
    head = 'name = "x"\nsize = "10B"\nprotocol = "mqtt"\nservice = "echo"\nutilization = ["20%", "40%"]\n'
    quick = '[quick]\nutilization = "80%"\n'
    parts = '[[part]]\nname = "idle"\nrate = "9/s"\nquick = { rate = "3/s" }\n[[part]]\nname = "busy"\n'
    idle, busy = study_file.read(write(tmp_path, head + quick + parts), quick=True).parts
    assert (idle.study.rate, idle.study.utilization) == (("3/s",), ())
    assert busy.study.utilization == ("80%",)
