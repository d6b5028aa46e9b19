"""The environment of processes that the console starts: only the variables that `xylem` needs to start."""

from __future__ import annotations

import os
from pathlib import Path

_KEPT = ("PATH", "PYTHONPATH", "LANG", "SYSTEMROOT")
_KEPT_FOR_SPARK = ("HOME", "JAVA_HOME", "TMPDIR", "XDG_CACHE_HOME")


def clean_environment() -> dict[str, str]:
    """Variables for a child process, which imports this very package."""
    environment = _taken(_KEPT)
    root = str(Path(__file__).parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
    return environment


def spark_environment() -> dict[str, str]:
    """The same for a process that starts Java."""
    return clean_environment() | _taken(_KEPT_FOR_SPARK)


def _taken(names: tuple[str, ...]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}
