"""Runs of one program over many documents: everything that does not depend on the document is created once.

The first document loads the generated code, finds the handlers and installs the actions; later documents reuse them.
For a small document, that is most of the cost beyond its scan. Reuse is sound because a finished run keeps nothing: its
scopes are closed, and only they held facts about the document.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError
from xylem.functions.context import Context, Resources, RunPart
from xylem.plan.scan_plan import ScanPlan
from xylem.source.limits import DEFAULT_LIMITS, ITEM_BYTES, Limits
from xylem.source.scan import BatchTrees, ScannedBatch, scan
from xylem.values.datetimes import DateTime
from xylem.values.node import Node

from ..program import current_time
from .collector import Collector
from .run import Statistics, StreamRun
from .settled_tables import settled_plan, without_numbers, without_tables, without_wholes
from .window_output import WindowOutput

if TYPE_CHECKING:
    from .program import StreamProgram


class DocumentRuns:
    """The runs of a program with the same variables, at the same time. One document is read at a time.

    Holds:  the state of one run; between documents, the names seen so far.
    """

    def __init__(
        self,
        program: StreamProgram,
        resources: Resources,
        *,
        variables: Mapping[tuple[str, str], Any] | None = None,
        environment: Mapping[str, str] | None = None,
        now: DateTime | None = None,
        limits: Limits = DEFAULT_LIMITS,
        scanner: str = "auto",
        statistics: Statistics | None = None,
        clock: Callable[[], DateTime | None] | None = None,
        kept: dict[tuple[str, str], Any] | None = None,
        is_saved: bool = False,
    ) -> None:
        """`is_saved`: the run's aggregates are saved between records, so the scan must not keep parts of them."""
        self._program = program
        self._part = RunPart(resources, now or current_time(), environment, dict(variables or {}))
        self._part.held_items = limits.held_items
        self._part.clock = clock
        self._part.kept = kept
        self._limits = limits
        self._scanner = scanner
        is_lower = limits.buffered_bytes < limits.item_bytes or program.scan.reports_document_element
        self._buffer_limits_items = limits.buffered_bytes > 0 and is_lower
        """Whether the limit of all buffers also applies to items: the scan keeps an incomplete item, too. This holds if
        that limit is the lower one, and if the document's element is such an item: its kept content is that of the
        whole input."""
        self.statistics = statistics or Statistics()
        self.statistics.limit_bytes = limits.buffered_bytes
        self._ready: tuple[StreamRun, ScanPlan] | None = None
        """A finished run, ready for reuse; None while one is under way, or after one that did not finish."""
        self._has_run = False
        self._is_saved = is_saved
        self.under_way: StreamRun | None = None
        """The run that began last."""

    def items(self, source: Any) -> Iterator[Any]:
        """The items of the answer over one document, each as soon as it is final."""
        output = self._new_collector()
        return output.drawn(self.write(source, output))

    def write(self, source: Any, output: Any) -> Iterator[Statistics]:
        """Run over a source of bytes, writing to an output; yields after each batch."""
        windows: WindowOutput | None = None
        if self._program.feeds_windows:
            windows = output = WindowOutput(output, self.statistics, self._new_collector)
        run, plan = self._begun(output)
        trees = self._program.scanners.take(self._limits)
        measured = self.statistics
        guarded = self._program.guarded

        def may_write() -> bool:
            return getattr(output, "takes_markup", False)

        batches = self._scanned(source, plan, may_write, trees)
        with closing(batches):
            for batch in batches:
                measured.input_bytes = batch.input_bytes
                guarded(_taking(run, batch, windows))
                yield measured
                if run.is_done or (windows is not None and windows.is_over and self._program.ends_with_windows):
                    break
        guarded(run.finish)
        if measured.counters is not None:
            measured.counters.take_indexes(run.space, self._program.handlers.indexes, measured.passes)
        self._ready = run, plan
        self._program.scanners.give_back(trees, self._limits, measured.input_bytes)
        yield measured

    def _scanned(
        self, source: Any, plan: ScanPlan, may_write: Callable[[], bool], trees: BatchTrees
    ) -> Generator[ScannedBatch, None, None]:
        limits = self._limits
        if self._buffer_limits_items:
            limits = replace(limits, item_bytes=limits.buffered_bytes)
        try:
            yield from scan(source, plan, limits=limits, scanner=self._scanner, may_write=may_write, trees=trees)
        except InputError as error:
            if self._buffer_limits_items and error.limit == ITEM_BYTES:
                raise self.statistics.item_too_large(error.place) from None
            raise

    def _new_collector(self) -> Collector:
        return Collector(self._program.static.base_uri, *self._program.copy_namespaces)

    def _begun(self, output: Any) -> tuple[StreamRun, ScanPlan]:
        ready, self._ready = self._ready, None
        if self._has_run:
            self.statistics.forget_held()
        self._has_run = True
        if ready is not None:
            ready[0].output = output
            self.under_way = ready[0]
            return ready
        program = self._program
        space = program.handlers.namespace(self._part, None)
        if self.statistics.counters is not None:
            self.statistics.counters.watch(space, program.handlers, self.statistics.passes)
        context = Context(program.static, self._part)
        run = StreamRun(program.roles, len(program.slots), space, context, output, self.statistics)
        scanned = without_numbers(without_tables(program.scan)) if self._is_saved else program.scan
        if self.statistics.counters is not None:
            scanned = without_wholes(scanned)
        plan = settled_plan(scanned, program.roles, space)
        self.under_way = run
        return run, plan


def _taking(run: StreamRun, batch: ScannedBatch, windows: WindowOutput | None) -> Callable[[], None]:
    def take() -> None:
        if not run.open:
            run.start(Node(batch.tree, 0))
        run.push(batch.tree, batch.kinds, batch.steps, batch.rows, batch.counts, batch.written, batch.tables)

    return take if windows is None else lambda: windows.after(take)
