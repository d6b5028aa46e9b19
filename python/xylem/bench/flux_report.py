"""The table of buffers beside the thesis' figures, and what holds of its claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table

from .flux_queries import SIZES_MB
from .flux_run import Buffers, QueryBuffers, Run, holds


def table(buffers: Buffers) -> Table:
    """Peak bytes by query, with and without schema, here and in the thesis."""
    size = nearest_size(buffers.megabytes)
    made = Table(title=f"Bytes buffered at most, {buffers.input_bytes:,} bytes of XMark without attributes")
    made.add_column("query")
    for heading in ("no schema", "schema", f"thesis ({size} MB), no schema", "schema", "holds"):
        made.add_column(heading, justify="right")
    for row in buffers.thesis:
        made.add_row(*_cells(row, size), _verdict(holds(row, buffers.thesis)))
    if buffers.originals:
        made.add_section()
    for row in buffers.originals:
        made.add_row(*_cells(row, size), _verdict(holds(row, buffers.thesis)))
    return made


def _cells(row: QueryBuffers, size: int) -> list[str]:
    cells = [row.name, _peak(row.without_schema), _peak(row.with_schema)]
    if row.query is None:
        return [*cells, "", ""]
    index = SIZES_MB.index(size)
    return [*cells, in_words(row.query.unoptimised[index]), in_words(row.query.optimised[index])]


def _peak(run: Run | str) -> str:
    return in_words(run.peak_bytes) if isinstance(run, Run) else "not streamed"


def _verdict(is_true: bool | None) -> str:
    return "" if is_true is None else "yes" if is_true else "NO"


def in_words(size: float) -> str:
    """A number of bytes as the thesis writes it."""
    if size < 1_000:
        return f"{size:.0f} B"
    return f"{size / 1_000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def nearest_size(megabytes: float) -> int:
    """The size of the thesis that comes next to this one."""
    return min(SIZES_MB, key=lambda size: abs(size - megabytes))


def remarks(buffers: Buffers) -> Iterator[str]:
    """What falls short, in words; and what was not streamed at all."""
    for row in (*buffers.thesis, *buffers.originals):
        if holds(row, buffers.thesis) is False:
            yield f"{row.name}: {row.claim.value} is what the thesis has; here {_peak(row.with_schema)}"
    for row in (*buffers.thesis, *buffers.originals):
        for run in (row.without_schema, row.with_schema):
            if isinstance(run, str):
                yield f"{row.name}: {run}"


def as_json(buffers: Buffers) -> dict[str, Any]:
    """The figures for programs."""
    size = nearest_size(buffers.megabytes)
    return {
        "input_bytes": buffers.input_bytes,
        "thesis_megabytes": size,
        "queries": [_entry(row, buffers, size) for row in (*buffers.thesis, *buffers.originals)],
    }


def _entry(row: QueryBuffers, buffers: Buffers, size: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": row.name}
    for name, run in (("without_schema", row.without_schema), ("with_schema", row.with_schema)):
        entry[name] = (
            {"peak_bytes": run.peak_bytes, "cpu_seconds": round(run.seconds, 3), "records": run.records}
            if isinstance(run, Run)
            else {"error": run}
        )
    if row.query is not None:
        index = SIZES_MB.index(size)
        entry["thesis"] = {"unoptimised": row.query.unoptimised[index], "optimised": row.query.optimised[index]}
    entry["claim"], entry["holds"] = row.claim.value, holds(row, buffers.thesis)
    return entry
