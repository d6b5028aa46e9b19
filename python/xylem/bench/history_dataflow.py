"""The answers of `xylem bench history` by programs in bytewax and pathway, as one writes them by hand for these streams
alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from typing import Any

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


def _bytewax(task: HistoryTask, regions: int, updates: int, seed: int) -> tuple[float, str]:
    """Rows by key, each with its name and quote; a change of the answer for each update that makes one."""
    operators: Any = import_module("bytewax.operators")
    testing: Any = import_module("bytewax.testing")
    flow = import_module("bytewax.dataflow").Dataflow("history")
    data = b"".join(task.streams(regions, updates, seed)["tickers"])
    rows: dict[str, tuple[str, int]] = {}
    changes: list[Any] = []

    def followed(row: tuple[str, int] | None, given: Quote) -> tuple[tuple[str, int], Any]:
        _, name, quote = given
        now = (name or (row[0] if row is not None else ""), quote)
        was_hot, is_hot = row is not None and row[1] > _BOUND, quote > _BOUND
        change = is_hot - was_hot if task.name == "count" else (now if is_hot else None) if was_hot or is_hot else False
        return now, (now, change)

    # As many at once as it takes by default would be an epoch each.
    keyed = operators.key_on("key", operators.input("in", flow, testing.TestingSource(quotes(data), 1_000)), _first)
    operators.output("out", operators.stateful_map("rows", keyed, followed), testing.TestingSink(changes))
    started = time.process_time()
    testing.run_main(flow)
    spent = time.process_time() - started
    for key, (row, _) in changes:
        rows[key] = row
    if task.name == "count":
        return spent, str(sum(change for _, (_, change) in changes))
    return spent, _shown(rows)


def _shown(rows: dict[str, tuple[str, int]]) -> str:
    """The tickers of a filter; the ids are numbered in the order of the document."""
    in_order = sorted(rows, key=lambda key: int(key[1:]))
    hot = (rows[key] for key in in_order if rows[key][1] > _BOUND)
    return "".join(f"<hot><name>{name}</name><quote>{quote}</quote></hot>" for name, quote in hot)


def _pathway(task: HistoryTask, regions: int, updates: int, seed: int) -> tuple[float, str]:
    """A table by key that updates overwrite, and who reads its changes; it puts together what comes at one time."""
    pathway: Any = import_module("pathway")
    data = b"".join(task.streams(regions, updates, seed)["tickers"])
    names: dict[str, str] = {}

    class Tickers(pathway.io.python.ConnectorSubject):  # type: ignore[misc]  # a class of a package without types
        def run(self) -> None:
            for key, name, quote in quotes(data):
                self.next(id=key, name=names.setdefault(key, name), quote=quote)

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
    rows: dict[str, tuple[str, int]] = {}
    count = 0

    def note(key: object, row: dict[str, Any], time: int, is_addition: bool) -> None:
        nonlocal count
        if task.name == "count":
            count = row["count"] if is_addition else count
        elif is_addition:
            rows[row["id"]] = row["name"], row["quote"]
        elif rows.get(row["id"]) == (row["name"], row["quote"]):
            del rows[row["id"]]

    told = hot.reduce(count=pathway.reducers.count()) if task.name == "count" else hot
    pathway.io.subscribe(told, note)
    started = time.process_time()
    pathway.run(monitoring_level=pathway.MonitoringLevel.NONE)
    spent = time.process_time() - started
    return spent, str(count) if task.name == "count" else _shown(rows)


_PROGRAMS: dict[str, Run] = {"bytewax": _bytewax, "pathway": _pathway}


def _first(given: Quote) -> str:
    return given[0]
