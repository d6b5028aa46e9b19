"""Outer joins over files in the order of one measure: what is kept are windows (thesis, 4.3.2: MatWin).

        left   ──────[ a batch ]──────────▶        A batch of the outer side meets the window of the other one:
        right  ────[── window ──]─────────▶        all that is not further from it than the limit allows.

Both files ascend by what a distance with a limit compares. A pass of its own finds out whether they do; where they
do not, both sides are kept whole. An item of the window is dropped once it is too far from all that is still to
come, and what will come is too far once an item is: differences of ascending values ascend, rounded or not, so that
no pair is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any, NamedTuple

from xylem.plan.best_match_plan import Term

from .join_spec import JoinSpec
from .scanned_side import ScannedSide
from .side_rows import Column, SideRows

WINDOWED_BYTES = 64 << 20
"""Files that are smaller together are kept whole: a pass to find out about their order would cost more."""
LEAST_ROWS = 8192
"""Of the outer side that meet a window at a time; as many as are in the window, where these are more."""


class Swept(NamedTuple):
    """One side of a distance: a leaf of it, and a constant that is added to it or taken from it."""

    side: str
    leaf: int
    constant: float = 0.0
    is_added: bool = True

    def of(self, value: float) -> float:
        return value + self.constant if self.is_added else value - self.constant


class Sweep(NamedTuple):
    """The distance by which windows move: what it compares of the outer and of the inner side, and its limit."""

    outer: Swept
    inner: Swept
    limit: float


def sweep_of(spec: JoinSpec, limits: Sequence[Any], constants: Sequence[Sequence[Any]]) -> Sweep | None:
    """The first order by which windows can move; None where there is none, or where results would have to wait."""
    outer = "left" if spec.left_is_first else "right"
    if spec.kind != outer or spec.pads_left or spec.pads_right:
        return None
    for order, limit in zip(spec.orders, limits, strict=True):
        if order.direction != "min" or not isinstance(limit, (int, float, Decimal)):
            continue
        match order.term:
            case ("abs", ("-", one, other)):
                found = [swept for swept in (_swept(one, constants), _swept(other, constants)) if swept is not None]
                by_side = {swept.side: swept for swept in found}
                if by_side.keys() == {"left", "right"}:
                    inner = "right" if outer == "left" else "left"
                    return Sweep(by_side[outer], by_side[inner], float(limit))
    return None


def _swept(term: Term, constants: Sequence[Sequence[Any]]) -> Swept | None:
    match term:
        case ("left" | "right" as side, int() as leaf):
            return Swept(side, leaf)
        case ("+" | "-" as op, ("left" | "right" as side, int() as leaf), ("constant", int() as place)):
            values = constants[place]
            if len(values) == 1 and isinstance(values[0], (int, float, Decimal)):
                return Swept(side, leaf, float(values[0]), op == "+")
    return None


Joined = Callable[[SideRows, SideRows], Iterator[Any]]


def windowed(sweep: Sweep, outer: ScannedSide, inner: ScannedSide, joined: Joined) -> Iterator[Any] | None:
    """What `joined` gives of each batch of the outer side with its window; None where files do not ascend.

    Holds:  a batch of the outer side, and what of the inner side lies within the limit of it.
    """
    if outer.size + inner.size < WINDOWED_BYTES:
        return None
    if not (outer.ascends(sweep.outer.leaf) and inner.ascends(sweep.inner.leaf)):
        return None
    return _swept_pairs(sweep, outer, inner, joined)


def _swept_pairs(sweep: Sweep, outer: ScannedSide, inner: ScannedSide, joined: Joined) -> Iterator[Any]:
    window: deque[tuple[SideRows, float]] = deque()
    coming = inner.batches()
    reached: float | None = None
    waiting: list[SideRows] = []
    for batch in chain(outer.batches(), (None,)):
        if batch is not None:
            waiting.append(batch)
            if sum(map(len, waiting)) < max(LEAST_ROWS, sum(len(rows) for rows, _ in window)):
                continue
        if not waiting:
            return
        rows = SideRows.together(waiting)
        waiting = []
        bounds = _bounds(rows, sweep.outer)
        if bounds is None:
            continue
        least, most = bounds
        while reached is None or not reached - most > sweep.limit:
            more = next(coming, None)
            if more is None:
                break
            found = _bounds(more, sweep.inner)
            if found is not None:
                reached = found[1]
                window.append((more, reached))
        while window and least - window[0][1] > sweep.limit:
            window.popleft()
        if window:
            yield from joined(rows, SideRows.together([rows for rows, _ in window]))


def _bounds(rows: SideRows, swept: Swept) -> tuple[float, float] | None:
    """The least and the greatest value of a batch; None where it has none."""
    column = rows.column(swept.leaf)
    assert isinstance(column, Column), "a pass has found nothing but numbers"
    found = column.numbers.bounds()
    return None if found is None else (swept.of(found[0]), swept.of(found[1]))
