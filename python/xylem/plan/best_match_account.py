"""What `explain` tells of a best-match join: the role of each order, and what is held until when."""

from __future__ import annotations

from .best_match_plan import BestMatchCriterion, BestMatchPlan, Term


def told(
    plan: BestMatchPlan, orders: list[str], scanned: list[bool], is_looked_up: bool = False
) -> list[tuple[str, str]]:
    """(topic, text) pairs; `orders` are the orders as written, `scanned` says which sides are read from their
    files, `is_looked_up` that the first side comes item by item.
    """
    swept = swept_order(plan) if all(scanned) and not is_looked_up else None
    notes = []
    for number, (criterion, text) in enumerate(zip(plan.criteria, orders, strict=True)):
        notes.append(("best match", f"{text}: {_role(criterion, number == swept)}"))
    names = f"${plan.left.binding.name} and ${plan.right.binding.name}"
    if is_looked_up:
        first, second = (plan.left, plan.right) if plan.left_is_first else (plan.right, plan.left)
        notes.append((
            "best match",
            f"holds ${second.binding.name} in an index, made once, and one ${first.binding.name} at a time, until its"
            " partners are found: its results come with it",
        ))  # fmt: skip
    elif swept is not None:
        outer = plan.left if plan.left_is_first else plan.right
        notes.append((
            "best match",
            f"holds a window of {names} where both files are in the order of that distance, else both sides; results of"
            f" each ${outer.binding.name} come when its window is complete",
        ))  # fmt: skip
    elif any(scanned):
        read = " and ".join(
            f"${side.binding.name}" for side, is_read in zip((plan.left, plan.right), scanned, strict=True) if is_read
        )
        notes.append(("best match", f"holds what is read of {names}; {read} from the file, without a tree of it"))
    else:
        notes.append(("best match", f"holds all of {names}, and columns of what orders compare"))
    for test in plan.tests:
        how = "rules out pairs by columns" if test.op else "is tested on each pair that columns leave"
        notes.append(("best match", f"the `where` before it {how}"))
    return notes


def swept_order(plan: BestMatchPlan) -> int | None:
    """The order along which windows may move: the first distance with a limit, of an outer join of the first loop."""
    if plan.written.kind != ("left" if plan.left_is_first else "right") or plan.pads_left or plan.pads_right:
        return None
    for number, criterion in enumerate(plan.criteria):
        order = criterion.written
        if _is_distance(criterion.term) and order.limit is not None and order.direction == "min":
            return number
    return None


def _role(criterion: BestMatchCriterion, is_swept: bool) -> str:
    if is_swept:
        return "window, it bounds what is compared and held"
    if criterion.term is None:
        return "tested by the query's own expression, on the pairs that other orders leave"
    if criterion.written.limit is not None:
        return "grid, pairs beyond its limit are not looked at"
    return "searched, nearest first" if _is_distance(criterion.term) else "searched, boxes that are worse are left out"


def _is_distance(term: Term | None) -> bool:
    match term:
        case ("abs", ("-", one, other)):
            return {_side(one), _side(other)} == {"left", "right"}
    return False


def _side(term: Term) -> str:
    match term:
        case ("left" | "right" as side, _):
            return str(side)
        case ("+" | "-", inner, ("constant", _)):
            return _side(inner)
    return ""
