"""One large file by several threads, where the scan itself answers the query (`run/tasks/in_threads.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xylem.run.tasks.in_threads import ThreadedRun, gains_by_threads
from xylem.source.cut_points import uses_kernel
from xylem.source.guessed_ranges import guessed_ranges

from .core_use import cores
from .parts_run import encoder, parts_query
from .progress_line import progress_line
from .result_output import ResultOutput, result_output

if TYPE_CHECKING:
    from xylem.source.guessed_ranges import GuessedRange
    from xylem.spark.shipped_query import ShippedQuery

    from .query_source import QuerySource
    from .run_query import RunOptions


def run_on_cores(source: QuerySource, options: RunOptions) -> tuple[ShippedQuery, ResultOutput | None]:
    """Run the query by threads; returns the compiled query, and no output if threads would gain nothing."""
    query = parts_query(source, options, several_documents=False)
    program = query.program()
    if not uses_kernel(options.scanner) or not gains_by_threads(program):
        return query, None
    parts = guessed_ranges(options.inputs[0], program.scopes, options.limits)
    if parts is None:
        return query, None
    program.prepare()
    run = ThreadedRun(program, parts, cores(), {**query.options(), "scanner": options.scanner})
    line = progress_line(options.quiet)
    encode = encoder(program)
    with result_output(options.output, line) as output:
        try:
            for piece in run.pieces():
                output.write(encode(piece))
                output.flush()
                if line is not None:
                    line.show(_Shown(run, parts))
            output.write(encode(""))
        finally:
            if line is not None:
                line.close()
    return query, output


class _Shown:
    """The progress of a run."""

    def __init__(self, run: ThreadedRun, parts: list[GuessedRange]) -> None:
        self._run = run
        self._parts = parts

    def words(self) -> Iterator[str]:
        yield f"{self._parts[0].path} "
        yield f"{self._run.read:,} of {len(self._parts):,} parts"

