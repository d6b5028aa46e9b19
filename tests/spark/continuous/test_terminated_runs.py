"""`xylem stream` told to end as service managers, `timeout` and the kernel do it: in order, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from xylem.spark.scratch import LOCK, sweep

from .killed_runs import ROOT, answer, descendants, tell_all

SLOW = """
import time, xylem

@xylem.function("udf:slow", "xs:string", "xs:string")
def slow(text):
    time.sleep(0.5)
    return text
"""
BEGIN = """
import sys
import xylem.spark.continuous.continuous_run as continuous
from xylem.cli import main
continuous.GRACE_SECONDS = float(sys.argv.pop(1))
main()
"""
DOCUMENTS = 12


class Stream:
    """A query over some documents, of which each takes a while, with a folder of its own for temporary files."""

    def __init__(self, folder: Path) -> None:
        self.log, self.temporary, self.output = folder / "log", folder / "temporary", folder / "output"
        documents, functions = folder / "documents", folder / "functions.py"
        for made in (documents, self.temporary):
            made.mkdir()
        functions.write_text(SLOW)
        for number in range(DOCUMENTS):
            (documents / f"{number:02}.xml").write_text(f"<a>{number}</a>")
        self._arguments = [
            *("-q", "udf:slow(string(/a))", "--functions", str(functions), "-i", f"dir:{documents}"),
            *("-o", f"dir:{self.output}", "--checkpoint", str(folder / "checkpoint")),
            *("--conf", "spark.master=local[2]"),
        ]

    def start(self, trigger: str, grace_seconds: float) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", BEGIN, str(grace_seconds), "stream", *self._arguments, "--trigger", trigger]
        environment = os.environ | {
            "PYTHONPATH": str(ROOT / "python"),
            "TMPDIR": str(self.temporary),
            "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={self.temporary}",
        }
        with self.log.open("wb") as out:
            return subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True)

    def started(self, grace_seconds: float) -> subprocess.Popen[bytes]:
        """A run that is in the middle of its first batch, or near it."""
        process = self.start("100ms", grace_seconds)
        until = time.monotonic() + 120
        while "ready" not in self.log.read_text() and time.monotonic() < until and process.poll() is None:
            time.sleep(0.05)
        time.sleep(3)
        assert process.poll() is None, self.log.read_text()[-3000:]
        return process

    def check_end(self, process: subprocess.Popen[bytes]) -> None:
        assert process.wait(timeout=120) == 0, self.log.read_text()[-3000:]
        told = self.log.read_text()
        for trace in ("Traceback", "Exception", "\tat ", "XYRT", "XYBUG"):
            assert trace not in told
        self.check_nothing_left()

    def check_nothing_left(self) -> None:
        """The JVM cleans up when the driver has gone."""
        assert self._finally(self._left) == []

    def check_only_a_lock_left(self) -> None:
        """Of a driver that was killed there is its directory, which the next start removes."""
        (directory,) = self._left()
        assert self._finally(lambda: [path for path in directory.iterdir() if path.name != LOCK]) == []
        sweep(directory.parent)
        self.check_nothing_left()

    def _finally(self, left: Callable[[], list[Path]]) -> list[Path]:
        until = time.monotonic() + 60
        while left() and time.monotonic() < until:
            time.sleep(0.1)
        return left()

    def _left(self) -> list[Path]:
        """What is there but for the directory that all drivers of a user share."""
        shared = f"xylem-spark-{os.getuid()}"
        found = (*self.temporary.iterdir(), *self.temporary.glob(f"{shared}/*"))
        return [path for path in found if path.name != shared]


@pytest.mark.timeout(400)
@pytest.mark.turns("kills")
@pytest.mark.parametrize("grace_seconds", [0.0, 60.0])
def test_a_signal_for_all_processes(tmp_path: Path, grace_seconds: float) -> None:
    """The batch comes to its end, or is abandoned and computed again; the answer has each document once."""
    stream = Stream(tmp_path)
    process = stream.started(grace_seconds)
    if grace_seconds:
        os.killpg(process.pid, signal.SIGTERM)
    else:
        tell_all(process, signal.SIGTERM)
    stream.check_end(process)
    assert "stopped after" in stream.log.read_text()
    stream.check_end(stream.start("available-now", 60.0))
    assert sorted(map(int, answer(stream.output).split())) == list(range(DOCUMENTS))
    # Of Spark's own files, too.
    kept = [path for path in (tmp_path / "checkpoint").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}, kept


@pytest.mark.timeout(400)
@pytest.mark.turns("kills")
def test_java_alone_is_killed(tmp_path: Path) -> None:
    """As the kernel does it where there is no memory left: the error has a code, and the next start continues."""
    stream = Stream(tmp_path)
    process = stream.started(60.0)
    (java,) = [pid for pid in descendants(process.pid) if Path(f"/proc/{pid}/comm").read_text() == "java\n"]
    os.kill(java, signal.SIGKILL)
    assert process.wait(timeout=120) == 1
    told = stream.log.read_text()
    assert "XYRT0026: the continuous query failed: Java was killed, or had no memory left" in told
    assert "Traceback" not in told
    assert "XYBUG" not in told
    stream.check_end(stream.start("available-now", 60.0))
    assert sorted(map(int, answer(stream.output).split())) == list(range(DOCUMENTS))


FILLED = """
from xylem.spark.java import has_ended
from xylem.spark.session import session
spark = session("local[1]")
try:
    spark.sparkContext._jvm.java.nio.ByteBuffer.allocate(2**31 - 1)
except Exception as reason:
    print("ended" if has_ended(reason) else repr(reason))
"""


@pytest.mark.timeout(200)
@pytest.mark.turns("kills")
def test_a_java_without_memory_ends() -> None:
    """A thread of it that ends alone lets others, and the driver, wait for ever."""
    ended = subprocess.run([sys.executable, "-c", FILLED], capture_output=True, text=True, check=False)
    assert ended.stdout == "ended\n", ended.stderr[-3000:]


@pytest.mark.timeout(200)
@pytest.mark.turns("kills")
def test_of_a_killed_driver_a_lock_is_left_until_the_next_start(tmp_path: Path) -> None:
    stream = Stream(tmp_path)
    process = stream.started(60.0)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=30)
    stream.check_only_a_lock_left()
