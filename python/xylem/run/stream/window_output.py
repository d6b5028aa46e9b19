"""The output of a run with windows: items written between the brackets of a window clause go to that clause.

The clause takes the items of a batch together when the batch has passed. Windows, variables, user functions and waiting
results own the nodes; this module holds only weak references. Most nodes are gone when the batch ends, and the rest are
copied out of their batch together, so that they stay in document order.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

from xylem.errors import XylemError
from xylem.values.growing_tree import GrowingTree, append_child, opened
from xylem.values.name_pool import KIND_MASK
from xylem.values.node import ELEMENT, Node
from xylem.values.tree import leaf

from ..windows.feed import PAUSE, Feed
from .buffer import size_of
from .collector import Collector
from .kernel_windows import OpenKernelWindows, WindowsByKernel
from .statistics import Statistics


class WindowOutput:
    """An output that forwards to another, except for events between brackets.

    Holds:  the items of this batch; the cursors hold those that open windows need.
    """

    def __init__(self, target: Any, statistics: Statistics, new_collector: Callable[[], Collector]) -> None:
        self._target = self._top = target
        self.item: Callable[[Any], None] = self._item
        self.give: Callable[[Any], None] = self._give
        self._statistics = statistics
        self._new_collector = new_collector
        self._open: list[_OpenWindows | OpenKernelWindows] = []
        self._takes_nodes = False
        """Whether windows that the kernel could form are formed here: then the scan must write no rows."""
        self._may_have_rows = False
        """Whether the scan may write rows."""

    # --- windows

    def open_windows(
        self,
        make: Callable[[Feed], Iterator[Any]],
        variable: str,
        keeps_tuples: bool,
        gives_all: bool = False,
        by_kernel: WindowsByKernel | None = None,
    ) -> None:
        """Start taking items; `make` computes the results of the fed items.

        With `gives_all`, the outer windows get nothing but these results. With `by_kernel`, the kernel may form the
        windows.
        """
        if by_kernel is not None:
            if by_kernel.can_run and (self._may_have_rows or self.takes_markup):
                formed = OpenKernelWindows(by_kernel, self._top, variable, self._statistics)
                self._open.append(formed)
                self._stand_in(formed)
                return
            self._takes_nodes = True
        windows = _OpenWindows(make, self._top, variable, keeps_tuples, self._statistics, self._new_collector())
        around = self._open[-1] if gives_all else None
        windows.around = around if isinstance(around, _OpenWindows) else None
        self._open.append(windows)
        self._stand_in(windows)

    def _stand_in(self, windows: _OpenWindows | OpenKernelWindows) -> None:
        """Redirect the write methods to these without a call in between, because they are called often."""
        self._top = windows
        self.item, self.give = windows.item, windows.give

    def _give(self, node: Any) -> None:
        """Pass a node of the stream, or a value computed from it, to the innermost windows."""
        self._top.give(node)

    def close_windows(self) -> None:
        """The items of the innermost windows have ended."""
        self._open.pop().close()
        self._takes_nodes = False
        if self._open:
            self._stand_in(self._open[-1])
            return
        self._top = self._target
        self.item, self.give = self._item, self._give

    def after(self, take: Callable[[], None]) -> None:
        """Take a batch, then process the items that came with it."""
        try:
            take()
        except XylemError:
            # The items before the error are answered.
            self._advance()
            raise
        self._advance()

    @property
    def is_over(self) -> bool:
        """Whether the outermost windows give no more results before they are closed."""
        return bool(self._open) and self._open[0].is_over

    def _advance(self) -> None:
        for windows in reversed(self._open):
            windows.advance()

    # --- the interface of any output

    @property
    def takes_markup(self) -> bool:
        found = bool(getattr(self._target, "takes_markup", False)) and not self._takes_nodes
        self._may_have_rows |= found
        return found

    def start_element(self, *arguments: Any) -> None:
        self._top.start_element(*arguments)

    def attribute(self, name: Any, value: str) -> None:
        self._top.attribute(name, value)

    def text(self, value: str) -> None:
        self._top.text(value)

    def _item(self, item: Any) -> None:
        # The first item may replace the output, so its methods must not be cached.
        self._top.item(item)

    def markup(self, text: str, items: int = 1, *atomic: bool) -> None:
        self._top.markup(text, items, *atomic)

    def end_element(self) -> None:
        self._top.end_element()

    def finish(self) -> None:
        self._target.finish()


class _OpenWindows:
    """One window clause that receives items. It is the output for events between its brackets."""

    def __init__(
        self,
        make: Callable[[Feed], Iterator[Any]],
        target: Any,
        variable: str,
        keeps_tuples: bool,
        statistics: Statistics,
        collector: Collector,
    ) -> None:
        self._feed = Feed()
        self._results = make(self._feed)
        self._target = target
        self._variable = variable
        self._keeps_tuples = keeps_tuples
        """Whether tuples wait for the last one: then nothing in them may keep a whole batch."""
        self._statistics = statistics
        self._collector = collector
        self.around: _OpenWindows | None = None
        """The outer windows, if they get nothing but the results of these."""
        self.is_over = False
        """Whether no further input can change the answer."""
        self._given: list[ref[Node]] = []
        self._sizes: deque[int] = deque()
        self._bytes = 0
        self._depth = 0
        """Number of elements under construction."""
        self.attribute = collector.attribute
        self.text = collector.text

    # --- items

    def give(self, node: Any) -> None:
        """Add a node of the stream, still in its batch, or a value computed from it."""
        if type(node) is not Node:
            self.item(node)
            return
        # A separate handle: it may be moved, but the stream's own variables must not be.
        node = Node(node.tree, node.pre)
        if self._keeps_tuples:
            _move([node])
        self._given.append(ref(node))
        self._feed.items.append(node)
        if self._statistics.is_exact:
            self.advance()

    def item(self, item: Any) -> None:
        """Add a value, or content of the element under construction."""
        if not self._depth and type(item) is not Node and not self._collector.ready:
            self._feed.items.append(item)
            return
        self._collector.item(item)
        self._take()

    def markup(self, text: str, items: int = 1) -> None:
        self._collector.markup(text, items)
        self._take()

    def start_element(self, *arguments: Any) -> None:
        self._depth += 1
        self._collector.start_element(*arguments)

    def end_element(self) -> None:
        self._depth -= 1
        self._collector.end_element()
        self._take()

    def _take(self) -> None:
        ready = self._collector.ready
        while ready:
            item = ready.popleft()
            if self._keeps_tuples and type(item) is Node:
                item = Node(item.tree, item.pre)
                _move([item])
            self._feed.items.append(item)

    # --- results

    def advance(self) -> None:
        """Process the items given so far."""
        fed = self._feed.items
        if self._statistics.is_exact and self._sizes:
            # The item that ends a window is held with those before it.
            size = sum(map(_size_of, fed))
            self._statistics.hold_window(self._variable, len(fed), size)
            self._statistics.hold_window(self._variable, -len(fed), -size)
        self._draw()
        if self._keeps_tuples:
            self._given.clear()
        elif self._given:
            given, self._given = self._given, []
            # A value that was fed owns nothing.
            del fed
            _move([node for one in given if (node := one()) is not None])
            fed = [one() for one in given]
        self._account(fed)

    def close(self) -> None:
        self._feed.is_closed = True
        self._draw()
        self._statistics.hold_window(self._variable, -len(self._sizes), -self._bytes)

    def _draw(self) -> None:
        target = self._target
        if self.is_over:
            self._feed.items.clear()
            return
        for result in self._results:
            if result is PAUSE:
                return
            # The first item may replace the output, so its methods must not be cached.
            target.item(result)
        self.is_over = True
        if self.around is not None:
            self.around.end()

    def end(self) -> None:
        """No further item will come."""
        self._feed.is_closed = True
        self._draw()

    def _account(self, fed: list[Any]) -> None:
        """Record the bytes held for the last items."""
        cursor = self._feed.cursor
        held = 0 if cursor is None else cursor.held_count()
        sizes, items, before = self._sizes, len(self._sizes), self._bytes
        while sizes and len(sizes) + len(fed) > held:
            self._bytes -= sizes.popleft()
        for item in fed[max(0, len(fed) - held) :]:
            size = _size_of(item)
            sizes.append(size)
            self._bytes += size
        if self._bytes != before or len(sizes) != items:
            self._statistics.hold_window(self._variable, len(sizes) - items, self._bytes - before)


def _size_of(item: Any) -> int:
    """The size of an item; 0 for one that is not kept (None)."""
    if item is None:
        return 0
    return size_of(item) if isinstance(item, Node) else sys.getsizeof(item)


def _move(nodes: list[Node]) -> None:
    """Replace nodes by copies in one tree, so that they outlive their batch.

    Nodes arrive in document order: a nested node stays inside the copy of the outer one.
    """
    tree: GrowingTree | None = None
    source: Any = None
    start = end = place = 0
    for node in nodes:
        old, row = node.tree, node.pre
        if source is old and start <= row < end:
            assert tree is not None
            node.tree, node.pre = tree, place + row - start
            continue
        if old.codes[row] & KIND_MASK != ELEMENT:
            node.tree = leaf(old.names, old.codes[row], old.values[row] or "", old.name(row)).tree
            node.pre = 0
            continue
        parent = node.parent
        if parent is None:
            # A constructed element: its tree is its own already, now that its rows have been read.
            assert old.native is None
            continue
        if tree is None or source is not old:
            tree, source = opened(parent), old
        start, end, place = row, old.end(row), len(tree)
        append_child(tree, node)
        node.tree, node.pre = tree, place
