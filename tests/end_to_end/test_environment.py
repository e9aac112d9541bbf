"""Missing resources of the machine: one sentence, and no result is lost."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import ARGV, LIMIT_S

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.lab,
    pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare of util-linux"),
]
STUDY = ("--format", "json", "--protocol", "tcp", "--count", "100", "--rate", "50/s", "--warmup", "0", "-q")


def in_namespace(script: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script as root of its own user namespace."""
    return subprocess.run(
        ["unshare", "--user", "--map-root-user", *flags, "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def command(*arguments: str | Path) -> str:
    return shlex.join([*ARGV, *map(str, arguments)])


def test_without_namespaces_nothing_is_measured_and_the_remedy_is_named(
    payload: Path, tmp_path: Path
) -> None:
    run = command("compare", payload, *STUDY, "-o", tmp_path / "run")
    done = in_namespace(f"echo 0 > /proc/sys/user/max_user_namespaces; {run}")
    assert done.returncode == 2
    assert done.stderr.startswith("wirelab: check of link 'ideal': cannot create namespaces: ")
    assert done.stderr.endswith("raise the limit with `sysctl -w user.max_user_namespaces=10000`\n")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_doctor_says_that_namespaces_are_missing() -> None:
    done = in_namespace(f"echo 0 > /proc/sys/user/max_user_namespaces; {command('doctor')}")
    assert done.returncode == 2
    assert "cannot create namespaces" in done.stdout


# Invalid trials of a busy machine are measured again, and the count would not be that of the plan.
@pytest.mark.quiet
@pytest.mark.parametrize(
    ("size", "load"),
    [("280k", ()), ("700k", ("--count", "3000", "--rate", "max"))],
    ids=["the journal does not fit", "the samples do not fit"],
)
def test_a_full_disk_stops_the_run_and_keeps_finished_trials(
    size: str, load: tuple[str, ...], payload: Path, tmp_path: Path
) -> None:
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    run = command("compare", payload, *STUDY, *load, "--replicates", "4", "-o", disk / "run")
    resume = command("compare", "--resume", disk / "run", "-q", "--output-format", "csv")
    count = "import sys; from wirelab.store.run import RunStore; print(RunStore.open(sys.argv[1]).counts()['done'])"
    counted = shlex.join([ARGV[0], "-c", count, str(disk / "run")])
    done = in_namespace(
        f"mount -t tmpfs -o size={size} none {disk}\n"
        f"{run} > {kept}.out 2> {kept}.full; echo full $?\n"
        f"echo done $({counted})\n"
        f"mount -o remount,size=100m {disk}\n"
        f"{resume} > {kept}.csv 2> {kept}.err; echo resumed $?\n"
        f"echo done $({counted}); ls {disk}/run",
        "--mount",
    )
    lines = done.stdout.split("\n")
    full = Path(f"{kept}.full").read_text()
    assert lines[0] == "full 2", (done.stdout, done.stderr, full)
    assert full.startswith("wirelab: ")
    assert "o space left on " in full
    assert full.endswith("free some space and continue with --resume\n")
    assert full.count("\n") == 1
    assert lines[1] in ("done 0", "done 1", "done 2", "done 3")
    assert lines[3] == "done 4", (done.stdout, Path(f"{kept}.err").read_text())
    assert "work" not in lines
    assert lines[2] in ("resumed 0", "resumed 2")
    assert Path(f"{kept}.csv").read_text().splitlines()[1].startswith("json/serde_json,tcp,stream")
