"""Records of data windows: collected, or added to the aggregates of their window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from xylem.values.node import Node

from ..runtime.data_windows import WindowCursor
from .accumulator import Accumulator, accumulator
from .buffer import size_of
from .kept_copies import SeparateCopies, bytes_of_copies
from .kernel_windows import OpenKernelWindows
from .open_scope import OpenScope
from .roles import WindowRole

if TYPE_CHECKING:
    from .run import StreamRun

Action = Callable[[Node], None]
Handler = Callable[[Any, list[Any]], None]


class WindowRuns:
    """The actions of all window handlers of one run."""

    def __init__(self, run: StreamRun) -> None:
        self.run = run

    def item(self, role: WindowRole) -> Action:
        def act(node: Node) -> None:
            scope = self.run.open[role.scope.step]
            self.run.reach(scope, role.position, node)
            formed = self._formed(role, scope)
            if formed is not None:
                formed.give(node)
                return
            if role.aggregates:
                for slot, feed in self._fed(role, scope):
                    feed(self.run.env[slot], node)
                self.emit(role, scope, self.cursor(role, scope).push(None))
                return
            copies = scope.copies.setdefault(role.position, SeparateCopies())
            is_inside = copies.has(node)
            item = copies.take(node)
            size = 0 if is_inside else size_of(item)
            scope.window_bytes.append(size)
            self.run.statistics.hold(role.scope.variable, size, node)
            self.emit(role, scope, self.cursor(role, scope).push(item))

        return act

    def written(self, role: WindowRole) -> Action:
        """Rows that the scan has written, for windows that the kernel forms."""

        def act(node: Node) -> None:
            scope = self.run.open[role.scope.step]
            self.run.reach(scope, role.position, node)
            formed, rows = self._formed(role, scope), next(self.run.written)
            assert formed is not None
            formed.markup(rows.text, rows.items)
            formed.advance()

        return act

    def _formed(self, role: WindowRole, scope: OpenScope) -> OpenKernelWindows | None:
        """The windows of a scope, if the kernel forms them: it does if the scan may write rows."""
        if role.by_kernel is None:
            return None
        if role.position not in scope.formed:
            scope.formed[role.position] = None
            windows = self.run.space[role.by_kernel]()
            if windows.can_run and getattr(self.run.output, "takes_markup", False):
                made = OpenKernelWindows(windows, self.run.output, role.scope.variable, self.run.statistics)
                scope.formed[role.position] = made
        return scope.formed[role.position]

    def finish(self, role: WindowRole, scope: OpenScope) -> None:
        """The records of a scope have ended."""
        formed = self._formed(role, scope)
        if formed is not None:
            formed.close()
        else:
            self.emit(role, scope, self.cursor(role, scope).finish())

    def _fed(self, role: WindowRole, scope: OpenScope) -> Iterator[tuple[int, Callable[[Accumulator, Node], None]]]:
        """The slots of a window's aggregates, which start empty, with their feeders."""
        is_new = role.position not in scope.aggregated
        scope.aggregated.add(role.position)
        for slot, function, feeder in role.aggregates:
            if is_new:
                self.run.env[slot] = accumulator(function, self.run.context)
            yield slot, self.run.space[feeder]

    def cursor(self, role: WindowRole, scope: OpenScope) -> WindowCursor:
        cursor = scope.cursors.get(role.position)
        if cursor is None:
            cursor = scope.cursors[role.position] = self.run.space[role.cursor]()
        return cursor

    def emit(self, role: WindowRole, scope: OpenScope, complete: Iterator[list[Any]]) -> None:
        body: Handler = self.run.space[role.body]
        has_moved = False
        for window in complete:
            if role.aggregates:
                scope.aggregated.discard(role.position)
                body(self.run.output, self.run.env)
                continue
            self.run.env[role.slot] = window
            body(self.run.output, self.run.env)
            has_moved = True
        if not has_moved:
            return
        # Items that later windows do not need are gone.
        held = bytes_of_copies(self.cursor(role, scope).held())
        self.run.statistics.hold(role.scope.variable, held - sum(scope.window_bytes))
        scope.window_bytes = [held]
