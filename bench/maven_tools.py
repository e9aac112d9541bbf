"""Tools from Maven Central, downloaded at first use: declared in bench/NAME/pom.xml, jars in
target/NAME.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 120


def run(tool: str, main: str, *arguments: str) -> str:
    """The output of a tool's main class. Raises CalledProcessError if it fails."""
    command = ["java", "-cp", f"{_jars(tool)}/*", main, *arguments]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=LIMIT_S, check=True
    ).stdout


def _jars(tool: str) -> Path:
    jars = ROOT / "target" / tool
    if not jars.exists():
        pom = str(ROOT / "bench" / tool / "pom.xml")
        subprocess.run(["mvn", "-q", "-B", "-ntp", "-f", pom, "dependency:copy-dependencies"], check=True)
    return jars
