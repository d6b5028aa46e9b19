"""A measurement in a process of its own: a module of this package says its figures in a line of JSON, or is stopped.

A process that is stopped takes with it all that it has started, a JVM for instance.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Figures = dict[str, Any]


@dataclass(frozen=True)
class Stopped:
    """The process took longer than it may."""

    seconds: float

    def __str__(self) -> str:
        return f"stopped after {self.seconds:g} seconds"


def best_of(
    repetitions: int,
    worker: str,
    arguments: Sequence[str],
    limit_seconds: float | None = None,
    budget_seconds: float = float("inf"),
) -> Figures | Stopped | str:
    """The figures with the least `cpu_seconds` of several processes; a reason in words where there are none.

    What has taken `budget_seconds` of CPU time in all is not repeated any more.
    """
    found: list[Figures] = []
    while len(found) < repetitions and sum(figures["cpu_seconds"] for figures in found) < budget_seconds:
        told = figures_of(worker, arguments, limit_seconds)
        if not isinstance(told, dict):
            return told
        found.append(told)
    return min(found, key=lambda figures: float(figures["cpu_seconds"]))


def figures_of(worker: str, arguments: Sequence[str], limit_seconds: float | None = None) -> Figures | Stopped | str:
    """The last line a worker printed, as JSON; why there is none: what it says under `missing`, or its last words."""
    ended = _ended([sys.executable, "-m", f"{__package__}.{worker}", *arguments], limit_seconds)
    if ended is None:
        assert limit_seconds is not None
        return Stopped(limit_seconds)
    code, output, errors = ended
    if code:
        said = errors.strip().splitlines()
        return said[-1] if said else f"it ended with {code}"
    figures: Figures = json.loads(output.splitlines()[-1])
    return str(figures["missing"]) if "missing" in figures else figures


def environment() -> dict[str, str]:
    """Ours, with this very package to be found in it, installed or not."""
    here = str(Path(__file__).parent.parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))}


def _ended(command: Sequence[str], limit_seconds: float | None) -> tuple[int, str, str] | None:
    """The exit code and what a process said; None where it took too long."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), start_new_session=True
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit_seconds)
        except BaseException as reason:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(reason, subprocess.TimeoutExpired):
                return None
            raise
    return process.returncode, output, errors
