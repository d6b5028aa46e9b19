"""Outer joins over two sides in the order of one value: the join keeps only windows of both (`sweep.py`).

The declaration of a stream says how far it is in order. For files, a separate pass checks the order; if a file is out
of order, the join keeps both sides whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from xylem.errors import DynamicError
from xylem.functions.late_items import LateItems

from .carried_sweep import CarriedSweep
from .disorder import Progress, StreamOrder
from .joining import Joining
from .live_side import LiveSide
from .moving_window import Sweep, sweep_of
from .numeric_join import NumericJoin
from .scanned_side import ScannedSide
from .side_rows import SideRows
from .sweep import Sweeping, SweptSide

WINDOWED_BYTES = 64 << 20
"""Smaller files (together) are kept whole: a pass to check their order would cost more."""
LEAST_ROWS = 8192
"""Smallest number of rows of the first side per window; a window with more rows raises it."""

Tuples = Iterator[tuple[Any, Any]]


def tuples_of(joining: Joining, left: SideRows | ScannedSide, right: SideRows | ScannedSide) -> Tuples:
    """The rows of each pair of a join; of ordered files, only windows are kept."""
    if isinstance(left, ScannedSide) and isinstance(right, ScannedSide):
        swept = windowed(joining, left, right)
        if swept is not None:
            return swept
    return joining.rows_of(
        left.whole(joining.pages) if isinstance(left, ScannedSide) else left,
        right.whole(joining.pages) if isinstance(right, ScannedSide) else right,
    )


def windowed(joining: Joining, left: ScannedSide, right: ScannedSide) -> Tuples | None:
    """The rows of each pair by windows of two files; None if they are small or unordered."""
    spec = joining.spec
    if spec.kind == "inner" or spec.pads_left or spec.pads_right or left.size + right.size < WINDOWED_BYTES:
        return None
    sweep = sweep_of(spec, joining.limits, joining.constants)
    first, second = (left, right) if spec.left_is_first else (right, left)
    if sweep is None or not (first.ascends(sweep.first.leaf) and second.ascends(sweep.second.leaf)):
        return None
    in_order, pages = StreamOrder(), joining.pages
    sides = [
        SweptSide(side.batches(pages), value, Progress(in_order, "a file", None), joining.timezone, seen=seen)
        for side, value, seen in zip((first, second), (sweep.first, sweep.second), _seen(joining), strict=True)
    ]
    return _sweeping(joining, sweep, (sides[0], sides[1])).tuples(LEAST_ROWS)


class DeclaredSide(NamedTuple):
    """The declared order of one side of a join of streams."""

    name: str
    order: StreamOrder


def swept_tuples(
    joining: Joining,
    left: LiveSide | SideRows,
    right: LiveSide | SideRows,
    declared: tuple[DeclaredSide, DeclaredSide],
    direction: int,
    late_items: LateItems | None,
    carried: CarriedSweep | None = None,
) -> Tuples:
    """The rows of each pair of a join of streams; a side that does not stream is kept while it is needed.

    `carried`: the state carried from run to run, if each run gets only the input so far.
    """
    sweep = sweep_of(joining.spec, joining.limits, joining.constants, direction)
    if sweep is None:
        raise DynamicError("XYDY0013", "the bound of the windows is neither a number nor a duration")
    is_first = joining.spec.left_is_first
    given = (left, right) if is_first else (right, left)
    told = declared if is_first else declared[::-1]
    goes_on = carried is not None and not carried.is_last
    sides = []
    for side, said, value, seen in zip(given, told, (sweep.first, sweep.second), _seen(joining), strict=True):
        is_live = isinstance(side, LiveSide)
        taken = 0 if carried is None else carried.side(said.name).taken
        batches: Iterable[SideRows] = side.batches(joining.pages, taken) if isinstance(side, LiveSide) else (side,)
        order = said.order if is_live else StreamOrder(within=float("inf"))
        mark = None if order.punctuation is None else value._replace(leaf=order.punctuation)
        progress = Progress(order, said.name, late_items, direction)
        swept = SweptSide(batches, value, progress, joining.timezone, mark, seen, goes_on=goes_on and is_live)
        if carried is not None and isinstance(side, LiveSide):
            carried.go_on(said.name, side, swept, progress)
        sides.append(swept)
    both = sides[0], sides[1]
    if carried is None:
        return _sweeping(joining, sweep, both).tuples()
    return carried.tuples([said.name for said in told], both, partial(_sweeping, joining, sweep, both))


def _seen(joining: Joining) -> list[Callable[[SideRows], None]]:
    """The callbacks for rows of the first and the second side."""
    sides = ("left", "right") if joining.spec.left_is_first else ("right", "left")
    return [partial(joining.saw, side) for side in sides]


def _sweeping(joining: Joining, sweep: Sweep, sides: tuple[SweptSide, SweptSide], given: int = 0) -> Sweeping:
    spec = joining.spec
    keeps_first = spec.kind != ("left" if spec.left_is_first else "right")
    last: list[NumericJoin] = []

    def numeric(left: SideRows, right: SideRows) -> NumericJoin:
        """The column arithmetic; its analysis stays valid while the kinds of the columns do not change."""
        known = last[0].again(left, right) if last else None
        last[:] = [known or joining.numeric(left, right, "both")]
        return last[0]

    def joined(first: SideRows, second: SideRows, start: int, end: int) -> Tuples:
        rows = (first, second) if spec.left_is_first else (second, first)
        return joining.rows_between(*rows, start, end, numeric) if keeps_first else joining.rows_of(*rows, numeric)

    return Sweeping(sweep, sides, joined, keeps_first=keeps_first, given=given)
