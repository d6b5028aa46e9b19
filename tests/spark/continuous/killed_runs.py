"""Continuous queries as users start them, killed again and again: what the tests of exactly-once results share."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from xylem.cli.function_files import load_functions
from xylem.functions.external import DEFAULT_FUNCTIONS, ExternalFunction

from tests import turns

IS_CAMPAIGN = "XYLEM_KILLS" in os.environ
PATIENCE = 1800 if IS_CAMPAIGN else 300
"""Seconds without a new batch after which a run that lives is given up: a busy machine takes minutes to start Spark."""
TIMEOUT = 0 if IS_CAMPAIGN else 1800
"""For a whole test; a campaign has as many kills as it is asked for, and each of them its own patience."""
ROOT = Path(__file__).resolve().parents[3]
FUNCTIONS = Path(__file__).resolve().parents[1] / "user_functions.py"
QUERIES = {
    "vela": (
        "<vela>{ for $p in INPUT/photon where $p/ra > 120 and $p/ra < 138 and $p/dec > -49 and $p/dec < -40 "
        "return <p>{ $p/en, $p/det_time }</p> }</vela>"
    ),
    "energies": "INPUT/photon[en > 1.5]/string(en)",
    "fields": (
        "for $p in INPUT/photon group by $f := xs:integer($p/field_id) idiv 100 order by $f "
        "return <f n='{$f}' photons='{ count($p) }' energy='{ sum($p/en) }' most='{ max($p/en) }'/>"
    ),
}


def write_queries(folder: Path, texts: dict[str, str], input_path: str) -> list[str]:
    """The queries in files, over the input that a path says."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, text in texts.items():
        place = folder / f"{name}.xq"
        place.write_text(text.replace("INPUT", input_path))
        files.append(str(place))
    return files


def user_functions() -> list[ExternalFunction]:
    """What the file of functions registers, without leaving it registered."""
    known = dict(DEFAULT_FUNCTIONS._by_name)
    try:
        load_functions([FUNCTIONS])
        return list(DEFAULT_FUNCTIONS)
    finally:
        DEFAULT_FUNCTIONS._by_name.clear()
        DEFAULT_FUNCTIONS._by_name.update(known)


def start(arguments: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """`xylem stream`, in a process group of its own."""
    command = [sys.executable, "-m", "xylem", "stream", *arguments, "--conf", "spark.master=local[2]"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    with log.open("ab") as out:
        return subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    """The driver, its JVM and all workers, at once."""
    tell_all(process, signal.SIGKILL)
    process.wait(timeout=30)


def tell_all(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """A signal for the driver, its JVM and all workers, as a service manager sends it."""
    for one in [process.pid, *_descendants(process.pid)]:
        with suppress(ProcessLookupError):
            os.kill(one, number)


def _descendants(pid: int) -> list[int]:
    """All processes that a process has started, and those that these have."""
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name of a command is in parentheses, and may have any characters.
            parent = int(place.read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(place.parent.name))
    found, waiting = [], [pid]
    while waiting:
        own = parents.get(waiting.pop(), [])
        found += own
        waiting += own
    return found


class Feeder(threading.Thread):
    """Adds one piece after another to the input, and waits where no batch has read of the last ones.

    So there is always something for the next batch, however long Spark takes to start, and never so much that the last
    run would take long.
    """

    def __init__(self, add: Callable[[int], None], metrics: Path, ahead: int = 25, seconds: float = 0.1) -> None:
        super().__init__(daemon=True)
        self._add, self._metrics, self._ahead, self._seconds = add, metrics, ahead, seconds
        self._stopping = threading.Event()

    def run(self) -> None:
        number = waiting = batches = 0
        while not self._stopping.wait(self._seconds):
            if _lines(self._metrics) != batches:
                batches, waiting = _lines(self._metrics), 0
            if waiting < self._ahead:
                self._add(number)
                number, waiting = number + 1, waiting + 1

    def stop(self) -> None:
        self._stopping.set()
        self.join()


def kill_at_random(arguments: Sequence[str], log: Path, metrics: Path, kills: int) -> list[int]:
    """Start and kill so many times, each at a random moment after a batch or more; batches seen before each kill."""
    chance = random.Random(turns.today())
    seen = []
    for _ in range(kills):
        batches = _lines(metrics)
        process = start(arguments, log)
        wanted = batches + chance.randrange(1, 4)
        _await_batches(process, metrics, wanted, log)
        time.sleep(chance.random() * 0.9)
        kill(process)
        seen.append(_lines(metrics) - batches)
    return seen


def _await_batches(process: subprocess.Popen[bytes], metrics: Path, wanted: int, log: Path) -> None:
    """Wait while there is progress, however slow."""
    reached, changed = _lines(metrics), time.monotonic()
    while reached < wanted:
        if process.poll() is not None:
            raise AssertionError(f"ended by itself with {process.returncode}: {log.read_text()[-3000:]}")
        if time.monotonic() - changed > PATIENCE:
            kill(process)
            raise AssertionError(f"no batch in {PATIENCE} s: {log.read_text()[-3000:]}")
        time.sleep(0.01)
        if _lines(metrics) != reached:
            reached, changed = _lines(metrics), time.monotonic()


def run_to_end(arguments: Sequence[str], log: Path) -> None:
    """Run until it ends by itself, and well."""
    process = start(arguments, log)
    try:
        code = process.wait(timeout=2 * PATIENCE)
    except subprocess.TimeoutExpired:
        kill(process)
        raise AssertionError(f"did not end: {log.read_text()[-3000:]}") from None
    assert code == 0, log.read_text()[-3000:]


def answer(folder: Path) -> bytes:
    """What a user reads of an output directory: its files, one after another."""
    return b"".join(place.read_bytes() for place in sorted(folder.glob("part-*")))


def kills_wanted() -> int:
    """Three in a run of the tests, for what is kept of one kill may be lost by the next; XYLEM_KILLS says more."""
    return int(os.environ.get("XYLEM_KILLS", "3"))


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
