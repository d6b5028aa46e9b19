"""`xylem bench flux`, `xqpull` and `scan`: what streams keep and how fast they pass."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from .progress import console, on_the_terminal

Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same document.")]


def flux_buffers(
    megabytes: Annotated[float, typer.Option("--size", min=0.1, help="The size of the document in MB.")] = 5.0,
    queries: Annotated[str, typer.Option("--queries", help="Which of XMark's own queries, too.")] = "1-20",
    seed: Seed = 0,
    json_file: Json = None,
) -> None:
    """How much queries buffer over a stream, with the schema and without, beside the figures of the thesis."""
    from . import flux_report
    from .flux_run import run
    from .query_numbers import query_numbers

    numbers = query_numbers(queries)
    with tempfile.TemporaryDirectory() as folder:
        buffers = run(Path(folder), megabytes, numbers, seed, on_the_terminal())
    console().print(flux_report.table(buffers))
    for remark in flux_report.remarks(buffers):
        console().print(remark, markup=False, highlight=False)
    _write_json(json_file, flux_report.as_json(buffers))


def xqpull_caches(
    megabytes: Annotated[float, typer.Option("--size", min=0.1, help="The size of each document in MB.")] = 5.0,
    seed: Seed = 0,
    json_file: Json = None,
) -> None:
    """The nine queries of XQPull over XMark and a bibliography: what is kept while they run."""
    from . import xqpull_run

    with tempfile.TemporaryDirectory() as folder:
        rows = xqpull_run.run(Path(folder), megabytes, seed, on_the_terminal())
    console().print(xqpull_run.table(rows))
    _write_json(json_file, xqpull_run.as_json(rows))


def _write_json(file: Path | None, figures: Any) -> None:
    if file is not None:
        file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
