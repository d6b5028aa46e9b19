"""Makes Python processes started by Spark use the installed, compiled PySpark instead of the uncompiled archive.

Spark puts `pyspark.zip` first on the path of its Python processes. Python keeps nothing compiled for an archive, so
each of them would compile PySpark again, a second of CPU; a continuous query starts a dozen before its first answer.
If the archive is inside a PySpark that is on the path itself, both are the same, and the archive is left out.
"""

from __future__ import annotations

import sys
from os.path import dirname, join

ARCHIVE = join("pyspark", "python", "lib", "pyspark.zip")


def without_archives(path: list[str]) -> list[str]:
    """A path without the archives of a PySpark (and of Py4J, which it requires) that is installed on it."""
    spared = set()
    for entry in path:
        if entry.endswith(ARCHIVE) and entry.removesuffix(ARCHIVE).rstrip("/\\") in path:
            spared.add(dirname(entry))
    return [entry for entry in path if dirname(entry) not in spared]


def _hidden_one() -> None:
    """Run the `sitecustomize` that this one hides, if there is any."""
    own = sys.modules.pop(__name__)
    try:
        __import__(__name__)
    except ImportError as missing:
        if missing.name != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, own)


if __name__ == "sitecustomize":
    sys.path[:] = [entry for entry in without_archives(sys.path) if entry != dirname(__file__)]
    _hidden_one()
