"""One run of Linear Road: a driver and a system in processes of their own, answers noted as they come, then judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Thread

from .answers import Arrival, answers_in
from .comparer import Comparer, Verdict
from .dataset import Figures, Wanted, write_dataset
from .oracle import expected_of

START_SECONDS = 0.5
"""From the moment the system is ready to the first second of the run."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Rating:
    """What a run showed."""

    wanted: Wanted
    speed: float
    """0: as fast as it goes."""
    made: Figures
    verdict: Verdict
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of the system alone."""
    peak_rss_bytes: int = 0
    oracle_cpu_seconds: float = 0.0
    rss_bytes: list[tuple[float, int]] = field(default_factory=list)
    """Memory over time."""


@dataclass(frozen=True)
class DataSet:
    """Files of a data set, made if they are not there."""

    wanted: Wanted
    folder: Path

    @property
    def _stem(self) -> str:
        w = self.wanted
        return f"linear-road-{w.expressways:g}-{w.from_minute}-{w.minutes}-{w.seed}"

    @property
    def tuples(self) -> Path:
        return self.folder / f"{self._stem}.xml"

    @property
    def history(self) -> Path:
        return self.folder / f"{self._stem}-history.xml"

    def figures(self) -> Figures:
        note = self.folder / f"{self._stem}.json"
        if not note.exists():
            note.write_text(json.dumps(asdict(write_dataset(self.wanted, self.tuples, self.history))))
        return Figures(**json.loads(note.read_text()))


def rate(
    wanted: Wanted, speed: float, query: Path, folder: Path, tell: Callable[[str], None], *, pooled: bool = False
) -> Rating:
    """Make the data, run, and judge."""
    tell("making the data set")
    files = DataSet(wanted, folder)
    rating = Rating(wanted, speed, files.figures(), Verdict())
    output = folder / "answers.xml"
    values = ["-v", f"history={files.history.as_uri()}", "-v", f"pooled={str(pooled).lower()}"]
    command = [sys.executable, "-m", "xylem", "run", str(query), "-i", "-", "--allow", str(folder), *values, "--quiet"]
    arrivals = _run(rating, command, files.tuples, output, tell)
    tell("judging")
    begun = time.process_time()
    expected = expected_of(files.tuples, files.history, pooled=pooled)
    rating.oracle_cpu_seconds = time.process_time() - begun
    # On the clock of the whole run, of which this may be the end.
    offset = (wanted.from_minute - 1) * 60 / speed if speed else 0.0
    comparer = Comparer(expected, speed=speed or 1.0, untimed=not speed)
    for answer in answers_in(output, [(end, moment + offset) for end, moment in arrivals]):
        comparer.take(answer)
    rating.verdict = comparer.finish()
    return rating


def _run(
    rating: Rating, command: list[str], tuples: Path, output: Path, tell: Callable[[str], None]
) -> list[Arrival]:
    """Run driver and system to their end; when which bytes of the answer came."""
    speed = f"{rating.speed:g}" if rating.speed else "max"
    driver_command = [sys.executable, "-m", "xylem.bench.linear_road.driver", str(tuples), speed]
    driver = subprocess.Popen(driver_command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert driver.stdin is not None and driver.stdout is not None
    system = subprocess.Popen(command, stdin=driver.stdout, stdout=subprocess.PIPE)
    driver.stdout.close()
    assert system.stdout is not None
    watch = Thread(target=_watch, args=(system, rating), daemon=True)
    try:
        tell("waiting for the system")
        out = system.stdout.fileno()
        arrivals: list[Arrival] = []
        size = 0
        with output.open("wb") as file:
            size += file.write(os.read(out, 1 << 20))
            start = time.monotonic() + START_SECONDS
            driver.stdin.write(f"{start!r}\n".encode())
            driver.stdin.close()
            before = _cpu_seconds(system.pid)
            tell("running")
            watch.start()
            while data := os.read(out, 1 << 20):
                size += file.write(data)
                arrivals.append((size, time.monotonic() - start))
        _, status, usage = os.wait4(system.pid, 0)
        system.returncode = os.waitstatus_to_exitcode(status)
        rating.seconds = time.monotonic() - start
        rating.cpu_seconds = usage.ru_utime + usage.ru_stime - before
        rating.peak_rss_bytes = usage.ru_maxrss * 1024
        driver.wait(timeout=60)
    finally:
        for process in (driver, system):
            if process.returncode is None:
                process.kill()
                process.wait()
        driver.stdin.close()
        system.stdout.close()
        if watch.is_alive():
            watch.join()
    if system.returncode or driver.returncode:
        raise RuntimeError(f"the system ended with {system.returncode}, the driver with {driver.returncode}")
    return arrivals


def _cpu_seconds(process: int) -> float:
    """What a process has used so far: what it needs to start and to load the history is not scored."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _watch(system: subprocess.Popen[bytes], rating: Rating) -> None:
    begun = time.monotonic()
    while system.returncode is None:
        try:
            size = int(Path(f"/proc/{system.pid}/statm").read_text().split()[1]) * _PAGE
        except (OSError, IndexError):
            return
        rating.rss_bytes.append((time.monotonic() - begun, size))
        for _ in range(10):
            if system.returncode is None:
                time.sleep(0.1)
