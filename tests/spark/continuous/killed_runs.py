"""Continuous queries as users start them, killed again and again: what the tests of exactly-once results share."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
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
Mark = Callable[[], object]
"""Something that a batch changes on its way: what it is now."""
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
    # Bytecode is cached: without it, each of the ten processes of a start compiles what it loads.
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": ""}
    with log.open("ab") as out:
        return subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    """The driver, its JVM and all workers, at once."""
    tell_all(process, signal.SIGKILL)
    process.wait(timeout=30)


def tell_all(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """A signal for the driver, its JVM and all workers, as a service manager sends it."""
    for one in [process.pid, *descendants(process.pid)]:
        with suppress(ProcessLookupError):
            os.kill(one, number)


def descendants(pid: int) -> list[int]:
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
            if lines(self._metrics) != batches:
                batches, waiting = lines(self._metrics), 0
            if waiting < self._ahead:
                self._add(number)
                number, waiting = number + 1, waiting + 1

    def stop(self) -> None:
        self._stopping.set()
        self.join()


def kill_at_random(arguments: Sequence[str], log: Path, metrics: Path, kills: int) -> list[int]:
    """Start and kill until so many kills have hit a batch at work; batches seen before each of these kills.

    A kill comes in the first batches after a start, the one that is made again included: at a random moment, or just
    after something has changed that a batch writes on its way, such as an output. Whether a batch was at work is what
    Spark's own logs say. A line of each kill is appended to the file `kills` beside the log.
    """
    chance = random.Random(turns.today())
    checkpoint = Path(arguments[[*arguments].index("--checkpoint") + 1])
    written = {"the checkpoint": file_mark(checkpoint / "commit")}
    begins = {"the begin of a batch": folder_mark(checkpoint / "spark" / "offsets")}
    seen: list[int] = []
    attempts = 0
    while len(seen) < kills:
        attempts += 1
        assert attempts <= 3 * kills + 3, f"{len(seen)} kills hit a batch at work"
        batches = lines(metrics)
        process = start(arguments, log)
        more = chance.randrange(4)
        _await_batches(process, metrics, batches + more, log)
        moment = await_moment(process, chance, written if more == 0 else {**begins, **written}, log, is_first=more == 0)
        kill(process)
        active = active_batch(checkpoint)
        if active is not None:
            seen.append(lines(metrics) - batches)
        with log.with_name("kills").open("a") as file:
            print(json.dumps({"kill": attempts, "hit": active, "after": moment, "batches": more}), file=file)
    return seen


def active_batch(checkpoint: Path) -> int | None:
    """The batch that Spark has begun and not ended, by its logs."""
    last = {}
    for kind in ("offsets", "commits"):
        names = [place.name for place in (checkpoint / "spark" / kind).glob("*")]
        last[kind] = max((int(name) for name in names if name.isdigit()), default=-1)
    return last["offsets"] if last["offsets"] > last["commits"] else None


def file_mark(path: Path) -> Mark:
    """Changes when a file is written."""

    def mark() -> object:
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    return mark


def folder_mark(folder: Path) -> Mark:
    """Changes when a file of a directory is added, or when the last one is replaced."""

    def mark() -> object:
        names = os.listdir(folder) if folder.is_dir() else []
        last = max((name for name in names if not name.startswith(".")), default=None, key=lambda n: (len(n), n))
        return last, file_mark(folder / last)() if last is not None else None

    return mark


def await_moment(
    process: subprocess.Popen[bytes],
    chance: random.Random,
    marks: Mapping[str, Mark],
    log: Path,
    is_first: bool = False,
) -> str:
    """Wait for a moment of the batch that comes; which one, in words. The first batch has nothing to count from."""
    wait = chance.random()
    if not is_first and chance.random() < 0.4:
        time.sleep(wait * 0.9)
        return f"{wait * 0.9:.3f} s"
    name = chance.choice(sorted(marks))
    before, began = marks[name](), time.monotonic()
    while marks[name]() == before and time.monotonic() - began < (PATIENCE if is_first else 10):
        if process.poll() is not None:
            raise AssertionError(f"ended by itself with {process.returncode}: {log.read_text()[-3000:]}")
        time.sleep(0.001)
    # From the very moment to some way into what comes next.
    time.sleep(wait * chance.choice((0, 0.01, 0.1)))
    return name


def _await_batches(process: subprocess.Popen[bytes], metrics: Path, wanted: int, log: Path) -> None:
    """Wait while there is progress, however slow."""
    reached, changed = lines(metrics), time.monotonic()
    while reached < wanted:
        if process.poll() is not None:
            raise AssertionError(f"ended by itself with {process.returncode}: {log.read_text()[-3000:]}")
        if time.monotonic() - changed > PATIENCE:
            kill(process)
            raise AssertionError(f"no batch in {PATIENCE} s: {log.read_text()[-3000:]}")
        time.sleep(0.01)
        if lines(metrics) != reached:
            reached, changed = lines(metrics), time.monotonic()


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


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
