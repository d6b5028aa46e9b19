"""Temporary directories of Spark: a driver's own is gone with it; one that was killed is swept, and nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from xylem.spark.scratch import LOCK, sweep

_DRIVER = (
    "import sys, time; from xylem.spark.scratch import scratch_directory; d = scratch_directory();"
    "(d / 'blockmgr-1').mkdir(); print(d, flush=True); time.sleep(float(sys.argv[1]))"
)


def driver(place: Path, seconds: float) -> tuple[subprocess.Popen[str], Path]:
    """A process with a directory of its own below a place."""
    command = [sys.executable, "-c", _DRIVER, str(seconds)]
    started = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(place)}, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    with started.stdout as told:
        return started, Path(told.readline().strip())


def test_only_what_killed_drivers_left_is_swept(tmp_path: Path) -> None:
    ended, first = driver(tmp_path, 0)
    assert ended.wait(20) == 0
    assert not first.exists()
    assert not list(tmp_path.iterdir())
    killed, second = driver(tmp_path, 60)
    running, third = driver(tmp_path, 60)
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "driver-1").mkdir(parents=True)
    (elsewhere / LOCK).touch()
    (third.parent / "driver-link").symlink_to(elsewhere)
    (third.parent / "driver-being-made").mkdir()
    try:
        killed.send_signal(signal.SIGKILL)
        killed.wait(20)
        assert second.exists()
        assert sweep(third.parent) == [second]
        assert not second.exists()
        assert (third / "blockmgr-1").is_dir()
        assert (elsewhere / "driver-1").is_dir()
        assert (third.parent / "driver-being-made").is_dir()
    finally:
        running.kill()
        running.wait(20)


def test_a_place_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    taken = tmp_path / f"xylem-spark-{os.getuid()}"
    taken.mkdir()
    taken.chmod(0o777)
    ended, directory = driver(tmp_path, 0)
    assert ended.wait(20) == 0
    assert directory.parent != taken
