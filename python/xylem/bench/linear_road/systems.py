"""What answers the tuples of Linear Road: one process, or Spark; also killed in the middle and started again."""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import IO

from ..process_tree import cpu_seconds, descendants
from .answers import Arrival

START_SECONDS = 0.5
"""From the moment the system is ready to the first second of the run."""
_POLL_SECONDS = 0.01
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Work:
    """What a system took, and when which bytes of its answer came."""

    arrivals: list[Arrival] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of the system alone, from the moment it was ready."""
    peak_rss_bytes: int = 0
    rss_bytes: list[tuple[float, int]] = field(default_factory=list)
    """Memory over time."""
    kills: int = 0


@dataclass(frozen=True)
class Task:
    """One run: which query over which tuples, and how fast these come."""

    query: Path
    values: list[str]
    """Options that set its external variables."""
    tuples: Path
    speed: float
    """0: as fast as it goes."""
    folder: Path
    output: Path
    kills: int = 0
    seed: int = 0
    clock_from: int = 0
    """The second of the data set in which the clock starts; what is before goes ahead of it."""

    def xylem(self, command: str, *arguments: str) -> list[str]:
        allowed = ["--allow", str(self.folder), *self.values, "--quiet"]
        return [sys.executable, "-m", "xylem", command, str(self.query), *arguments, *allowed]


class System(ABC):
    """Runs a task to its end."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.work = Work()

    @abstractmethod
    def run(self, tell: Callable[[str], None]) -> Work: ...

    @contextmanager
    def _driver(
        self, output: int, *options: str, pass_fds: Sequence[int] = ()
    ) -> Iterator[subprocess.Popen[bytes]]:
        """The driver, which writes to a file or pipe; it waits for a line that says when to start."""
        speed = f"{self.task.speed:g}" if self.task.speed else "max"
        command = [sys.executable, "-m", "xylem.bench.linear_road.driver", str(self.task.tuples), speed, *options]
        driver = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, pass_fds=pass_fds)
        assert driver.stdin is not None
        try:
            yield driver
            if driver.wait(timeout=60):
                raise RuntimeError(f"the driver ended with {driver.returncode}")
        finally:
            _end(driver)
            driver.stdin.close()

    @contextmanager
    def _watched(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Note memory and CPU time of a process and of what it has started, until the block ends."""
        done = Event()
        before, used = cpu_seconds(process.pid), self.work.cpu_seconds
        begun = time.monotonic()

        def watch() -> None:
            while not done.wait(0.5):
                size = sum(map(_rss_bytes, descendants(process.pid)))
                self.work.rss_bytes.append((time.monotonic() - begun, size))
                self.work.peak_rss_bytes = max(self.work.peak_rss_bytes, size)
                self.work.cpu_seconds = max(self.work.cpu_seconds, used + cpu_seconds(process.pid) - before)

        thread = Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


class OneProcess(System):
    """`xylem run`, which the driver feeds by a pipe."""

    def run(self, tell: Callable[[str], None]) -> Work:
        tuples, feed = os.pipe()
        gone_ahead, told = os.pipe()
        options = ["--clock-from", str(self.task.clock_from), "--told", str(told)]
        with self._driver(feed, *options, pass_fds=[told]) as driver:
            os.close(feed)
            os.close(told)
            system = subprocess.Popen(self.task.xylem("run", "-i", "-"), stdin=tuples, stdout=subprocess.PIPE)
            os.close(tuples)
            assert system.stdout is not None
            try:
                tell("waiting for the system")
                with self.task.output.open("wb") as file:
                    answers = _Answers(system.stdout.fileno(), file, self.work.arrivals)
                    answers.take()
                    before = cpu_seconds(system.pid)
                    answers.take_until(gone_ahead)
                    start = _start(driver)
                    tell("running")
                    with self._watched(system):
                        while answers.take():
                            pass
                _, status, usage = os.wait4(system.pid, 0)
                system.returncode = os.waitstatus_to_exitcode(status)
                self.work.arrivals = [(size, moment - start) for size, moment in self.work.arrivals]
                self.work.seconds = time.monotonic() - start
                self.work.cpu_seconds = usage.ru_utime + usage.ru_stime - before
                self.work.peak_rss_bytes = usage.ru_maxrss * 1024
            finally:
                _end(system)
                system.stdout.close()
                os.close(gone_ahead)
            _check(system)
        return self.work


class _Answers:
    """What a system writes, into a file, with the moments at which it came."""

    def __init__(self, descriptor: int, file: IO[bytes], arrivals: list[Arrival]) -> None:
        self._descriptor = descriptor
        self._file = file
        self._arrivals = arrivals
        self._size = 0

    def take(self) -> bool:
        """Wait for more; whether there was any."""
        data = os.read(self._descriptor, 1 << 20)
        self._size += self._file.write(data)
        self._arrivals.append((self._size, time.monotonic()))
        return bool(data)

    def take_until(self, told: int) -> None:
        """Everything that arrives until the next message."""
        while True:
            ready, _, _ = select.select([self._descriptor, told], [], [])
            if self._descriptor not in ready or not self.take():
                return


class KilledProcess(System):
    """`xylem run --checkpoint` over the whole file, killed at random moments and started again."""

    def run(self, tell: Callable[[str], None]) -> Work:
        checkpoint = self.task.folder / "progress"
        checkpoint.unlink(missing_ok=True)
        places = ["-i", str(self.task.tuples), "-o", str(self.task.output), "--checkpoint", str(checkpoint)]
        choose = random.Random(self.task.seed)
        begun = time.monotonic()
        while True:
            tell(f"running, {self.work.kills} of {self.task.kills} kills")
            system = subprocess.Popen(self.task.xylem("run", *places))
            try:
                with self._watched(system):
                    left = self.task.kills - self.work.kills
                    is_killed = left > 0 and _is_killed(system, checkpoint, choose)
                    if not is_killed:
                        system.wait()
            finally:
                _end(system)
            if is_killed:
                self.work.kills += 1
                continue
            _check(system)
            self.work.seconds = time.monotonic() - begun
            return self.work


class SparkStream(System):
    """`xylem stream` on this machine, over a file that the driver writes; also killed and started again."""

    def run(self, tell: Callable[[str], None]) -> Work:
        checkpoint = self.task.folder / "checkpoint"
        shutil.rmtree(checkpoint, ignore_errors=True)
        feed = self.task.folder / "feed.xml"
        self.task.output.unlink(missing_ok=True)
        places = ["-i", f"file:{feed}", "-o", f"file:{self.task.output}", "--checkpoint", str(checkpoint)]
        command = self.task.xylem("stream", *places, "--trigger", "100ms", "--state-limit", "16GB")
        choose = random.Random(self.task.seed)
        with feed.open("wb") as file, self._driver(file.fileno(), "--early") as driver:
            start = 0.0
            while True:
                system = subprocess.Popen(command, start_new_session=True)
                try:
                    if not start:
                        tell("waiting for the system")
                        self._wait_for_answers(system)
                        start = _start(driver)
                    tell(f"running, {self.work.kills} of {self.task.kills} kills")
                    left = self.task.kills - self.work.kills
                    with self._watched(system):
                        is_killed = self._follow(system, start, choose.uniform(5, 20) if left else None)
                finally:
                    _end_group(system)
                if not is_killed:
                    break
                self.work.kills += 1
            _check(system)
        self.work.seconds = time.monotonic() - start
        feed.unlink()
        return self.work

    def _wait_for_answers(self, system: subprocess.Popen[bytes]) -> None:
        while not self._size():
            if system.poll() is not None:
                _check(system)
                return
            time.sleep(_POLL_SECONDS)

    def _follow(self, system: subprocess.Popen[bytes], start: float, until: float | None) -> bool:
        """Note what is written until the system ends, or for some seconds; whether it was stopped then."""
        begun = time.monotonic()
        arrivals = self.work.arrivals
        while True:
            has_ended = system.poll() is not None
            size, now = self._size(), time.monotonic()
            # What was written and not committed when it was killed is written again.
            while arrivals and arrivals[-1][0] > size:
                arrivals.pop()
            if size and (not arrivals or arrivals[-1][0] < size):
                arrivals.append((size, now - start))
            if has_ended:
                return False
            if until is not None and now - begun > until:
                return True
            time.sleep(_POLL_SECONDS)

    def _size(self) -> int:
        try:
            return self.task.output.stat().st_size
        except FileNotFoundError:
            return 0


def _start(driver: subprocess.Popen[bytes]) -> float:
    """Tell the driver when the run begins; that moment."""
    assert driver.stdin is not None
    start = time.monotonic() + START_SECONDS
    driver.stdin.write(f"{start!r}\n".encode())
    driver.stdin.flush()
    return start


def _is_killed(system: subprocess.Popen[bytes], checkpoint: Path, choose: random.Random) -> bool:
    """Whether a run lived until it had saved more than there was, and a random moment beyond: it is killed then."""
    before = _saved(checkpoint)
    while system.poll() is None and _saved(checkpoint) == before:
        time.sleep(_POLL_SECONDS)
    time.sleep(choose.uniform(0, 0.2))
    return system.poll() is None


def _saved(checkpoint: Path) -> int:
    try:
        return checkpoint.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        process.kill()
        process.wait()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all it has started: none of them may write while the next one runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _check(system: subprocess.Popen[bytes]) -> None:
    if system.returncode:
        raise RuntimeError(f"the system ended with {system.returncode}")


def _rss_bytes(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0
