"""A study becomes trials: complete, interleaved, comparable, reproducible."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.factories import a_payload
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.trial import Trial
from wirelab.studies.plan import LinkLevel, further_replicates, link_levels, link_texts, trials
from wirelab.studies.preparation import check_study

STUDY = Study(
    payload="p.json", protocol=("mqtt", "coap"), loss=("0", "5%"), link=("lte-drive",), replicates=3
)
CODECS = ("json/serde_json", "protobuf/prost")
PAYLOAD = a_payload(corpus="corpus.jsonl", schema="schema.toml", codec="", pack="pack.so")


def plan(study: Study = STUDY) -> list[Trial]:
    return trials(study, CODECS, PAYLOAD)


def test_every_combination_appears_once_in_every_replicate() -> None:
    seen = Counter((t.replicate, *t.levels.values()) for t in plan())
    assert len(seen) == 3 * 2 * (3 + 2) * 2
    assert set(seen.values()) == {1}


def test_replicates_run_one_after_the_other_and_are_shuffled_within() -> None:
    found = plan()
    assert [t.replicate for t in found] == sorted(t.replicate for t in found)
    first, second = ([tuple(t.levels.values()) for t in found if t.replicate == r] for r in (0, 1))
    assert first != second
    assert sorted(first) == sorted(second)


def test_all_trials_of_a_replicate_meet_the_same_link_and_replicates_meet_others() -> None:
    seeds = {(t.replicate, t.seed, t.link.trace_offset_s) for t in plan()}
    assert len(seeds) == 3


def test_the_same_seed_gives_the_same_plan_and_another_seed_another_order() -> None:
    assert plan() == plan()
    assert [t.id for t in plan(replace(STUDY, seed=2))] != [t.id for t in plan()]


def test_offsets_are_drawn_over_ten_minutes_or_over_a_longer_recording(tmp_path: Path) -> None:
    long = tmp_path / "long.csv"
    long.write_text("time_s,bits_per_s\n" + "".join(f"{second},2000000\n" for second in range(1200)))
    found = [
        {t.replicate: t.link.trace_offset_s for t in plan(replace(STUDY, link=(link,), loss=()))}
        for link in ("lte-drive", str(long))
    ]
    assert found[0] == {0: 508.46, 1: 76.521, 2: 367.424}
    assert found[1] == {r: pytest.approx(2 * offset, abs=0.002) for r, offset in found[0].items()}


def test_a_spread_closed_loop_covers_the_whole_trace(tmp_path: Path) -> None:
    short = tmp_path / "short.csv"
    short.write_text("time_s,bits_per_s\n" + "".join(f"{second},2000000\n" for second in range(60)))
    spacing = {
        t.levels["link"]: t.workload.arrivals.spacing_ns
        for t in plan(
            replace(STUDY, link=("lte-drive", str(short)), loss=(), workload=("closed-loop,spread",))
        )
    }
    assert spacing == {"lte-drive": 20_000_000_000, str(short): 2_000_000_000}  # 30 messages


def test_further_replicates_are_those_of_a_longer_study() -> None:
    longer = {t.id: t for t in plan(replace(STUDY, replicates=6))}
    first, second = plan()[:2]
    found = further_replicates(STUDY, [(first, 3, 6), (second, 4, 5)])
    assert [t.replicate for t in found] == [3, 4, 4, 5]
    assert found == [longer[t.id] for t in found]
    assert {t.id for t in found}.isdisjoint(t.id for t in plan())


def test_loss_is_added_to_every_link() -> None:
    assert link_texts(STUDY) == ["lte-drive", "lte-drive,loss=5%"]


def test_a_link_text_is_known_with_the_link_and_the_loss_it_is_made_of() -> None:
    assert link_levels(replace(STUDY, link=("wifi,rate=1Mbit/s",), loss_on="up")) == [
        LinkLevel("wifi,rate=1Mbit/s", "wifi,rate=1Mbit/s", "0"),
        LinkLevel("wifi,rate=1Mbit/s,up.loss=5%", "wifi,rate=1Mbit/s", "5%"),
    ]


def test_a_qos_belongs_to_the_protocols_that_have_it() -> None:
    found = plan(replace(STUDY, qos=("1", "con")))
    assert {(t.protocol, t.qos) for t in found} == {("mqtt", "1"), ("coap", "con")}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"protocol": ("mqqt",)}, "did you mean mqtt"),
        ({"qos": ("3",)}, "qos '3'"),
        ({"server": ("mosquito",)}, "did you mean mosquitto"),
        ({"loss": ("lots",)}, "fraction 'lots'"),
        ({"rate": ("5",)}, "rate '5'"),
        ({"topology": ("ring",)}, "topology 'ring'"),
        ({"count": "", "duration": ""}, "neither count nor duration"),
        ({"count": "0"}, "less than one message"),
        ({"replicates": 0}, "less than one"),
    ],
)
def test_a_study_that_cannot_be_planned_is_refused_by_name(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        plan(replace(STUDY, **change))


@pytest.mark.parametrize(
    ("thresholds", "count"), [((), 30), (("loss=0",), 30), (("p99<1s",), 123), (("p90<1s",), 30)]
)
def test_as_many_messages_are_planned_as_a_need_on_a_percentile_takes(
    thresholds: tuple[str, ...], count: int
) -> None:
    assert plan(replace(STUDY, thresholds=thresholds))[0].workload.count == count


def test_a_duration_alone_bounds_a_trial() -> None:
    workload = plan(replace(STUDY, duration="5s"))[0].workload
    assert (workload.count, workload.duration_ns) == (None, 5_000_000_000)


def test_one_server_among_several_is_a_level_and_the_default_is_not() -> None:
    assert "server" not in plan()[0].levels
    chosen = plan(replace(STUDY, protocol=("mqtt",), server=("mosquitto",)))
    assert chosen[0].levels["server"] == "mosquitto"


def test_a_transport_is_a_level_where_it_is_not_the_default() -> None:
    found = plan(replace(STUDY, protocol=("mqtt", "coap"), transport=("default", "tls")))
    assert {(t.protocol, t.transport, t.levels["transport"]) for t in found} == {
        ("mqtt", "tcp", "tcp"),
        ("mqtt", "tls", "tls"),
        ("coap", "", ""),
    }
    assert "transport" not in plan()[0].levels


def test_a_library_that_no_protocol_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        BadInput, match="client_library 'rumqtc': none of mqtt has a peer on it; did you mean rumqttc"
    ):
        plan(replace(STUDY, protocol=("mqtt",), client_library=("rumqtc",)))


def test_compression_is_a_factor_only_where_it_has_several_levels() -> None:
    several = plan(replace(STUDY, compression=("none", "zstd")))
    assert Counter(trial.levels["compression"] for trial in several) == {
        "none": len(several) // 2,
        "zstd": len(several) // 2,
    }
    assert "compression" not in plan(replace(STUDY, compression=("zstd",)))[0].levels


@pytest.mark.parametrize(
    ("study", "complaint"),
    [
        (replace(STUDY, compression=("brotli",)), "compression 'brotli': unknown"),
        (
            Study(size=("100B",), protocol=("udp",), compression=("zstd",)),
            "compression: these messages are sent as they are, without encoding",
        ),
    ],
)
def test_a_compression_that_cannot_be_is_refused(study: Study, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        check_study(study)
