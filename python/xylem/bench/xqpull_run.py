"""XQPull's nine queries over streams: what is kept while they run, beside what that engine cached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from . import dblp, xmark
from .flux_report import in_words
from .flux_run import BYTES_OF_SCALE_1, Run, measured
from .xqpull_queries import QUERIES, XQPullQuery

_SCHEMAS = {"auction": xmark.DTD, "dblp": dblp.DTD}


@dataclass(frozen=True)
class Cached:
    """One query: what was kept for it."""

    query: XQPullQuery
    input_bytes: int
    without_schema: Run | str
    with_schema: Run | str


def run(
    folder: Path, megabytes: float, seed: int = 0, progress: Callable[[str], None] = lambda step: None
) -> list[Cached]:
    """Make both documents, of about the same size, and run the queries."""
    progress("documents")
    documents = {"auction": folder / "auction.xml", "dblp": folder / "dblp.xml"}
    xmark.write(documents["auction"], megabytes * 1_000_000 / BYTES_OF_SCALE_1, seed)
    dblp.write(documents["dblp"], int(megabytes * 1_000_000 / dblp.BYTES_PER_RECORD), seed)
    return [_cached(query, documents[query.document], progress) for query in QUERIES]


def _cached(query: XQPullQuery, document: Path, progress: Callable[[str], None]) -> Cached:
    progress(f"query {query.number}")
    without, with_schema = (measured(query.text, document, dtd) for dtd in (None, _SCHEMAS[query.document]))
    return Cached(query, document.stat().st_size, without, with_schema)


def table(rows: list[Cached]) -> Table:
    """Peak bytes and time by query, and the events XQPull kept."""
    made = Table(title="XQPull's queries: what is kept at most")
    made.add_column("query")
    for heading in ("input", "no schema", "CPU s", "schema", "CPU s", "XQPull: events (224 MB, 318 MB)"):
        made.add_column(heading, justify="right")
    for row in rows:
        cells = [f"{row.query.number} {row.query.document}", in_words(row.input_bytes)]
        for found in (row.without_schema, row.with_schema):
            cells += [in_words(found.peak_bytes), f"{found.seconds:.2f}"] if isinstance(found, Run) else [found, ""]
        made.add_row(*cells, f"{row.query.cached_events:,}")
    return made


def as_json(rows: list[Cached]) -> list[dict[str, Any]]:
    """The figures for programs."""
    return [
        {
            "query": row.query.number,
            "text": row.query.text,
            "input_bytes": row.input_bytes,
            "peak_bytes": row.without_schema.peak_bytes if isinstance(row.without_schema, Run) else None,
            "peak_bytes_with_schema": row.with_schema.peak_bytes if isinstance(row.with_schema, Run) else None,
            "xqpull_cached_events": row.query.cached_events,
        }
        for row in rows
    ]
