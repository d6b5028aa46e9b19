"""Windows that the kernel forms (`plan/native_windows.py`): its calls back into the query, and its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from xylem.errors import EngineBug
from xylem.functions.context import Context
from xylem.plan.native_windows import KernelWindows
from xylem.source.kernel import is_kernel_built, window_cursor
from xylem.values.node import Node

from ..aggregates.state import Failed
from ..windows.foldings import folding, whole
from .statistics import Statistics


class WindowsByKernel:
    """One window clause, with the query code for everything that the kernel leaves undecided."""

    def __init__(
        self,
        windows: KernelWindows,
        functions: tuple[Callable[..., Any] | None, ...],
        items: Callable[..., Iterable[Any]],
        row: Callable[[Node], list[list[str]]],
        context: Context,
    ) -> None:
        """`functions` by number: the conditions at start and end, the shared one, the key, the values of aggregates."""
        self.windows = windows
        self.row = row
        self._functions = functions
        self._items = items
        self._context = context
        self.write: Callable[[list[Any]], None] | None = None
        """Writes results before all rows at hand have been read."""

    @property
    def can_run(self) -> bool:
        return is_kernel_built()

    # --- callbacks of the kernel

    def truth(self, number: int, given: tuple[Any, ...]) -> bool:
        """Whether a condition holds."""
        return bool(self._function(number)(*given))

    def values(self, number: int, given: tuple[Any, ...]) -> list[Any]:
        """The values that a row adds to an aggregate."""
        found: list[Any] = self._function(number)(*given)
        return found

    def reference(self, number: int, given: tuple[Any, ...], last: float) -> float:
        """The value that assigns an item to windows of a grid, given the last one."""
        found: float = self._function(number)(*given, last)
        return found

    def flush(self, results: list[Any]) -> None:
        """Write results early: one row has many."""
        assert self.write is not None
        self.write(results)

    def items(self, given: tuple[Any, ...]) -> list[Any]:
        """The result of a window."""
        return list(self._items(*given))

    def folded(self, aggregate: int, values: list[Any]) -> Any:
        """An aggregate of values."""
        return whole(self.windows.aggregates[aggregate][0], self._context)(values)

    def begin(self, aggregate: int, so_far: Any, count: int) -> Any:
        """A running aggregate that continues from some values."""
        running: Any = folding(self.windows.aggregates[aggregate][0], True, self._context)
        running.resume(so_far, count)
        return running

    def add(self, running: Any, values: list[Any]) -> None:
        running.add(values)

    def result(self, running: Any) -> Any:
        return running.result(0)

    def failed(self, error: Any) -> Failed:
        """The placeholder of a failed aggregate; reading the aggregate raises its error."""
        return Failed.with_error(error)

    def _function(self, number: int) -> Callable[..., Any]:
        found = self._functions[number]
        assert found is not None, number
        return found


class OpenKernelWindows:
    """One window clause that receives rows. It is the output for events between its brackets.

    Holds:  nothing beyond the kernel's state.
    """

    is_over = False
    around = None

    def __init__(self, windows: WindowsByKernel, target: Any, variable: str, statistics: Statistics) -> None:
        self._row = windows.row
        self._cursor = window_cursor(windows.windows, windows)
        windows.write = self._write
        self._target = target
        self._variable = variable
        self._statistics = statistics
        self._held = 0, 0

    def give(self, node: Any) -> None:
        """Pass a node for which the scan has made no row."""
        if not isinstance(node, Node):
            raise EngineBug("XYBUG0001", "a value is given to windows over nodes")
        self._write(*self._cursor.push_row(self._row(node)))

    def markup(self, text: str, items: int = 1) -> None:
        """Rows that the scan has written."""
        self._write(*self._cursor.push(text, items))

    def advance(self) -> None:
        """A batch has been read."""
        rows, size = self._cursor.held()
        before, self._held = self._held, (rows, size)
        if before != self._held:
            self._statistics.hold_window(self._variable, rows - before[0], size - before[1])

    def close(self) -> None:
        """The items have ended."""
        self._write(*self._cursor.finish())
        self._statistics.hold_window(self._variable, -self._held[0], -self._held[1])

    def item(self, item: Any) -> None:
        self.give(item)

    def _write(self, results: list[Any], failure: BaseException | None = None) -> None:
        target = self._target
        for result in results:
            if type(result) is tuple:
                text, items = result
                if text:
                    target.markup(text, items)
                continue
            for item in result:
                # The first item may replace the output, so its methods must not be cached.
                target.item(item)
        if failure is not None:
            raise failure
