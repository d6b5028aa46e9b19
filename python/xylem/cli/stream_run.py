"""Writing the result of a run that streams, with whatever is to be seen on the way: progress, figures, a plot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from xylem.errors import InputError
from xylem.run.stream.progress import Progress
from xylem.source.kernel import is_kernel_built
from xylem.stream_result import StreamResult

from .progress_line import progress_line
from .query_source import output_parameters
from .result_output import result_output
from .run_query import RunOptions

MUCH_INPUT_BYTES = 20_000_000


def write_stream(result: StreamResult, options: RunOptions) -> None:
    """Write the result as it becomes final, then tell what was measured."""
    line = progress_line(options.quiet)
    with _plotted(result, options.plot), result_output(options.output, line) as output:
        # Results are final when they are written: whoever reads them need not wait for more.
        result.watch(lambda progress: output.flush())
        if line is not None:
            result.watch(line.show)
        _tell_of_slow_scanner(result, options)
        # What windows hold is measured item by item only where somebody wants to know.
        result.statistics.is_exact = options.statistics is not None or options.plot is not None
        result.progress.is_counting = line is not None or options.statistics is not None or options.plot is not None
        try:
            result.write_to(output.write, **output_parameters(options.output_parameters))
        finally:
            if line is not None:
                line.close()
    if options.statistics is not None:
        from .malformed_option import facts_of
        from .statistics import of_stream, report

        report({**of_stream(result, _scanner(options)), **facts_of(result.malformed)}, options.statistics)


def _scanner(options: RunOptions) -> str:
    return "kernel" if options.scanner != "python" and is_kernel_built() else "python"


def _tell_of_slow_scanner(result: StreamResult, options: RunOptions) -> None:
    """Without its kernel Xylem scans in Python: worth a word where there is much to scan, and only there."""
    import warnings

    warnings.filterwarnings("ignore", "the scan kernel is not built here", RuntimeWarning)
    if options.scanner != "auto" or options.quiet or is_kernel_built():
        return
    is_told = False

    def tell(progress: Progress) -> None:
        nonlocal is_told
        if not is_told and progress.statistics.input_bytes > MUCH_INPUT_BYTES:
            is_told = True
            print("the scan kernel is not built here: Python scans, which takes longer (xylem doctor)", file=sys.stderr)

    result.watch(tell)


@contextmanager
def _plotted(result: StreamResult, place: Path | None) -> Iterator[None]:
    """Draw what the run did, also where it failed; the place is tried before anything is read."""
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
