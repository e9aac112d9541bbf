"""Flags of `compare` and `run` are the keys of study files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner

from wirelab.cli.commands.compare import command as compare
from wirelab.cli.commands.run import command as run
from wirelab.cli.options import grouped_command
from wirelab.cli.study_options import as_flags, study_options
from wirelab.model.errors import BadInput
from wirelab.model.study import Study, options
from wirelab.studies.toml_reader import from_table, load


def given_by(*arguments: str) -> dict[str, Any]:
    """The argument of a command that takes all flags of a study."""
    seen: dict[str, Any] = {}

    @grouped_command("any")
    @study_options()
    def command(given: dict[str, Any]) -> None:
        seen.update(given)

    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return seen


def names(command: click.Command) -> set[str]:
    return {parameter.name or "" for parameter in command.params}


def test_every_field_of_a_study_is_a_flag_of_run_and_compare() -> None:
    fields = {field.name for field in msgspec.structs.fields(Study)}
    assert set(options()) == fields
    assert fields - names(run) == {"name"}
    assert fields - names(compare) == set()


def test_only_given_flags_reach_the_study() -> None:
    assert given_by() == {}
    assert given_by("--seed", "1", "--qos", "0,1", "--qos", "con") == {"seed": 1, "qos": ["0", "1", "con"]}


def test_values_with_commas_are_given_by_repeating_the_flag() -> None:
    given = given_by("--link", "rate=2Mbit/s,rtt=80ms", "--link", "wifi", "--threshold", "loss=0")
    assert given == {"link": ["rate=2Mbit/s,rtt=80ms", "wifi"], "thresholds": ["loss=0"]}


def test_pairs_become_a_table() -> None:
    assert given_by("--option", "keep_alive_s=30", "--device-library", "mpack=/x") == {
        "options": {"keep_alive_s": "30"},
        "device_libraries": {"mpack": "/x"},
    }
    with pytest.raises(BadInput, match="--option 'keep': not NAME=VALUE; write it like --option NAME=VALUE"):
        given_by("--option", "keep")


def test_flags_made_of_keys_give_the_same_keys() -> None:
    flags = ["--narrow-floats", "--qos=0,1", "--link=a=1,b=2", "--link=wifi", "--seed=3", "--option=a=b"]
    given = given_by(*flags)
    assert given_by(*as_flags(given)) == given
    assert sorted(as_flags(given)) == sorted(flags)


@pytest.mark.parametrize("command", [run, compare])
def test_help_shows_groups_in_order_and_every_option_with_a_help(command: click.Command) -> None:
    text = CliRunner().invoke(command, ["--help"]).output
    headings = [line[:-1] for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        "Payload", "Matrix", "Load", "Network", "Statistics", "Codecs", "Device", "Run", "Output"
    ]  # fmt: skip
    assert all(
        one.help and one.help.endswith((".", "]")) for one in command.params if isinstance(one, click.Option)
    )
    assert "--need " not in text


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (["--need", "loss=0"], {"thresholds": ["loss=0"]}, "--need is now --threshold"),
        (["--repeats=3"], {"replicates": 3}, "--repeats is now --replicates"),
        (["--library", "paho"], {"client_library": ["paho"]}, "--library is now --client-library"),
        (["--peer", "./p"], {"client_program": "./p"}, "--peer is now --client-program"),
        (["--application", "echo"], {"service": "echo"}, "--application is now --service"),
        (["--cross", "2MB"], {"cross_traffic": "2MB"}, "--cross is now --cross-traffic"),
        (["--segment", "wifi"], {"shared_medium": "wifi"}, "--segment is now --shared-medium"),
        (["--single"], {"call_latency": True}, "--single is now --call-latency"),
        (
            ["--numbers", "narrow"],
            {"narrow_floats": True},
            "--numbers is now --narrow-floats, without a value",
        ),
        (["--numbers=keep"], {}, "--numbers is now --narrow-floats, without a value"),
    ],
)
def test_an_old_flag_is_accepted_with_a_note(old: list[str], new: dict[str, Any], note: str) -> None:
    with pytest.warns(FutureWarning) as notes:
        assert given_by(*old) == new
    assert [str(one.message) for one in notes] == [note]


def test_arguments_after_two_dashes_are_not_flags() -> None:
    @grouped_command("any")
    @click.argument("words", nargs=-1)
    @study_options("thresholds")
    def command(words: tuple[str, ...], given: dict[str, Any]) -> None:
        click.echo(f"{words} {given}")

    assert CliRunner().invoke(command, ["--", "--need"]).output == "('--need',) {}\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"needs": ["loss=0"]}, {"thresholds": ("loss=0",)}),
        ({"objectives": "bytes"}, {"rank_by": ("bytes",)}),
        ({"numbers": "narrow"}, {"narrow_floats": True}),
        ({"topology": ["uplink", "loop"]}, {"topology": ("one-way", "round-trip")}),
        ({"workload": "interval"}, {"workload": ("constant-rate",)}),
        ({"workload": ["one-by-one,apart=10s"]}, {"workload": ("closed-loop,spacing=10s",)}),
        ({"rate": "20%+80%"}, {"utilization": ("20%", "80%"), "interleave": True}),
        ({"rate": ["20%", "80%"]}, {"utilization": ("20%", "80%"), "interleave": False}),
    ],
)
def test_old_keys_and_values_of_a_study_file_are_read_with_a_note(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    with pytest.warns(FutureWarning, match="^s.toml: .* is now "):
        study = from_table(old, "s.toml")
    assert {key: getattr(study, key) for key in new} == new


def test_an_old_key_with_its_new_one_is_refused() -> None:
    with pytest.raises(BadInput, match="key 'repeats': 'replicates' is given too; keep 'replicates'"):
        from_table({"repeats": 1, "replicates": 2}, "s.toml")


def test_shares_and_rates_in_one_list_are_refused() -> None:
    with pytest.raises(BadInput, match="mixes rates"):
        from_table({"rate": ["20%", "5/s"]}, "s.toml")


def test_flags_win_over_the_file_and_paths_in_it_stay_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'payload = "p.json"\nseed = 1\nutilization = ["20%"]\nservice = "echo"\n'
    )
    study = load(tmp_path / "s.toml", {"seed": 2, "rate": ["9/s"]})
    assert (study.seed, study.rate, study.utilization) == (2, ("9/s",), ())
    assert (study.payload, study.service) == (str(tmp_path / "p.json"), "echo")
