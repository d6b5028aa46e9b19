"""What updates cost, as a table and as JSON; and which of the project's own bars the figures clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table

from .history_run import OTHERS, HistoryResults
from .history_tasks import NAMED
from .machine_load import busy_machine

MOST_GROWTH, WORST_GROWTH = 2.0, 3.0
LEAST_TIMES_SAXON = 100
MOST_MEMORY_GROWTH = 1.05


def table(results: HistoryResults) -> Table:
    """Microseconds for an update by query and number of regions, updates a second, and how others do."""
    regions = list(results.plan.regions)
    made = Table(title=f"{results.plan.updates:,} updates: median microseconds for one, by number of regions")
    made.add_column("query")
    for count in regions:
        made.add_column(f"{count:,}", justify="right")
    made.add_column("growth", justify="right")
    made.add_column("updates/s", justify="right")
    peers = [peer for peer in OTHERS if any(peer in found for found in results.peers.values())]
    for peer in peers:
        made.add_column(f"{peer} ÷ Xylem", justify="right")
    for task in results.plan.tasks:
        found = results.costs.get(task, {})
        cells = [f"{found[count]['median_us']:,.1f}" if count in found else "–" for count in regions]
        growth, speed = results.growth(task), results.per_second(task)
        times = [results.times_faster(task, peer) for peer in peers]
        made.add_row(
            task,
            *cells,
            "–" if growth is None else f"{growth:.2f}×",
            "–" if speed is None else f"{speed:,.0f}",
            *("–" if one is None else f"{one:,.0f}×" for one in times),
        )
    return made


def remarks(results: HistoryResults) -> Iterator[str]:
    """What else a reader must know."""
    yield (
        "CPU time of one process, from the bytes of an update to the regions of the answer that it changes. "
        f"Others with {results.plan.peer_regions:,} regions: Saxon reads the document and evaluates the query after "
        "each update; SQLite and DuckDB keep rows with lifespans and are asked for the whole answer after each; the "
        "programs in bytewax and pathway know these streams alone, and tell each change; pathway puts together those "
        "of 50 ms."
    )
    for (task, peer), is_same in results.agreed.items():
        yield f"{task}: {peer} gives {'the same answer' if is_same else 'ANOTHER ANSWER'}"
    whole = [task for task, found in results.costs.items() if any(one["whole"] for one in found.values())]
    if whole:
        yield f"evaluated from the beginning: {', '.join(whole)}"
    yield from results.reasons
    busy = busy_machine(results.others_load)
    if busy is not None:
        yield busy
        yield "CPU times are longer, too, where others share the cores' caches."


def verdicts(results: HistoryResults) -> Iterator[tuple[bool, str]]:
    """Which bars hold."""
    for task in results.plan.tasks:
        growth = results.growth(task)
        if growth is not None:
            yield growth <= WORST_GROWTH, f"{task}: an update costs {growth:.2f}× as much with the most regions (≤ 3×)"
    growths = sorted(one for task in results.plan.tasks if (one := results.growth(task)) is not None)
    if growths:
        middle = growths[len(growths) // 2]
        yield middle <= MOST_GROWTH, f"the median of these is {middle:.2f}× (≤ 2×)"
    for task in results.plan.tasks:
        least, speed = NAMED[task].least_per_second, results.per_second(task)
        if least and speed is not None:
            yield speed >= least, f"{task}: {speed:,.0f} updates a second on one core (≥ {least:,})"
    for task in results.peers:
        times = results.times_faster(task, "Saxon")
        if times is not None:
            yield times >= LEAST_TIMES_SAXON, f"{task}: {times:,.0f}× as fast as Saxon evaluating anew (≥ 100×)"
        for peer in ("SQLite", "DuckDB"):
            slower = results.times_faster(task, peer)
            if slower is not None:
                yield slower >= 1, f"{task}: {slower:,.1f}× as fast as a history table in {peer} (≥ 1×)"
        for peer in ("bytewax", "pathway"):
            slower = results.times_faster(task, peer)
            if slower is not None:
                yield slower >= 1, f"{task}: {slower:,.1f}× as fast as a program in {peer} (≥ 1×)"
    memory = results.memory
    if memory is not None:
        grown = memory["rss_bytes"] / memory["warm_rss_bytes"]
        updates = f"{memory['updates']:,} updates"
        yield grown <= MOST_MEMORY_GROWTH, f"{updates}: memory is {grown:.3f}× that after a tenth (≤ 1.05×)"
        yield memory["longest_history"] == 2, f"histories of query 2 have {memory['longest_history']} versions (2)"


def as_json(results: HistoryResults) -> dict[str, Any]:
    return {
        **asdict(results),
        "growth": {task: results.growth(task) for task in results.plan.tasks},
        "updates_per_second": {task: results.per_second(task) for task in results.plan.tasks},
    }
