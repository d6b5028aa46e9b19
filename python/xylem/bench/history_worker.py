"""One measurement of `xylem bench history`, in a process of its own: its figures as a line of JSON."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from .history_tasks import NAMED, HistoryTask

if TYPE_CHECKING:
    from xylem.source.update_stream.operations import Operation

Engine = Callable[[HistoryTask, int, int, int], dict[str, Any]]
_CHUNK = 64 * 1024
_BLOCK = 500
_FEW = 5
"""This many updates are enough to measure the cost of evaluating from the beginning."""


def xylem(task: HistoryTask, regions: int, updates: int, seed: int) -> dict[str, Any]:
    """What an update costs, from its bytes to the regions of the answer that it changes."""
    from xylem.pipeline import StaticEnvironment
    from xylem.query.history_query import HistoryQuery
    from xylem.run.garbage_collection import collect_seldom
    from xylem.run.history.engine import Engine as HistoryEngine
    from xylem.run.history.run import UpdateInput
    from xylem.source.resources import FileResources
    from xylem.source.update_stream.wire import read_wire

    collect_seldom()
    # Making the stream is not measured, reading it is.
    files = {name: _written(chunks) for name, chunks in task.streams(regions, updates, seed).items()}
    inputs = [
        UpdateInput(name, name, read_wire(_chunks_of(file), leaves_runs=True), leaves_runs=True)
        for name, file in files.items()
    ]
    run = HistoryQuery(task.query, StaticEnvironment()).run(inputs, FileResources(), {})
    engine, history = run.run, run.history
    assert isinstance(engine, HistoryEngine)
    clock, moment = time.process_time, time.perf_counter
    started = clock()
    commits = run.commits()
    for _ in range(len(files)):
        next(commits)
    # What the first update finds ready is of the base.
    run.prepare()
    loaded = clock()
    # Made at once: what is measured must not count as memory that grows.
    times = array("d", bytes(8 * (updates + 1)))
    count = warm = 0
    times[0] = moment()
    # Updates are read many at a time: what one costs is a mean of some, of which the middle one counts. To ask for CPU
    # time is a call of the system, which may take as long as an update.
    block = max(min(_BLOCK, updates), 1)
    ends = [loaded]
    for _ in commits:
        count += 1
        times[count] = moment()
        if not count % block:
            ends.append(clock())
        if count == max(updates // 10, 1):
            warm = _rss_bytes()
    total, rss = clock() - loaded, _rss_bytes()
    costs = sorted(after - before for before, after in pairwise(times[: count + 1]))
    means = sorted((after - before) / block for before, after in pairwise(ends)) or [total / max(count, 1)]
    return {
        "cpu_seconds": total,
        "load_seconds": loaded - started,
        "updates": len(costs),
        "median_us": 1e6 * means[len(means) // 2],
        "p99_us": 1e6 * costs[int(len(costs) * 0.99)],
        "warm_rss_bytes": warm,
        "rss_bytes": rss,
        "whole": engine.why_whole,
        "longest_history": _longest(history),
        "answer": _digest(engine.display.text),
    }


def _written(chunks: Iterable[bytes]) -> BinaryIO:
    file = TemporaryFile()  # noqa: SIM115 - closed when it has been read
    file.writelines(chunks)
    file.seek(0)
    return cast(BinaryIO, file)


def _chunks_of(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


def saxon(task: HistoryTask, regions: int, updates: int, seed: int) -> dict[str, Any]:
    """The same by evaluating from the beginning after each update: the document of the state is given as text."""
    if find_spec("saxonche") is None:
        return {"missing": "the package saxonche is not installed"}
    if task.plain is None:
        return {"missing": "it asks for versions"}
    from saxonche import PySaxonProcessor

    costs = []
    answer = ""
    with PySaxonProcessor(license=False) as processor:
        query = processor.new_xquery_processor()
        query.set_query_content(task.plain)
        query.set_property("!omit-xml-declaration", "yes")
        for text in _states(task, regions, min(updates, _FEW), seed):
            started = time.process_time()
            query.set_context(xdm_item=processor.parse_xml(xml_text=text))
            answer = query.run_query_to_string() or ""
            costs.append(time.process_time() - started)
            if sum(costs) > _LONGEST_SECONDS:
                break
    return {"cpu_seconds": sum(costs), "updates": len(costs), "median_us": 1e6 * sorted(costs)[len(costs) // 2],
            "answer": _digest(answer)}  # fmt: skip


def sqlite(task: HistoryTask, regions: int, updates: int, seed: int) -> dict[str, Any]:
    """A history table by hand: each quote a row with its lifespan, and the answer asked for after each update."""
    return _by_table(task, regions, updates, seed, sqlite3.connect(":memory:"))


def duckdb(task: HistoryTask, regions: int, updates: int, seed: int) -> dict[str, Any]:
    if find_spec("duckdb") is None:
        return {"missing": "the package duckdb is not installed"}
    return _by_table(task, regions, updates, seed, import_module("duckdb").connect(":memory:"))


def _by_table(task: HistoryTask, regions: int, updates: int, seed: int, database: Any) -> dict[str, Any]:
    if task.sql is None:
        return {"missing": "no table was written for it"}
    from xylem.source.update_stream.operations import Start, Text
    from xylem.source.update_stream.wire import read_wire

    run = database.execute
    run("CREATE TABLE version (id INTEGER, begins INTEGER, ends INTEGER, name TEXT, quote INTEGER)")
    run("CREATE INDEX by_id ON version (id)")
    run("CREATE VIEW ticker AS SELECT id, name, quote FROM version WHERE ends IS NULL")
    operations = read_wire(task.streams(regions, updates, seed)["tickers"])
    number = 0
    costs: list[float] = []
    names: dict[int, str] = {}
    for operation in operations:
        started = time.process_time()
        if operation.kind == "base":
            rows = []
            texts = [event.value for event in operation.events if isinstance(event, Text)]
            ids = [event.id for event in operation.events if isinstance(event, Start) and event.id is not None]
            for place, id in enumerate(ids):
                names[number] = texts[3 * place]
                rows.append((int(id[1:]), 0, names[number], int(texts[3 * place + 2])))
                number += 1
            if rows:
                database.executemany("INSERT INTO version VALUES (?, ?, NULL, ?, ?)", rows)
            continue
        of, quote = _told(operation)
        target, now = int(of[1:]), len(costs) + 1
        run("UPDATE version SET ends = ? WHERE id = ? AND ends IS NULL", (now, target))
        run("INSERT INTO version VALUES (?, ?, NULL, ?, ?)", (target, now, names[target], quote))
        run(task.sql).fetchall()
        costs.append(time.process_time() - started)
        if sum(costs) > _LONGEST_SECONDS:
            break
    costs.sort()
    return {"cpu_seconds": sum(costs), "updates": len(costs), "median_us": 1e6 * costs[len(costs) // 2]}


def _told(operation: Operation) -> tuple[str, int]:
    """What an update replaces, and the number it brings."""
    from xylem.source.update_stream.operations import BeginUpdate, Text

    update = operation.update
    if update is None:
        begin = next(event for event in operation.events if isinstance(event, BeginUpdate))
        return begin.of, next(int(event.value) for event in operation.events if isinstance(event, Text))
    element = update.content[0]
    assert not isinstance(element, str)
    return update.of, int(str(element[3][0]))


_LONGEST_SECONDS = 5.0
"""A loop of others ends after so long: its median is known by then."""


def _states(task: HistoryTask, regions: int, updates: int, seed: int) -> Iterator[str]:
    """The document after each of some updates, as text; one stream."""
    from xylem.run.history.commits import History
    from xylem.run.history.feed import Feed
    from xylem.run.history.state_tree import StateTree
    from xylem.sink.serialize import serialize
    from xylem.source.update_stream.wire import read_wire

    history = History()
    ((name, chunks),) = task.streams(regions, updates, seed).items()
    feed = Feed(history.stream(name))
    for operation in read_wire(chunks):
        commit = feed.apply(operation)
        if commit is not None and commit.number > 1:
            yield serialize([StateTree(history, history.stream(name), commit.number).document])


def _digest(text: str) -> str:
    plain = text.replace("\n", "")
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def _longest(history: Any) -> int:
    """The longest history that is kept of a region."""
    return max((len(slot.versions) for one in history.streams.values() for slot in one.slots.values()), default=0)


def _rss_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def _by_hand(package: str) -> Engine:
    def measured(task: HistoryTask, regions: int, updates: int, seed: int) -> dict[str, Any]:
        from .history_dataflow import by_hand

        found = by_hand(package, task, regions, updates, seed)
        shown = found.pop("shown", None)
        return found if shown is None else {**found, "answer": _digest(shown)}

    return measured


ENGINES: dict[str, Engine] = {"Xylem": xylem, "Saxon": saxon, "SQLite": sqlite, "DuckDB": duckdb}
ENGINES |= {package: _by_hand(package) for package in ("bytewax", "pathway")}

if __name__ == "__main__":
    engine, task, regions, updates, seed = sys.argv[1:]
    print(json.dumps(ENGINES[engine](NAMED[task], int(regions), int(updates), int(seed))))
