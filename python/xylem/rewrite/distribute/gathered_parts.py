"""How the tasks of a part receive the items of another part: all of them, or only those whose key may match."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from xylem.analysis.free_variables import free_in
from xylem.plan.distribution import Join, PartKind
from xylem.plan.spread import Lookup, SpreadPart
from xylem.syntax import ast

_COMPARISONS = (ast.GeneralComparison, ast.ValueComparison)


COLLATED = "strings are compared by the default collation of the query, which no key decides"


def joined_by_key(parts: tuple[SpreadPart, ...], frame: ast.Expr) -> tuple[SpreadPart, ...]:
    """The parts; those whose items are everywhere looked up by key alone are marked."""
    return tuple(
        replace(part, is_joined_by_key=True) if not _why_whole(part, parts) and _is_asked(part, parts, frame) else part
        for part in parts
    )


def told_joins(
    part: SpreadPart, parts: tuple[SpreadPart, ...], printed: Callable[[ast.Expr], str], is_collated: bool
) -> Iterator[Join]:
    """For `explain`: how the tasks of a part receive each part they need."""
    for number in part.needs:
        needed = parts[number - 1]
        if needed.is_joined_by_key:
            asking = [lookup for lookup in part.lookups if lookup.part == number]
            yield Join(number, tuple(" ".join(printed(lookup.equality).split()) for lookup in asking))
        else:
            why = _why_whole(needed, parts, part) if _is_gathered(needed) else ""
            yield Join(number, why=COLLATED if is_collated and why else why)


def _is_gathered(part: SpreadPart) -> bool:
    """Whether its value is an unlimited number of items of the input."""
    return part.kind is PartKind.MAP and part.limit is None and not part.is_first_only


def _is_of_input_alone(part: SpreadPart) -> bool:
    """Whether both sides of a join with it can be read in one pass."""
    return not part.needs and part.stage == 0 and part.place.group is None


def _is_asked(part: SpreadPart, parts: tuple[SpreadPart, ...], frame: ast.Expr) -> bool:
    is_used = any(part.number in user.needs for user in parts) and not _reads(frame, part)
    return is_used and _is_gathered(part) and _is_of_input_alone(part)


def _why_whole(part: SpreadPart, parts: tuple[SpreadPart, ...], user: SpreadPart | None = None) -> str:
    """Why tasks need all items of a part; empty if each task only looks up items by key."""
    if not _is_of_input_alone(part):
        return "it is itself computed from other parts"
    for other in [user] if user is not None else [other for other in parts if part.number in other.needs]:
        asking = [lookup for lookup in other.lookups if lookup.part == part.number]
        if _reads(other.body, part) or (other.grouping is not None and _reads(other.grouping.finish, part)):
            return _why_read(other, part)
        for lookup in asking:
            if not _is_known(lookup, other.lookups, parts):
                return "what is asked for is known only while the query is evaluated"
    return "it is read elsewhere as well" if user is not None else ""


def _is_known(lookup: Lookup, others: tuple[Lookup, ...], parts: tuple[SpreadPart, ...]) -> bool:
    """Whether the looked-up keys are known: from the input, or from items that are known in turn."""
    seen: set[int] = set()
    while lookup.behind is not None and lookup.number not in seen:
        seen.add(lookup.number)
        lookup = others[lookup.behind - 1]
    return lookup.asked is not None and lookup.behind is None


def _reads(expr: ast.Expr, part: SpreadPart) -> bool:
    return part.variable.name.expanded in free_in(expr)


def _why_read(user: SpreadPart, part: SpreadPart) -> str:
    """Why a part is read as a whole: the way its items are compared, or that they are not compared."""
    loops = [
        node.name.expanded
        for node in user.body.walk()
        if isinstance(node, (ast.ForClause, ast.QuantifiedBinding)) and node.collection == part.variable
    ]
    for node in user.body.walk():
        if isinstance(node, _COMPARISONS) and any(name in free_in(node) for name in loops):
            if node.op in ("=", "eq"):
                return f"its `{node.op}` is not of two paths, or one of several alternatives: no key decides"
            return f"its items are compared by `{node.op}`, which no key decides"
    return "no equality of paths chooses among its items"
