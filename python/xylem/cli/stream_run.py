"""Writing the result of a run that streams, with whatever is to be seen on the way: progress, figures, a plot."""

from __future__ import annotations

from xylem.stream_result import StreamResult

from .progress_line import progress_line
from .query_source import output_parameters
from .result_output import result_output
from .run_query import RunOptions


def write_stream(result: StreamResult, options: RunOptions) -> None:
    """Write the result as it becomes final, then tell what was measured."""
    line = progress_line(options.quiet)
    with result_output(options.output, line) as output:
        # Results are final when they are written: whoever reads them need not wait for more.
        result.watch(lambda progress: output.flush())
        if line is not None:
            result.watch(line.show, counting=True)
        if options.statistics is not None:
            result.watch(lambda progress: None, counting=True)
        plot = None
        if options.plot is not None:
            from xylem.run.streaming.plot import BufferPlot

            plot = BufferPlot()
            result.watch(plot.sample, counting=True)
        try:
            result.write_to(output.write, **output_parameters(options.output_parameters))
        finally:
            if line is not None:
                line.close()
            if plot is not None and options.plot is not None:
                options.plot.write_text(plot.svg(), encoding="utf-8")
    if options.statistics is not None:
        from .statistics import of_stream, report

        report(of_stream(result), options.statistics)
