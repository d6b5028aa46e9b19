"""The answers of `xylem bench history` by programs in bytewax and pathway, as one writes them by hand for these streams
alone."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from .history_tasks import HistoryTask

_BOUND = 150
_UPDATE = "{urn:xylem:update}replace"
_ID = "{urn:xylem:update}id"
Quote = tuple[str, str, int]
"""The id of a ticker, its name or '', and its quote."""


def quotes(data: bytes) -> Iterator[Quote]:
    """The tickers of the base, then the updates, as they are parsed."""
    for _, element in etree.iterparse(BytesIO(data), tag=("ticker", _UPDATE)):
        if element.tag == _UPDATE:
            yield element.get("of"), "", int(element[0].text)
        else:
            name, _, quote = element
            yield quote.get(_ID), name.text, int(quote.text)
        element.clear()


Run = Callable[[HistoryTask, int, int, int], tuple[float, str]]
"""Of a task, regions, updates and a seed: the CPU time, and the answer."""


def by_hand(package: str, task: HistoryTask, regions: int, updates: int, seed: int) -> dict[str, Any]:
    """What a program in one of the packages takes for an update."""
    if find_spec(package) is None:
        return {"missing": f"the package {package} is not installed"}
    if task.name not in ("filter", "count"):
        return {"missing": "no program was written for it"}
    run = _PROGRAMS[package]
    # What the base costs is not that of updates, and what a first run prepares is neither.
    run(task, regions, 0, seed)
    loaded, _ = run(task, regions, 0, seed)
    total, answer = run(task, regions, updates, seed)
    spent = max(total - loaded, 0.0)
    return {"cpu_seconds": spent, "updates": updates, "median_us": 1e6 * spent / updates, "shown": answer}


class _Shown:
    """The answer of a filter as it is shown, in the order of the document; the ids are numbered in that order."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._texts: dict[int, str] = {}

    def take(self, key: str, name: str, quote: int | None) -> tuple[int, int, str] | None:
        """A ticker, with None where it is not hot. What changes: a place, how many are removed there, and a text."""
        number = int(key[1:])
        place = bisect_left(self._ids, number)
        was_shown = number in self._texts
        if quote is None:
            if not was_shown:
                return None
            del self._ids[place], self._texts[number]
            return place, 1, ""
        text = f"<hot><name>{escape(name)}</name><quote>{quote}</quote></hot>"
        if not was_shown:
            self._ids.insert(place, number)
        elif self._texts[number] == text:
            return None
        self._texts[number] = text
        return place, int(was_shown), text

    @property
    def text(self) -> str:
        return "".join(self._texts[number] for number in self._ids)


def _bytewax(task: HistoryTask, regions: int, updates: int, seed: int) -> tuple[float, str]:
    """Rows by key, each with its name and quote; what changes in the answer for each update."""
    operators: Any = import_module("bytewax.operators")
    testing: Any = import_module("bytewax.testing")
    flow = import_module("bytewax.dataflow").Dataflow("history")
    data = b"".join(task.streams(regions, updates, seed)["tickers"])
    changes: list[Any] = []
    shown = _Shown()

    def followed(row: tuple[str, int] | None, given: Quote) -> tuple[tuple[str, int], Any]:
        _, name, quote = given
        now = (name or (row[0] if row is not None else ""), quote)
        was_hot, is_hot = row is not None and row[1] > _BOUND, quote > _BOUND
        if task.name == "count":
            return now, is_hot - was_hot
        return now, (now if is_hot else None) if was_hot or is_hot else False

    def counted(count: int | None, change: int) -> tuple[int, int]:
        now = (count or 0) + change
        return now, now

    def edited(change: Any) -> Any:
        key, row = change
        if row is False:
            return None
        return shown.take(key, "", None) if row is None else shown.take(key, *row)

    # As many at once as it takes by default would be an epoch each.
    keyed = operators.key_on("key", operators.input("in", flow, testing.TestingSource(quotes(data), 1_000)), _first)
    told = operators.stateful_map("rows", keyed, followed)
    if task.name == "count":
        told = operators.stateful_map("count", operators.map("all", told, lambda change: ("", change[1])), counted)
    else:
        told = operators.map("edits", told, edited)
    operators.output("out", told, testing.TestingSink(changes))
    started = time.process_time()
    testing.run_main(flow)
    spent = time.process_time() - started
    return spent, str(changes[-1][1]) if task.name == "count" else shown.text


def _pathway(task: HistoryTask, regions: int, updates: int, seed: int) -> tuple[float, str]:
    """A table by key that updates overwrite, each a commit, and who reads what changes."""
    pathway: Any = import_module("pathway")
    data = b"".join(task.streams(regions, updates, seed)["tickers"])
    names: dict[str, str] = {}

    class Tickers(pathway.io.python.ConnectorSubject):  # type: ignore[misc]  # a class of a package without types
        def run(self) -> None:
            for key, name, quote in quotes(data):
                self.next(id=key, name=names.setdefault(key, name), quote=quote)
                if not name:
                    self.commit()

    schema = pathway.schema_builder(
        {
            "id": pathway.column_definition(dtype=str, primary_key=True),
            "name": pathway.column_definition(dtype=str),
            "quote": pathway.column_definition(dtype=int),
        }
    )
    pathway.internals.parse_graph.G.clear()
    table = pathway.io.python.read(Tickers(session_type="upsert"), schema=schema, autocommit_duration_ms=50)
    hot = table.filter(table.quote > _BOUND)
    shown = _Shown()
    changes: list[Any] = []
    count = 0
    gone: dict[str, int] = {}

    def note(key: object, row: dict[str, Any], time: int, is_addition: bool) -> None:
        nonlocal count
        if task.name == "count":
            count = row["count"] if is_addition else count
            changes.append(count)
        elif is_addition:
            gone.pop(row["id"], None)
            changes.append(shown.take(row["id"], row["name"], row["quote"]))
        else:
            gone[row["id"]] = time

    def ended(time: int) -> None:
        for id in gone:
            changes.append(shown.take(id, "", None))
        gone.clear()

    told = hot.reduce(count=pathway.reducers.count()) if task.name == "count" else hot
    pathway.io.subscribe(told, note, on_time_end=ended)
    started = time.process_time()
    pathway.run(monitoring_level=pathway.MonitoringLevel.NONE)
    spent = time.process_time() - started
    return spent, str(count) if task.name == "count" else shown.text


_PROGRAMS: dict[str, Run] = {"bytewax": _bytewax, "pathway": _pathway}


def _first(given: Quote) -> str:
    return given[0]
