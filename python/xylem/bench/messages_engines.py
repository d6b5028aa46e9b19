"""Ways from many messages to many answers: one call a message, or one run over all of them."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from .answers import same_answer
from .messages_tasks import SMALL, Loop, MessageTask
from .orders import FILES, MESSAGES, WRAPPED

PARSE_RUN, STREAM, MANY = "parse + run", "Query.stream", "Query.stream_many"
RUN_STREAM, RUN_FRAMES, RUN_FILES = "run over one stream", "run over frames", "run over files"
LXML, LXML_FILES, STANDARD = "lxml", "lxml over files", "ElementTree"
COMPARED: Final = 100
"""This many answers of a loop are compared; of a run, all are."""
LEAST_BESIDE_START: Final = 0.2
"""Less than this share of what it costs to start is no more than a guess."""
_LATER_CALLS = 20


def parse_and_run(task: MessageTask) -> Loop:
    """The tree of each message, by a query compiled once."""
    import xylem

    query = xylem.compile(task.query)
    return lambda message: query.run(xylem.parse(message)).serialize()


def stream(task: MessageTask) -> Loop:
    """Each message a stream of its own, by a query compiled once."""
    import xylem

    query = xylem.compile(task.query)

    def loop(message: bytes) -> str:
        parts: list[bytes] = []
        query.stream(message).write_to(parts.append)
        return b"".join(parts).decode()

    return loop


LOOPS: Final[dict[str, Callable[[MessageTask], Loop]]] = {
    PARSE_RUN: parse_and_run,
    STREAM: stream,
    LXML: lambda task: task.lxml(),
    LXML_FILES: lambda task: task.lxml(),
    STANDARD: lambda task: task.standard,
}
RUNS: Final = {RUN_STREAM: WRAPPED, RUN_FRAMES: f"{MESSAGES}?frames=lines", RUN_FILES: FILES}
"""By `xylem run`, over what."""


def by_loop(engine: str, task: MessageTask, folder: Path, seconds: float) -> dict[str, Any]:
    """One call a message, until all have been answered or the seconds are over."""
    answer = LOOPS[engine](task)
    messages = _file_contents(folder) if engine == LXML_FILES else _lines(folder)
    first = next(messages)
    begun = time.process_time()
    answers = [(first, answer(first))]
    started, clock = time.process_time(), time.perf_counter()
    number = 0
    for message in messages:
        found = answer(message)
        number += 1
        if len(answers) < COMPARED:
            answers.append((message, found))
        if time.perf_counter() - clock > seconds:
            break
    spent, elapsed = time.process_time() - started, time.perf_counter() - clock
    agree = all(same_answer(found, task.standard(message)) for message, found in answers)
    return {
        "messages": max(number, 1),
        "cpu_seconds": spent,
        "seconds": elapsed,
        "first_call_seconds": started - begun,
        "agree": agree,
    }


def by_many(task: MessageTask, folder: Path) -> dict[str, Any]:
    """All messages by one call, each answer read as text."""
    import xylem

    query = xylem.compile(task.query)
    messages = list(_lines(folder))
    begun = time.process_time()
    str(next(query.stream_many(messages[:1])))
    started, clock = time.process_time(), time.perf_counter()
    answers = [str(answer) for answer in query.stream_many(messages)]
    spent, elapsed = time.process_time() - started, time.perf_counter() - clock
    compared = zip(messages[:COMPARED], answers[:COMPARED], strict=True)
    return {
        "messages": len(messages),
        "cpu_seconds": spent,
        "seconds": elapsed,
        "first_call_seconds": started - begun,
        "agree": all(same_answer(found, task.standard(message)) for message, found in compared),
    }


def _lines(folder: Path) -> Iterator[bytes]:
    # All in memory: what is measured begins with bytes.
    yield from (folder / MESSAGES).read_bytes().splitlines()


def _file_contents(folder: Path) -> Iterator[bytes]:
    return (path.read_bytes() for path in sorted((folder / FILES).iterdir()))


def by_command(engine: str, task: MessageTask, folder: Path, repetitions: int) -> dict[str, Any]:
    """All messages by one `xylem run`; a run over next to nothing measures the cost of the start."""
    query = task.wrapped if engine == RUN_STREAM else task.query
    few = _next_to_nothing(engine, folder)
    # The best of each before they are subtracted: the least difference would be that of two disturbed runs.
    starting = min(_run(query, few, folder)[0] for _ in range(repetitions))
    runs = [_run(query, [folder / RUNS[engine]], folder) for _ in range(repetitions)]
    cpu_seconds, elapsed, answer = min(runs)
    messages = list(_file_contents(folder) if engine == RUN_FILES else _lines(folder))
    spent = max(cpu_seconds - starting, 0.0)
    return {
        "messages": len(messages),
        "cpu_seconds": spent,
        "seconds": elapsed,
        "first_call_seconds": starting,
        "is_rough": spent < LEAST_BESIDE_START * starting,
        "agree": same_answer(answer, task.joined(map(task.standard, messages))),
    }


def _next_to_nothing(engine: str, folder: Path) -> Sequence[Path]:
    """Two files, or two messages in one file or one document."""
    if engine == RUN_FILES:
        return list(islice(sorted((folder / FILES).iterdir()), 2))
    if engine == RUN_FRAMES:
        (folder / "start.txt").write_bytes(b"\n".join(islice(_lines(folder), 2)))
        return [folder / "start.txt?frames=lines"]
    document = folder / "start.xml"
    document.write_bytes(b"<orders>" + b"".join(islice(_lines(folder), 2)) + b"</orders>")
    return [document]


def _run(query: str, inputs: Sequence[Path], folder: Path) -> tuple[float, float, str]:
    """CPU seconds, elapsed seconds and the answer of `xylem run`."""
    output = folder / "answer"
    given = [part for path in inputs for part in ("-i", str(path))]
    command = [sys.executable, "-m", "xylem", "run", "--quiet", "-q", query, *given, "-o", str(output)]
    before, clock = _children_seconds(), time.perf_counter()
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip())
    spent, elapsed = _children_seconds() - before, time.perf_counter() - clock
    return spent, elapsed, output.read_text(encoding="utf-8")


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def small_calls(tasks: Sequence[MessageTask]) -> dict[str, Any]:
    """Calls of `Query.stream` over a document of 30 bytes: the first, the second, and the median of later ones."""
    import xylem

    # Loads what is loaded on first use.
    xylem.compile("count(/a/b)").stream(b"<a/>").write_to(len)
    found: dict[str, dict[str, float]] = {}
    for task in tasks:
        query = xylem.compile(task.query)
        calls: list[float] = []
        for _ in range(2 + _LATER_CALLS):
            started = time.process_time()
            query.stream(SMALL).write_to(len)
            calls.append(time.process_time() - started)
        later = sorted(calls[2:])
        found[task.name] = {"first": calls[0], "second": calls[1], "later": later[len(later) // 2]}
    return {"calls": found, "cpu_seconds": sum(times["second"] for times in found.values())}
