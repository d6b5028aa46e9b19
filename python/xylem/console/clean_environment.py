"""The environment of processes that the console starts: what `xylem` needs to start, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

_KEPT = ("PATH", "PYTHONPATH", "LANG", "SYSTEMROOT")


def clean_environment() -> dict[str, str]:
    """Variables for a child process, which imports this very package."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    root = str(Path(__file__).parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
    return environment
