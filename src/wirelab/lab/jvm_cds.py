"""Class data sharing (JEP 350): what a JVM has loaded once it is up is kept at build time, and the next one starts from it.

A JVM loads and checks its classes for one to several seconds of CPU, which the trial beside it wants. What it does with them stays the same.
"""

from __future__ import annotations

import os
from pathlib import Path

# In the environment of a JVM that shall keep its classes when it ends. `java/wirelab-peer-java` reads it too.
KEEP = "WIRELAB_KEEP_CLASSES"


def archive(path: Path) -> tuple[str, ...]:
    """Words for java: start from the classes at `path`. Where there are none, or those of another JDK or other jars, it loads its own.

    What it keeps is put in place by `keep_classes`, whole: a JVM that finds half of it crashes.
    """
    told = f"ArchiveClassesAtExit={path}.new" if KEEP in os.environ else f"SharedArchiveFile={path}"
    # What it says of them would go to standard output, which speaks the contract.
    return "-Xlog:disable", "-Xlog:all=error:stderr", f"-XX:{told}"
