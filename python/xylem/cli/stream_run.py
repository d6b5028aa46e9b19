"""Writes the result of a run that streams, with progress, figures and a plot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from xylem.errors import InputError
from xylem.query.compiled_query import CompiledQuery
from xylem.source.kernel import is_kernel_built
from xylem.stream_result import StreamResult

from .answer_format import TABLES, write_items
from .progress_line import progress_line
from .result_output import ResultOutput, result_output
from .run_query import RunOptions, parameters_of
from .slow_scanner import SlowScanner


def write_stream(
    result: StreamResult, query: CompiledQuery, options: RunOptions, slow_scanner: SlowScanner
) -> ResultOutput:
    """Write the result as it becomes final, then report the figures."""
    line = progress_line(options.quiet)
    with _plotted(result, options.plot), result_output(options.output, line, options.routes) as output:
        # Written results are final: flush them for the reader.
        result.watch(lambda progress: output.flush())
        if line is not None:
            result.watch(line.show)
        if not slow_scanner.is_silent:
            result.watch(slow_scanner.watch)
        metrics = options.metrics
        if metrics is not None:
            counted = None if options.statistics is None else lambda: result.operators().to_dict()
            result.watch(lambda progress: metrics.stream(progress, result.malformed, counted))
        # Windows are measured item by item only if the figures are wanted.
        result.statistics.is_exact = options.statistics is not None or options.plot is not None
        if options.statistics is not None:
            result.measure()
        watchers = (line, options.statistics, options.plot, metrics)
        result.progress.is_counting = any(watcher is not None for watcher in watchers)
        try:
            if options.format is not None:
                items = result.rows() if options.format in TABLES else result.xdm()
                write_items(items, query, options.format, output)
            else:
                result.write_to(output.write, **parameters_of(options, result.output))
        finally:
            if line is not None:
                line.close()
    if options.statistics is not None:
        from .malformed_option import facts_of
        from .statistics import of_stream, report

        report({**of_stream(result, _scanner(options)), **facts_of(result.malformed)}, options.statistics)
    return output


def _scanner(options: RunOptions) -> str:
    return "kernel" if options.scanner != "python" and is_kernel_built() else "python"


@contextmanager
def _plotted(result: StreamResult, place: Path | None) -> Iterator[None]:
    """Plot the run, even if it failed; check the file before reading anything."""
    if place is None:
        yield
        return
    from xylem.run.stream.plot import BufferPlot

    plot = BufferPlot()
    result.watch(plot.sample)
    try:
        with place.open("w", encoding="utf-8") as file:
            try:
                yield
            finally:
                file.write(plot.svg())
    except OSError as reason:
        if isinstance(reason, BrokenPipeError):
            raise
        raise InputError("XYIN0002", f"{place}: {reason.strerror or reason}") from reason
