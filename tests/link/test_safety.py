"""Kills of any process: nothing of a lab is left, and nothing of it is visible outside."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.link.labs import Lab

pytestmark = pytest.mark.lab

LINKS = {"device": "lte-drive", "server": "ideal"}
ROOT = os.geteuid() == 0
NOBODY = 65534


def processes(marker: str) -> dict[int, str]:
    """Processes whose command line has the marker."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if marker in line:
                found[int(entry.name)] = line
    return found


def settled(condition: object, timeout_s: float = 60.0) -> bool:
    """Whether a condition comes true in time."""
    assert callable(condition)
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


def devices() -> set[str]:
    return set(os.listdir("/sys/class/net"))


def start(lab: Lab, marker: str) -> subprocess.Popen[bytes]:
    """A lab in which a server daemonises and ignores signals; returns once all of it runs."""
    script = f"trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; sleep 1000 # {marker}' & $LINK exec device -- sleep 1001 & echo up; sleep 1002"
    process = subprocess.Popen(
        lab.argv(LINKS, "sh", "-c", script), env={**os.environ, "LINK": lab.link}, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    return process


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


@pytest.mark.parametrize("victim", ["outer", "first", "command"])
def test_kill_9_of_any_process_leaves_nothing(lab: Lab, victim: str) -> None:
    marker = f"wirelab-test-{os.getpid()}-{victim}"
    before = devices()
    process = start(lab, marker)
    first = children(process.pid)[0]
    command = next(pid for pid in children(first) if b"echo up" in Path(f"/proc/{pid}/cmdline").read_bytes())
    namespace = os.readlink(f"/proc/{first}/ns/net")
    os.kill({"outer": process.pid, "first": first, "command": command}[victim], signal.SIGKILL)
    process.wait(60)
    assert settled(lambda: not processes(marker) and not Path(f"/proc/{first}").exists())
    assert devices() == before
    assert all(_namespace(pid) != namespace for pid in processes(""))
    assert not Path("/run/wirelab").exists()


def _namespace(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def test_a_hundred_labs_killed_at_random_moments_leave_nothing(
    link: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    marker = f"wirelab-test-{os.getpid()}-moment"
    moments = random.Random(7)
    lab = Lab(link, tmp_path_factory.mktemp("killed"))
    argv = lab.argv(LINKS, "sh", "-c", f"sleep 1000 # {marker}")
    before = devices()
    for _ in range(25):
        running = [subprocess.Popen(argv, stderr=subprocess.DEVNULL) for _ in range(4)]
        for process in running:
            # From before its namespaces are there until after its command runs.
            time.sleep(moments.uniform(0, 0.03))
            process.kill()
        for process in running:
            assert process.wait(60) == -signal.SIGKILL
    assert settled(lambda: not processes(marker))
    assert devices() == before
    assert not Path("/run/wirelab").exists()


def test_a_run_in_which_the_emulator_lost_frames_is_reported_as_invalid(link: str) -> None:
    flood = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); print('up', flush=True); input(); "
        "[s.sendto(b'', ('10.77.0.2', 9)) for _ in range(20000)]; print('sent', flush=True); input()"
    )
    process = subprocess.Popen(
        [link, "run", "ideal", "--", sys.executable, "-c", flood],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    # An emulator that does not get to run: its ring overflows.
    emulator = children(process.pid)[0]
    os.kill(emulator, signal.SIGSTOP)
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "sent\n"
    os.kill(emulator, signal.SIGCONT)
    _, said = process.communicate("\n", timeout=120)
    assert process.returncode == 2
    assert said.startswith("wirelab-link: the emulator itself lost ")
    assert "this measurement is invalid" in said


def test_a_lab_ends_when_its_command_does_with_the_commands_exit_code(lab: Lab) -> None:
    marker = f"wirelab-test-{os.getpid()}-left"
    done = lab.run(LINKS, f"setsid sh -c 'trap \"\" TERM HUP; sleep 1000 # {marker}' & exit 42")
    assert done.returncode == 42
    assert settled(lambda: not processes(marker))


def test_a_command_killed_by_a_signal_gives_128_and_the_signal(lab: Lab) -> None:
    assert lab.run(LINKS, "kill -TERM $$").returncode == 128 + signal.SIGTERM


def test_a_command_that_does_not_exist_is_127(lab: Lab) -> None:
    argv = lab.argv(LINKS, "/no/such/command")
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (
        127,
        "wirelab-link: /no/such/command: No such file or directory (os error 2)\n",
    )


def test_sigterm_reaches_the_command_once_and_the_accounting_is_kept(lab: Lab) -> None:
    script = "trap 'echo caught; exit 5' TERM; echo up; while :; do sleep 0.05; done"
    process = subprocess.Popen(lab.argv(LINKS, "sh", "-c", script), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 5
    assert process.stdout.read() == "caught\n"
    assert lab.accounting()["own_drops"] == 0


def test_a_signal_to_the_whole_group_reaches_the_command_once(lab: Lab) -> None:
    count = (
        "import signal,time;n=[];signal.signal(signal.SIGINT,lambda *a:n.append(a));print('up',flush=True);"
        "[time.sleep(0.002) for _ in range(400)];print(len(n))"
    )
    process = subprocess.Popen(
        lab.argv(LINKS, sys.executable, "-c", count),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.stdout.read() == "1\n"
    assert process.wait(60) == 0


def test_a_command_that_ignores_the_end_is_killed(lab: Lab) -> None:
    process = start(lab, f"wirelab-test-{os.getpid()}-stubborn")
    process.terminate()
    assert process.wait(60) == 128 + signal.SIGTERM


@pytest.mark.skipif(not ROOT, reason="only root can become somebody else")
def test_a_lab_runs_without_root(lab: Lab, tmp_path: Path) -> None:
    binary = tmp_path / "wirelab-link"
    binary.write_bytes(Path(lab.link).read_bytes())
    binary.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    tmp_path.chmod(0o777)
    argv = lab.argv(
        LINKS,
        "sh",
        "-c",
        f"id -u; cat /run/wirelab/lab.json; {binary} exec device -- ip -4 -br addr show eth0",
    )
    done = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", str(binary), *argv[1:]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"realtime":false' in done.stdout
    assert "10.77.0.1/16" in done.stdout


def test_two_labs_run_concurrently_with_the_same_addresses(
    lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Lab(lab.link, tmp_path_factory.mktemp("other"))
    script = "echo up; read line; cat /run/wirelab/lab.json"
    running = [
        subprocess.Popen(one.argv(LINKS, "sh", "-c", script), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for one in (lab, other)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
    outputs = [process.communicate(b"\n", timeout=120)[0] for process in running]
    assert all(b'"10.77.0.2"' in output for output in outputs)


@pytest.fixture
def realtime() -> None:
    """Skips where real-time scheduling is not permitted."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pytest.skip("real-time scheduling is not permitted here")
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@pytest.mark.usefixtures("realtime")
def test_real_time_scheduling_applies_to_the_emulator_and_not_to_the_command(lab: Lab) -> None:
    ask = "import os; print(os.sched_getscheduler(1) & 15, os.sched_getscheduler(0) & 15)"
    done = lab.run(LINKS, f'{sys.executable} -c "{ask}"')
    assert done.stdout.split() == [str(os.SCHED_FIFO), str(os.SCHED_OTHER)]
    assert lab.accounting()["realtime"] is True


@pytest.mark.usefixtures("realtime")
@pytest.mark.parametrize(("rate", "count"), [("10Mbit/s", 50_000), ("3Mbit/s", 14_000)])
def test_a_real_time_emulator_leaves_a_tenth_of_its_core_however_close_packets_follow(
    lab: Lab, rate: str, count: int
) -> None:
    # 78 B each: about 3 s of packets that leave 62 us apart, a wait that would be spun, or 208 us,
    # which leaves pauses.
    probe = (
        "from tests.link.udp_probe import in_host; device, server = in_host('device'), in_host('server');"
        "server.bind(('10.77.0.2', 10)); server.settimeout(30); many, last = ('10.77.0.2', 9), ('10.77.0.2', 10);"
        f"[device.sendto(bytes(50), many) for _ in range({count})]; device.sendto(bytes(50), last); server.recv(99)"
    )
    links = {"device": f"up.rate={rate},up.queue=none", "server": "ideal"}
    done = lab.run(links, f'{sys.executable} -c "{probe}"')
    assert done.returncode == 0, done.stderr
    accounting = lab.accounting()
    assert accounting["realtime"] is True
    assert accounting["cpu_ns"] < 0.91 * (accounting["now_ns"] - accounting["epoch_ns"])


def test_many_labs_set_up_at_once(link: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    labs = [Lab(link, tmp_path_factory.mktemp("lab")) for _ in range(12)]
    running = [subprocess.Popen(one.argv(LINKS, "true")) for one in labs]
    assert [process.wait(120) for process in running] == [0] * len(labs)
