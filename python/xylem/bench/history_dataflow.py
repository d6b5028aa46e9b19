"""The answers of `xylem bench history` by a program in bytewax, as one writes it by hand for these streams alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
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


def bytewax(task: HistoryTask, regions: int, updates: int, seed: int) -> dict[str, Any]:
    """Rows by key, each with its name and quote; a change of the answer for each update that makes one."""
    if find_spec("bytewax") is None:
        return {"missing": "the package bytewax is not installed"}
    if task.name not in ("filter", "count"):
        return {"missing": "no program was written for it"}
    # What the base costs is not that of updates.
    loaded, _ = _run(task, regions, 0, seed)
    total, answer = _run(task, regions, updates, seed)
    spent = max(total - loaded, 0.0)
    return {"cpu_seconds": spent, "updates": updates, "median_us": 1e6 * spent / updates, "shown": answer}


def _run(task: HistoryTask, regions: int, updates: int, seed: int) -> tuple[float, str]:
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
    # The ids are numbered in the order of the document.
    in_order = sorted(rows, key=lambda key: int(key[1:]))
    hot = (rows[key] for key in in_order if rows[key][1] > _BOUND)
    return spent, "".join(f"<hot><name>{name}</name><quote>{quote}</quote></hot>" for name, quote in hot)


def _first(given: Quote) -> str:
    return given[0]
