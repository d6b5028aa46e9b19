"""The explanation of a best-match join: the role of each order, and what is held until when."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xylem.syntax import ast

from .best_match_plan import BestMatchCriterion, BestMatchPlan
from .best_match_window import MovingWindow, bounds_window, is_about

_DISTANCES = ("abs",), ("distance",)


def told(
    plan: BestMatchPlan,
    orders: list[str],
    scanned: list[bool],
    is_looked_up: bool = False,
    live: Sequence[bool] = (False, False),
    window: MovingWindow | None = None,
    text_of: Callable[[ast.Expr], str] = str,
) -> list[tuple[str, str]]:
    """(topic, text) pairs; `orders` are the orders as written, `scanned` says which sides are read from their files,
    `is_looked_up` that the first side arrives item by item, `live` which sides may never end, `window` the value that
    windows move along, `text_of` returns the spelling of an expression.
    """
    spilled = None
    if window is not None and not is_looked_up and _is_arithmetic(plan) and (any(live) or all(scanned)):
        spilled = _spilled(plan, window, any(live), text_of)
    if not (any(live) or (all(scanned) and not is_looked_up and _may_be_swept(plan))):
        window = None
    notes = []
    for criterion, text in zip(plan.criteria, orders, strict=True):
        notes.append(("best match", f"{text}: {_role(criterion, window)}"))
    notes.append(("best match", _held(plan, scanned, is_looked_up, any(live), window)))
    if spilled is not None:
        notes.append(("best match", spilled))
    for test in plan.tests:
        how = "rules out pairs by columns" if test.op else "is tested on each pair that columns leave"
        is_bound = window is not None and bounds_window(test, window)
        notes.append(("best match", f"the `where` before it {how}{', and bounds the windows' if is_bound else ''}"))
    return notes


def _held(
    plan: BestMatchPlan, scanned: list[bool], is_looked_up: bool, is_live: bool, window: MovingWindow | None
) -> str:
    first, second = (plan.left, plan.right) if plan.left_is_first else (plan.right, plan.left)
    names = f"${plan.left.binding.name} and ${plan.right.binding.name}"
    if is_looked_up:
        return (
            f"holds ${second.binding.name} in an index, made once, and one ${first.binding.name} at a time, until its"
            " partners are found: its results come with it"
        )
    if window is not None:
        of_both = plan.written.kind != ("left" if plan.left_is_first else "right")
        until = f" and each ${second.binding.name} it is paired with has met all of its own" if of_both else ""
        when = f"results of each ${first.binding.name} come when its window is complete{until}"
        where = "" if is_live else " where both files are in the order of that difference, else both sides"
        return f"holds a window of {names}{where}; {when}"
    if any(scanned):
        read = " and ".join(
            f"${side.binding.name}" for side, is_read in zip((plan.left, plan.right), scanned, strict=True) if is_read
        )
        return f"holds what is read of {names}; {read} from the file, without a tree of it"
    return f"holds all of {names}, and columns of what orders compare"


def _is_arithmetic(plan: BestMatchPlan) -> bool:
    """Whether pairs are found by columns of numbers alone."""
    return all(one.term is not None for one in plan.criteria) and all(test.op for test in plan.tests)


def _spilled(
    plan: BestMatchPlan, window: MovingWindow, is_live: bool, text_of: Callable[[ast.Expr], str]
) -> str:
    """Where sides that do not fit in memory are spilled (thesis, 4.3.4.2 and 4.3.4.3)."""
    if is_live:
        return "with `--spill`, items of the windows that have no room wait in pages of a file; their numbers stay"
    left, right = plan.left.leaves[window.left], plan.right.leaves[window.right]
    return (
        "with `--spill`, what has no room waits in pages of a file; numbers that have none are divided by ranges of"
        f" {text_of(left)}, and their partners by {text_of(right)}: as cells, a list of pages for each range, or"
        " as sorted runs, where an item is within reach of many ranges"
    )


def _may_be_swept(plan: BestMatchPlan) -> bool:
    return plan.written.kind != "inner" and not plan.pads_left and not plan.pads_right


def _role(criterion: BestMatchCriterion, window: MovingWindow | None) -> str:
    if window is not None and criterion.written.limit is not None and is_about(criterion.term, window):
        return "window, it bounds what is compared and held"
    if criterion.term is None:
        return "tested by the query's own expression, on the pairs that other orders leave"
    if criterion.written.limit is not None:
        if criterion.term[:1] in _DISTANCES:
            return "grid, its limit is an edge of cells in ε-grid order, or of boxes: what is beyond is not looked at"
        return "grid, boxes beyond its limit are not looked at"
    if criterion.term[:1] in _DISTANCES:
        return "searched, nearest first"
    return "searched, boxes that are worse are left out"
