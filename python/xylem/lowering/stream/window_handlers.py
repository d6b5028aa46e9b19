"""Plan data windows (§3.8.2): the records that they collect, or only the aggregates over them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.analysis.projection import Use
from xylem.plan.flux import Flux, GiveItem, If, Leaf, OnEach, OnFirst, OnWindow, ProcessStream, Sequence
from xylem.plan.flux_variables import free_variables
from xylem.plan.needs import add_expression, add_needs
from xylem.plan.scan_plan import Report
from xylem.run.stream.roles import ScopeRole, WindowRole
from xylem.syntax import ast
from xylem.values import node as nk
from xylem.values.sequence_type import NodeItem

from ..python.scope import Focus, Scope
from ..python.windows import data_window_cursor
from .aggregates import IN_ORDER, Aggregate, Extraction
from .fed_records import ITEM
from .kernel_data_windows import windows_by_kernel
from .leaf_mapping import map_leaves
from .not_streamable import NotStreamable

if TYPE_CHECKING:
    from .build import StreamBuilder


def gives_at_once(body: Flux) -> bool:
    """Whether a body only returns a node or a value."""
    match body:
        case GiveItem(source=None) | Leaf():
            return True
        case If(body=inner) | Sequence(parts=(inner,)) | ProcessStream(handlers=(OnFirst(body=inner),)):
            return gives_at_once(inner)
    return False


class WindowPlanner:
    """Plans the window handlers of one program."""

    def __init__(self, builder: StreamBuilder) -> None:
        self.b = builder

    def plan(self, role: ScopeRole, index: int, handler: OnWindow | OnEach) -> None:
        """Collect the records of a path into windows."""
        b = self.b
        if any(step.axis == "descendant" for step in handler.path):
            raise NotStreamable("a window over descendants", handler.window)
        parent = role.step
        for step in handler.path[:-1]:
            parent = b.steps.follow(parent, step, Report.NOTHING).index
        planned = b.steps.follow(parent, handler.path[-1], Report.ITEM)
        written = handler
        handler, aggregates = self._aggregates(handler)
        add_needs(handler.body, {handler.variable: planned.kept})
        if planned.kept.above is not None:
            raise NotStreamable("what is in a window looks around", handler.window)
        if handler.window.kind != "count":
            item = ITEM.name.local
            reference = ITEM if handler.window.reference is None else ast.Path(ITEM, handler.window.reference)
            add_expression(reference, {item: planned.kept}, Use.STRING)
        slot = b.slot(handler.variable)
        b.windowed.add(handler.variable)
        feeds = []
        for aggregate in aggregates:
            whole = aggregate.of_item
            add_expression(whole.taken, {ITEM.name.local: planned.kept}, Use.PRESENCE if whole.counts else Use.STRING)
            feeder = b.aggregates.feeder(whole, ITEM.name.local)
            feeds.append((b.slot(aggregate.name), aggregate.function, feeder))
        names = [aggregate.name for aggregate in aggregates]
        body = b.code.function("window", handler.body, role, handler, names)
        made = WindowRole(planned.index, role, index, slot, body, self._cursor(handler), feeds)
        by_kernel = windows_by_kernel(b, written)
        if by_kernel is not None:
            made.by_kernel, planned.result, made.kernel_writes = by_kernel
        b.roles.append(made)

    def _aggregates(self, handler: OnWindow | OnEach) -> tuple[OnWindow | OnEach, list[Aggregate]]:
        """Aggregates over disjoint windows, if only these are read: then no item is held (§3.8.2.2)."""
        b, window = self.b, handler.window
        if not isinstance(handler, OnWindow) or not (window.step is None or window.step == window.size):
            return handler, []
        extraction = Extraction(handler.variable, b.next_aggregate, b.program_variables)
        body = map_leaves(handler.body, extraction)
        if handler.variable in free_variables(body) or any(a.function in IN_ORDER for a in extraction.found):
            return handler, []
        b.next_aggregate = extraction.number
        return replace(handler, body=body), extraction.found

    def _cursor(self, handler: OnWindow | OnEach) -> str:
        """def cursor(): a fresh cursor for the windows of one scope."""
        c = self.b.c
        with c.writer.function("cursor", [], c.describe(handler.window)) as frame, c.scoped(Scope({}, Focus(None))):
            c.writer.line(f"return {data_window_cursor(c, handler.window, NodeItem(nk.ELEMENT))}")
        return frame.name
