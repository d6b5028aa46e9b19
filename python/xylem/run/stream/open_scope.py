"""The state of one open element whose children are processed as a stream."""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.schema.past_tracker import PastTracker
from xylem.values.node import Node

from ..runtime.data_windows import WindowCursor
from .accumulator import Accumulator
from .buffer import Buffer
from .collector import Recorder
from .kept_copies import SeparateCopies
from .kernel_windows import OpenKernelWindows
from .regions import Regions
from .roles import ScopeRole


class Expected:
    """Records that may contain each other, put into the order in which they started.

    Holds:  those inside the outermost open one.
    """

    __slots__ = ("_open", "_places")

    def __init__(self) -> None:
        self._places: list[Node | None] = []
        self._open: list[int] = []

    def started(self) -> None:
        self._open.append(len(self._places))
        self._places.append(None)

    def ended(self, node: Node) -> list[Node]:
        """The records that are complete, if the outermost one is."""
        self._places[self._open.pop()] = node
        if self._open:
            return []
        ready = [place for place in self._places if place is not None]
        self._places.clear()
        return ready


@dataclass(eq=False)
class OpenScope:
    """A scope while its element is open."""

    role: ScopeRole
    depth: int
    """Depth of its element."""
    next_handler: int = 0
    reached: int = -1
    """The last handler that has fired at least once."""
    tracker: PastTracker | None = None
    """Tells when symbols are past, if this must be followed child by child."""
    buffer: Buffer | None = None
    aggregates: list[Accumulator] = field(default_factory=list)
    waiting: list[Region] = field(default_factory=list)
    """Nested records whose results are not written yet, in the order they started."""
    started: list[Region] = field(default_factory=list)
    """Those of them that have not ended, innermost last."""
    cursors: dict[int, WindowCursor] = field(default_factory=dict)
    """The windows of its on-window and on-each handlers, by handler."""
    formed: dict[int, OpenKernelWindows | None] = field(default_factory=dict)
    """The same for windows that the kernel forms; None for other handlers."""
    copies: dict[int, SeparateCopies] = field(default_factory=dict)
    """Copies of the items of these windows, by handler."""
    window_bytes: list[int] = field(default_factory=list)
    aggregated: set[int] = field(default_factory=set)
    """The handlers whose aggregates over a window have begun."""
    expected: dict[int, Expected] = field(default_factory=dict)
    """The records that aggregates must take in the order they started, by step."""
    regions: dict[int, Regions] = field(default_factory=dict)
    """Results that wait for predicates, by the step of the result."""
    counts: dict[int, int] = field(default_factory=dict)
    """Number of records that each on-handler has taken, by step."""


@dataclass(eq=False)
class Region:
    """The place of a record's result among the others."""

    number: int = 0
    """Number of the record, if a positional variable needs it."""
    recorder: Recorder | None = None
    """The result, if it is complete but earlier ones must come first."""
    node: Node | None = None
    """The record itself, if its number is only known when its turn comes."""


def depth_of(node: Node) -> int:
    """The number of elements and documents around a node."""
    return node.tree.depth(node.pre)
