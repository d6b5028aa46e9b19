"""The measurements of a run, and the limit on the bytes it may buffer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xylem.errors import DynamicError, InputPlace, Span
from xylem.source.limits import DEFAULT_LIMITS
from xylem.values.node import Node

from .late_children import path_of

if TYPE_CHECKING:
    from ..counters import Counters


@dataclass
class Statistics:
    """The measurements of a run."""

    records: int = 0
    input_bytes: int = 0
    buffered_bytes: dict[str, int] = field(default_factory=dict)
    """Bytes held now, by variable."""
    peak_by_variable: dict[str, int] = field(default_factory=dict)
    peak_buffered_bytes: int = 0
    held_bytes: int = 0
    """Bytes held now, by all variables."""
    recent_peak_bytes: int = 0
    """The peak since it was last reset to `held_bytes`."""
    limit_bytes: int = DEFAULT_LIMITS.buffered_bytes
    """The limit on held bytes."""
    why: Callable[[], tuple[str, Span | None]] | None = None
    """Explains why the query holds anything, and where in it; called when the limit is exceeded."""
    passes: int = 1
    """Number of passes over the input, including the current one."""
    window_items: int = 0
    """Number of items that windows hold now."""
    peak_window_items: int = 0
    counters: Counters | None = None
    """Items in and out of operators, if they are counted."""
    is_exact: bool = False
    """Whether to measure the items of windows after every item, and not only after each batch."""

    def hold_window(self, variable: str, items: int, size: int) -> None:
        """Add to the number of items held for windows, or subtract from it."""
        self.window_items += items
        if self.window_items > self.peak_window_items:
            self.peak_window_items = self.window_items
        self.hold(variable, size)

    def hold(self, variable: str, size: int, node: Node | None = None) -> None:
        """Add to the bytes held for a variable (or subtract, if negative); `node` is the node they belong to."""
        held = self.buffered_bytes.get(variable, 0) + size
        self.buffered_bytes[variable] = held
        if held > self.peak_by_variable.get(variable, 0):
            self.peak_by_variable[variable] = held
        self.held_bytes += size
        if self.held_bytes > self.recent_peak_bytes:
            self.recent_peak_bytes = self.held_bytes
            if self.held_bytes > self.peak_buffered_bytes:
                self.peak_buffered_bytes = self.held_bytes
                if self.held_bytes > self.limit_bytes:
                    raise self._too_much(variable, held, node)

    def forget_held(self) -> None:
        """Nothing is held any more: its holder is gone, whether or not it finished."""
        self.buffered_bytes.clear()
        self.held_bytes = self.recent_peak_bytes = 0

    def for_pass(self) -> Statistics:
        """The statistics of an earlier pass over the same input, for `add_pass`."""
        return Statistics(passes=self.passes, counters=self.counters)

    def add_pass(self, earlier: Statistics) -> None:
        """Add the measurements of an earlier pass over the same input."""
        if earlier.counters is not None:
            earlier.counters.end_pass(self.passes)
        self.passes += 1
        self.records += earlier.records
        for variable, size in earlier.peak_by_variable.items():
            self.peak_by_variable[variable] = max(size, self.peak_by_variable.get(variable, 0))
        self.peak_buffered_bytes = max(self.peak_buffered_bytes, earlier.peak_buffered_bytes)

    def item_too_large(self, place: InputPlace | None) -> DynamicError:
        """XYDY0005 for an incomplete item that already exceeds the buffer limit in the scan."""
        because, span = ("", None) if self.why is None else self.why()
        told = f"an item of more than the {self.limit_bytes:,} bytes that are allowed{place or ''}"
        return DynamicError("XYDY0005", f"{told}; {because}" if because else told, span=span)

    def _too_much(self, variable: str, held: int, node: Node | None) -> DynamicError:
        most = f"{self.held_bytes:,} bytes where {self.limit_bytes:,} are allowed"
        where = "" if node is None else f" at {path_of(node)}"
        place = f"{where}, within the first {self.input_bytes:,} bytes of input"
        because, span = ("", None) if self.why is None else self.why()
        told = f"{most}{place}; ${variable} alone holds {held:,}"
        return DynamicError("XYDY0005", f"{told}, because {because}" if because else told, span=span)
