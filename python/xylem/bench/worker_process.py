"""A measurement in a process of its own: a module of this package prints its figures as a line of JSON, or is stopped.

A process that is stopped takes with it all that it has started, a JVM for instance.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .process_tree import cpu_seconds

Figures = dict[str, Any]
PATIENCE = 10
"""A process may take this multiple of its CPU limit in elapsed time."""
_LOOKED_AT_SECONDS = 0.5
"""How long it may take until a process is seen to have taken its time."""


@dataclass(frozen=True)
class Limit:
    """How long a process may take."""

    seconds: float = math.inf
    of: Literal["elapsed", "cpu"] = "elapsed"
    """Elapsed time counts what else the machine does, too; CPU time is that of the process and all it has started."""

    @property
    def patience_seconds(self) -> float:
        """By the clock."""
        return self.seconds * (PATIENCE if self.of == "cpu" else 1)

    def is_over(self, process: int, elapsed_seconds: float) -> bool:
        """Whether a process has taken all its time."""
        if elapsed_seconds >= self.patience_seconds:
            return True
        return self.of == "cpu" and elapsed_seconds >= self.seconds and cpu_seconds(process) >= self.seconds


UNLIMITED = Limit()


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
    limit: Limit = UNLIMITED,
    budget_seconds: float = float("inf"),
) -> Figures | Stopped | str:
    """The figures with the least `cpu_seconds` of several processes; a reason in words where there are none.

    What has taken `budget_seconds` of CPU time in all is not repeated any more.
    """
    found: list[Figures] = []
    while len(found) < repetitions and sum(figures["cpu_seconds"] for figures in found) < budget_seconds:
        told = figures_of(worker, arguments, limit)
        if not isinstance(told, dict):
            return told
        found.append(told)
    return min(found, key=lambda figures: float(figures["cpu_seconds"]))


def figures_of(worker: str, arguments: Sequence[str], limit: Limit = UNLIMITED) -> Figures | Stopped | str:
    """The last line a worker printed, as JSON; why there is none: what it says under `missing`, or its last words."""
    ended = _ended([sys.executable, "-m", f"{__package__}.{worker}", *arguments], limit)
    if ended is None:
        return Stopped(limit.seconds)
    code, output, errors = ended
    if code:
        said = errors.strip().splitlines()
        return said[-1] if said else f"it ended with {code}"
    figures: Figures = json.loads(output.splitlines()[-1])
    return str(figures["missing"]) if "missing" in figures else figures


def _environment() -> dict[str, str]:
    """Ours, with this very package to be found in it, installed or not."""
    here = str(Path(__file__).parent.parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))}


def _ended(command: Sequence[str], limit: Limit) -> tuple[int, str, str] | None:
    """The exit code and what a process said; None where it took too long."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(),
        start_new_session=True,
    ) as process:
        try:
            said = _said(process, limit)
        except BaseException:
            _end(process)
            raise
        if said is None:
            _end(process)
            return None
    return process.returncode, *said


def _said(process: subprocess.Popen[str], limit: Limit) -> tuple[str, str] | None:
    """The output and the errors of a process; None once it has taken its time.

    The system could limit CPU time itself (setrlimit), but then measures the time of the process in ticks.
    """
    started = time.monotonic()
    while not limit.is_over(process.pid, elapsed := time.monotonic() - started):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=min(limit.patience_seconds - elapsed, _LOOKED_AT_SECONDS))
    return None


def _end(process: subprocess.Popen[str]) -> None:
    """With all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
