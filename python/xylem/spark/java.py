"""The Java that Spark runs on: found, checked, and started so that a small run does not wait for it.

A JVM that loads Spark's classes from its jars and compiles them twice needs some 20 CPU-seconds before the first task.
Three settings bring that down to 6: classes from an archive made once (`class_archive.py`), the serial collector, and
only the fast compiler. The last two cost peak speed of long JVM work; here the JVM moves rows, Python does the work.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

from xylem.errors import DynamicError

OLDEST_JAVA = 17
LOGGING = Path(__file__).with_name("quiet_log.properties")
PACKAGE_ROOT = Path(__file__).resolve().parents[2]
WORKER_START = Path(__file__).resolve().with_name("worker_start")
ENDING_SECONDS = 10.0
"""How long a JVM that closes its connections may take to end."""
NO_MEMORY = "-XX:+ExitOnOutOfMemoryError"
"""The sign of a JVM without memory: its threads die one after another, and its driver would wait for ever."""
FAST_START = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_NOISE = re.compile(
    rb"WARNING: Using incubator modules|Picked up (JAVA_TOOL|_JAVA)_OPTIONS"
    # The outcome of a continuous query is requested from Spark and reported once.
    rb'|Exception in thread "stream execution thread '
)

_STACK = re.compile(rb"\s+at \S+\(|\s+\.\.\. \d+ more")


def java_home() -> Path:
    """The path of Spark's Java; XYRT0002 if there is none, or it is too old."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME is {home}, and there is no bin/java" if home else "no java on the PATH, no JAVA_HOME"
        raise DynamicError("XYRT0002", where)
    place = Path(found).resolve().parent.parent
    version = java_version(place)
    if version is not None and _major(version) < OLDEST_JAVA:
        raise DynamicError("XYRT0002", f"{place} has Java {version}; Spark needs {OLDEST_JAVA} or later")
    return place


def java_version(home: Path) -> str | None:
    """The version recorded in the installation, without starting it; None if it is not recorded."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r'^JAVA_VERSION="([^"]+)"', release, re.MULTILINE)
    return found[1] if found else None


def _major(version: str) -> int:
    numbers = [int(number) for number in re.findall(r"\d+", version)]
    # Up to Java 8 it was called 1.8.
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def java_options(home: Path, *, fast_start: bool) -> list[str]:
    """The options for Spark's JVM."""
    from .class_archive import archive_of

    options = [f"-Dlog4j2.configurationFile={LOGGING.as_uri()}", NO_MEMORY]
    if fast_start:
        options += FAST_START
        archive = archive_of(home)
        if archive.exists():
            # An archive that no longer fits the classes is silently ignored.
            options += [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    return options


def start_gateway(configuration: Any) -> Any:
    """Start the JVM of the driver; pass its messages on to standard error, except those at every start."""
    from pyspark import java_gateway
    from pyspark.errors import PySparkRuntimeError

    launch: Any = java_gateway.launch_gateway
    before = dict(os.environ)
    # Spark's start script runs an extra JVM to find out how to start the actual one.
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", " ".join(FAST_START))
    # Workers on this machine are children of the JVM, and find this package by the same path.
    known = [path for path in (str(WORKER_START), str(PACKAGE_ROOT), os.environ.get("PYTHONPATH")) if path]
    os.environ["PYTHONPATH"] = os.pathsep.join(known)
    # Read from the start: a JVM that fails to start says why.
    reading, writing = os.pipe()
    passing = threading.Thread(target=_pass_on, args=(os.fdopen(reading, "rb"),), name="spark-stderr", daemon=True)
    passing.start()
    try:
        # In a separate session: the driver handles signals that a terminal or `timeout` sends to the whole group.
        gateway = launch(configuration, {"stdout": writing, "stderr": writing, "start_new_session": True})
        _leave_stopping_to_driver(gateway)
        return gateway
    except (PySparkRuntimeError, OSError) as reason:
        os.close(writing)
        writing = -1
        passing.join(2)
        raise DynamicError("XYRT0003", str(reason)) from reason
    finally:
        if writing >= 0:
            os.close(writing)
        os.environ.clear()
        os.environ.update(before)


def has_ended(reason: Exception) -> bool:
    """Whether an error came because the JVM of the driver ended without being asked to."""
    from py4j.protocol import Py4JNetworkError
    from pyspark import SparkContext

    process: Any = getattr(SparkContext._gateway, "proc", None)
    if process is None or not isinstance(reason, (OSError, Py4JNetworkError)):
        return False
    try:
        # Its connections end before the process does.
        process.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def end_in_silence(context: Any) -> None:
    """Let the caller report the end of a JVM; Python's threads that serve it would print their stacks."""
    context._accumulatorServer.handle_error = lambda request, client: None
    logging.getLogger().addFilter(lambda record: record.msg != "Exception while sending command.")


def _leave_stopping_to_driver(gateway: Any) -> None:
    """Let the JVM and its workers ignore SIGTERM.

    Service managers send it to all processes of a service. The driver ends in order, which closes the standard input of
    the JVM; this signals the JVM to end, too, and likewise the workers.
    """
    signals = gateway.jvm.sun.misc
    signals.Signal.handle(signals.Signal("TERM"), signals.SignalHandler.SIG_IGN)


def _pass_on(errors: IO[bytes]) -> None:
    for line in errors:
        if not _NOISE.match(line) and not _STACK.match(line):
            try:
                os.write(sys.__stderr__.fileno() if sys.__stderr__ is not None else 2, line)
            except OSError:
                return
