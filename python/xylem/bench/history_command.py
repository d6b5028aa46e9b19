"""`xylem bench history`: what an update costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .option_lists import listed_names, listed_numbers
from .progress import console, on_the_terminal, save, tell


def history_cost(
    queries: Annotated[str, typer.Option("--queries", help="Queries to measure; by default all.")] = "",
    regions: Annotated[
        str, typer.Option("--regions", help="Numbers of regions that can be updated.")
    ] = "1000,10000,100000",
    updates: Annotated[int, typer.Option("--updates", min=10, help="Number of timed updates.")] = 5_000,
    peers: Annotated[
        str, typer.Option("--peers", help="Peers to measure: Saxon, SQLite, DuckDB, bytewax, pathway; or `none`.")
    ] = "Saxon,SQLite,DuckDB,bytewax,pathway",
    peer_regions: Annotated[
        int, typer.Option("--peer-regions", min=1, help="Number of regions for the peers.")
    ] = 10_000,
    memory_updates: Annotated[
        int, typer.Option("--memory-updates", min=0, help="Updates of the long run; 0 for no long run.")
    ] = 200_000,
    memory_regions: Annotated[int, typer.Option("--memory-regions", min=1, help="Regions of the long run.")] = 10_000,
    limit: Annotated[
        float, typer.Option("--limit", min=0.1, metavar="SECONDS", help="Stop a process that takes longer.")
    ] = 600.0,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Number of repetitions; the best one counts.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same streams.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Measure the cost of an update for growing numbers of regions, compared with evaluating anew."""
    from . import history_report
    from .history_run import OTHERS, Plan, run
    from .history_tasks import NAMED

    plan = Plan(
        listed_names(queries, NAMED, "--queries") if queries else list(NAMED),
        listed_numbers(regions, "--regions", int),
        updates,
        [] if peers.strip() in ("", "none") else listed_names(peers, OTHERS, "--peers"),
        peer_regions,
        memory_updates,
        memory_regions,
        limit,
        repeat,
        seed,
    )
    results = run(plan, on_the_terminal())
    console().print(history_report.table(results))
    tell(history_report.remarks(results), history_report.verdicts(results))
    save(json_file, lambda: history_report.as_json(results))
