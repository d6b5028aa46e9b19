"""The figures of a continuous run in the words of the screens: those of one batch, and totals over all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def of_batch(line: dict[str, Any], started: float) -> dict[str, Any]:
    """The figures of a batch, from a line of `xylem stream --metrics`."""
    if "batch" not in line:
        return line
    busy = max(line["seconds"], 1e-3)
    return {
        "seconds": round(max(0.0, line["time"] - started), 3),
        "batch": line["batch"],
        "input_bytes": line["total_bytes"],
        "megabytes_per_second": line["megabytes_per_second"],
        "items": line["total_items"],
        "items_per_second": round(line["items"] / busy, 1),
        "latency_seconds": line["latency_seconds"],
        "held_bytes": line["state_bytes"],
        "held_items": line["held_items"],
        "malformed": line["total_malformed"],
        "late": line["late"],
    }


def over_time(lines: Iterable[dict[str, Any]], started: float) -> list[dict[str, Any]]:
    """The figures of all batches, with the results and late items so far."""
    results = late = 0
    found = []
    for line in lines:
        results += line.get("results", 0)
        late += line.get("late", 0)
        found.append({**of_batch(line, started), "results": results, "late": late})
    return found
