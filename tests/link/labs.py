"""Labs around commands, for the tests of the emulator."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.noise_retry import undisturbed

# It catches what hangs.
TIMEOUT_S = 300.0


class Lab:
    """Writes specifications and runs commands in the labs they describe."""

    def __init__(self, link: str, folder: Path) -> None:
        self.link, self.folder = link, folder
        self.accounting_file = folder / "link.json"
        self.packets_file = folder / "packets.bin"
        self.pcap_file: Path | None = None
        self.segment: str | None = None

    def argv(self, links: dict[str, str], *command: str, seed: int = 1) -> list[str]:
        """The command line of a lab with a host per link."""
        spec = self.folder / "lab.json"
        hosts = [{"name": name, "link": text} for name, text in links.items()]
        files = {"accounting": str(self.accounting_file), "packets": str(self.packets_file)}
        if self.pcap_file is not None:
            files["pcap"] = str(self.pcap_file)
        shared = {} if self.segment is None else {"segment": self.segment}
        spec.write_text(json.dumps({"seed": seed, "hosts": hosts, **shared, **files}))
        return [self.link, "lab", str(spec), "--", *command]

    def run(self, links: dict[str, str], script: str, seed: int = 1) -> subprocess.CompletedProcess[str]:
        """Run a shell script in a lab; $LINK is the emulator's binary.

        It runs again where the emulator itself lost frames.
        """
        argv = self.argv(links, "sh", "-c", script, seed=seed)
        environment = {**os.environ, "LINK": self.link}

        def attempt(_: int) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                argv, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
            )

        def lost(_: object) -> str:
            own = self.accounting()["own_drops"] if self.accounting_file.exists() else 0
            return f"the emulator itself lost {own} frames" if own else ""

        return undisturbed(attempt, lost)

    def accounting(self) -> dict[str, Any]:
        """The counters the last lab left."""
        counters: dict[str, Any] = json.loads(self.accounting_file.read_text())
        return counters


def disturbed(check: subprocess.CompletedProcess[str]) -> str:
    """What of a check of a link, in JSON, says that the emulator did not get to run in time."""
    rows = {row["what"]: row for row in json.loads(check.stdout)["checks"]}
    return "" if rows["own lateness p99"]["ok"] and rows["own drops"]["ok"] else str(rows["own lateness p99"])


def bits_per_second(said: str) -> float:
    """The receiver's figures in iperf3's JSON."""
    return float(json.loads(said)["end"]["sum_received"]["bits_per_second"])


def slow(said: str, least: float) -> str:
    """What of iperf3 says that TCP did not get to run in time; the link's capacity does not depend
    on it.
    """
    got = bits_per_second(said)
    return "" if got > least else f"{got / 1e6:.1f} Mbit/s"
