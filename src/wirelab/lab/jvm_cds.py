"""Class data sharing (JEP 350): a JVM starts from an archive of loaded classes made at build time.

Without an archive, a JVM loads and verifies its classes for one to several seconds of CPU time,
which disturbs concurrent trials. The archive does not change its behaviour.
"""

from __future__ import annotations

import os
from pathlib import Path

# The environment variable that makes a JVM write an archive when it ends. `java/wirelab-peer-java`
# reads it too.
KEEP = "WIRELAB_KEEP_CLASSES"


def archive(path: Path) -> tuple[str, ...]:
    """Arguments for java to use the archive at `path`.

    Without an archive, or with one of another JDK or other jars, it loads its classes itself.
    `cds_archive` installs the archive by a rename: a JVM that reads a partial one crashes.
    """
    told = f"ArchiveClassesAtExit={path}.new" if KEEP in os.environ else f"SharedArchiveFile={path}"
    # JVM logging must not go to stdout: it carries the peer protocol.
    return "-Xlog:disable", "-Xlog:all=error:stderr", f"-XX:{told}"
