"""Windows over a stream: the items of a path go to the window operator as they pass, and no tree is around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from xylem.functions.context import Resources
from xylem.plan.buffers import A_WINDOW
from xylem.plan.flux_plan import Buffered
from xylem.rewrite.windows.windows_over_input import ITEMS
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.values.datetimes import DateTime

from ..deep_stack import drawn_deep
from ..evaluator.program import Program
from .collector import Collector
from .program import StreamProgram
from .statistics import Statistics


@dataclass
class WindowStreamProgram(StreamProgram):
    """A query over the items of a path.

    Holds:  the items of open windows, by the cursor of the query; of the stream, the item that is being read.
    """

    path: StreamProgram | None = None
    """The program that gives the items; `handlers` is that of the query over them."""

    def write(
        self,
        source: Any,
        resources: Resources,
        output: Any,
        *,
        variables: Mapping[tuple[str, str], Any] | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
        limits: Limits = DEFAULT_LIMITS,
        scanner: str = "auto",
        statistics: Statistics | None = None,
    ) -> Iterator[Statistics]:
        """Run over a source of bytes, writing to an output; gives control back when another batch has been read."""
        assert self.path is not None
        measured = statistics or Statistics()
        collector = Collector(self.static.base_uri)
        batches = self.path.write(
            source, resources, collector, now=now, limits=limits, scanner=scanner, statistics=measured
        )
        read: list[bool] = []

        def noted() -> Iterator[Statistics]:
            for batch in batches:
                read.append(True)
                yield batch

        results = self.handlers.run(
            resources,
            variables={**(variables or {}), ITEMS.expanded: collector.drawn(noted())},
            environment=environment,
            now=now,
            held_items=limits.held_items,
        )
        for result in drawn_deep(results) if self.handlers.may_recurse else results:
            output.item(result)
            if read:
                read.clear()
                yield measured
        output.finish()
        yield measured

    def over_documents(self, resources: Resources, **options: Any) -> NoReturn:
        """Not for windows: the handlers of this program are not those of its scan."""
        raise NotImplementedError("windows are computed over one input")


def window_stream_program(path: StreamProgram, query: Program, variable: str) -> WindowStreamProgram:
    """The program of a query over the items that a path gives."""
    held = Buffered(variable, ("item",), "no open window needs it", A_WINDOW)
    plan = replace(path.plan, buffers=(*path.plan.buffers, held))
    return WindowStreamProgram(
        query, path.roles, path.slots, path.scan, path.static, plan, path.copy_namespaces, path=path
    )
