"""A soak: `xylem stream` with windows by key and in order, fed as fast as it reads, watched from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .process_memory import resident_bytes
from .soak_feed import QUERIES, SoakFeed

SAMPLE_SECONDS = 1.0
START_SECONDS = 300.0


@dataclass(frozen=True)
class MemorySample:
    """Memory at a moment, in bytes."""

    seconds: float
    driver: int
    jvm: int
    workers: int


@dataclass
class Soak:
    """What was seen. Moments are in seconds since the first batch."""

    minutes: float
    memory: list[MemorySample] = field(default_factory=list)
    batches: list[dict[str, Any]] = field(default_factory=list)
    """The metrics of each batch, with `seconds_since`."""


def soak(folder: Path, minutes: float, master: str, tell: Callable[[str], None]) -> Soak:
    """Run it for so long; all files are below the folder."""
    metrics = folder / "metrics.jsonl"
    feed = SoakFeed(folder / "in", metrics)
    process = _started(folder, metrics, master)
    feed.start()
    try:
        began = _first_batch(process, metrics, folder)
        result = Soak(minutes)
        while (now := time.time() - began) < minutes * 60:
            if process.poll() is not None:
                raise RuntimeError(f"ended by itself: {(folder / 'log').read_text()[-2000:]}")
            memory = resident_bytes(process.pid)
            result.memory.append(MemorySample(now, memory["driver"], memory["JVM"], memory["workers"]))
            tell(f"{now:,.0f} of {minutes * 60:,.0f} s, {sum(memory.values()) / 1e6:,.0f} MB")
            time.sleep(SAMPLE_SECONDS)
    finally:
        feed.stop()
        _stop(process)
    for line in metrics.read_text(encoding="utf-8").splitlines():
        batch = json.loads(line)
        result.batches.append(batch | {"seconds_since": batch["time"] - began})
    return result


def _started(folder: Path, metrics: Path, master: str) -> subprocess.Popen[bytes]:
    files = []
    for name, text in QUERIES.items():
        place = folder / f"{name}.xq"
        place.write_text(text, encoding="utf-8")
        files.append(str(place))
    command = [sys.executable, "-m", "xylem", "stream", *files, "--input", f"dir:{folder}/in"]
    command += ["--output", f"dir:{folder}/out", "--checkpoint", f"{folder}/state", "--metrics", str(metrics)]
    command += ["--trigger", "200ms", "--batch-size", "4MB", "--conf", f"spark.master={master}"]
    # What the JVM takes for itself has a bound of its own.
    command += ["--conf", "spark.driver.memory=1g"]
    with (folder / "log").open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)


def _first_batch(process: subprocess.Popen[bytes], metrics: Path, folder: Path) -> float:
    """Wait for it; when it was done."""
    deadline = time.monotonic() + START_SECONDS
    while not metrics.exists() or not metrics.read_text().endswith("\n"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"did not start: {(folder / 'log').read_text()[-2000:]}")
        time.sleep(0.1)
    return time.time()


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=30)
