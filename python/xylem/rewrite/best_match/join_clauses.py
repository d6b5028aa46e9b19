"""Find the clauses that belong to a best-match join, and check that the join is allowed there.

    for $r in R … for $s in S … where $r left outer bestmatch join $s on …

Both variables are bound by `for` in this expression, and only `for`, `let` and `where` stand between the first of
them and the join, other joins among them: tuples that agree on all loops before the first one form one join.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xylem.analysis.bound_names import bound_names
from xylem.analysis.free_variables import free_in
from xylem.errors import StaticError
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

ExpandedName = tuple[str, str]

BUILT_IN = frozenset((uri, local) for uri in (FN, PREFIXES["xylem"]) for local in ("subset", "minAttrDist"))
"""Orders of the thesis that need no function: definitions 4.2.1 and 4.2.2."""
_BETWEEN = ast.ForClause | ast.LetClause | ast.WhereClause | ast.BestMatchClause


@dataclass(frozen=True)
class JoinClauses:
    """The clauses of one join, and which variables of them depend on which loop."""

    clause: ast.BestMatchClause
    start: int
    """Index of the first of the two loops."""
    clauses: tuple[ast.Clause, ...]
    """From there up to the join."""
    left: ast.ForClause
    right: ast.ForClause
    of_left: frozenset[ExpandedName]
    """The variables whose values depend on the left item."""
    of_right: frozenset[ExpandedName]

    @property
    def first(self) -> ast.ForClause:
        return next(loop for loop in self.clauses if loop is self.left or loop is self.right)

    @property
    def second(self) -> ast.ForClause:
        return self.right if self.first is self.left else self.left

    @property
    def bound(self) -> frozenset[ExpandedName]:
        return frozenset(name.expanded for clause in self.clauses for name in bound_names(clause))

    def reads_left(self, node: ast.Node) -> bool:
        return bool(free_in(node) & self.of_left)

    def reads_right(self, node: ast.Node) -> bool:
        return bool(free_in(node) & self.of_right)


def join_clauses(clauses: Sequence[ast.Clause], index: int) -> JoinClauses:
    """The parts of the join at a place; XYST0015 if a join is not allowed there."""
    clause = clauses[index]
    assert isinstance(clause, ast.BestMatchClause)
    if clause.left.name.expanded == clause.right.name.expanded:
        raise _refused("both sides are the same variable", clause.right, "bind the second side with a `for` of its own")
    places = [_loop_of(side, clauses, index) for side in (clause.left, clause.right)]
    start = min(places)
    between = tuple(clauses[start:index])
    for other in between:
        if not isinstance(other, _BETWEEN):
            raise _refused(
                "only `for`, `let` and `where` may stand between its loops and it",
                other,
                "sort, group or count first in an inner expression: for $x in (for … order by … return …)",
            )
    left, right = clauses[places[0]], clauses[places[1]]
    assert isinstance(left, ast.ForClause) and isinstance(right, ast.ForClause)
    found = JoinClauses(
        clause, start, between, left, right, _dependent(between, left), _dependent(between, right)
    )
    _check_independence(found)
    _check_orders(found)
    return found


def _loop_of(side: ast.VarRef, clauses: Sequence[ast.Clause], index: int) -> int:
    for place in range(index - 1, -1, -1):
        clause = clauses[place]
        names = [name for node in clause.walk() if not isinstance(node, ast.Expr) for name in bound_names(node)]
        if side.name.expanded not in {name.expanded for name in names}:
            continue
        if isinstance(clause, ast.ForClause) and clause.name.expanded == side.name.expanded:
            if isinstance(clause.collection, ast.DataWindow):
                raise _refused(f"${side.name} is a window", side, "join the items of the window: for $x in $w")
            return place
        raise _refused(f"${side.name} is not bound by `for`", side, f"for ${side.name} in …")
    raise _refused(
        f"${side.name} is not bound by a `for` of this expression", side, f"for ${side.name} in … before the join"
    )


def _dependent(between: Sequence[ast.Clause], loop: ast.ForClause) -> frozenset[ExpandedName]:
    """The variables whose values depend on the item of a loop, including its own."""
    found: set[ExpandedName] = set()
    for clause in between:
        names = {name.expanded for name in bound_names(clause)}
        value = clause.collection if isinstance(clause, ast.ForClause) else None
        value = clause.value if isinstance(clause, ast.LetClause) else value
        if clause is loop or (value is not None and free_in(value) & found):
            found |= names
        else:
            found -= names
    return frozenset(found)


def _check_independence(found: JoinClauses) -> None:
    """Check that each item of the inner loop meets each of the outer one, if it needs its own best partners."""
    needs = ("left", "full") if found.second is found.left else ("right", "full")
    before = found.clauses[: found.clauses.index(found.second)]
    bound = {name.expanded for clause in before for name in bound_names(clause)}
    of_first = found.of_left if found.first is found.left else found.of_right
    loops = [clause for clause in found.clauses if isinstance(clause, ast.ForClause)]
    depending = of_first if len(loops) == 2 else frozenset(bound)
    if found.clause.kind in needs and free_in(found.second.collection) & depending & bound:
        raise _refused(
            f"${found.second.name} depends on ${found.first.name}, and a {found.clause.kind} outer join asks for the"
            f" best partners of each ${found.second.name}",
            found.second.collection,
            "let both loops range over sequences of their own",
        )


def _called(name: ast.Name) -> str:
    """A function as a query writes it."""
    return name.local if name.uri == FN else str(name)


def _check_orders(found: JoinClauses) -> None:
    for order in found.clause.orders:
        if order.limit is not None:
            if order.function is not None and order.function.expanded not in _MEASURED:
                raise _refused(
                    f"{_called(order.function)} says which pair is better, and not how far apart its items are",
                    order.limit,
                    "put the limit into a `where` before the join",
                )
            if free_in(order.limit) & (found.of_left | found.of_right):
                raise _refused(
                    "a limit is the same for all pairs",
                    order.limit,
                    "put a limit that depends on an item into a `where` before the join",
                )
        if order.function is not None:
            _check_operands(found, order)


_MEASURED = frozenset(name for name in BUILT_IN if name[1] == "minAttrDist")


def _check_operands(found: JoinClauses, order: ast.BestMatchOrder) -> None:
    assert order.function is not None
    if len(order.operands) > 2 or order.function.expanded in ((FN, "min"), (FN, "max")):
        raise _refused(
            f"{order.function} has {len(order.operands)} operands",
            order,
            "($r/a, $s/b) function, or (expression) min",
        )
    sides = [(found.reads_left(operand), found.reads_right(operand)) for operand in order.operands]
    if any(left and right for left, right in sides):
        raise _refused(
            f"an operand of {order.function} is about one side", order, f"(${found.left.name}/a, ${found.right.name}/b)"
        )
    if len(sides) == 2 and (sides[0][0] == sides[1][0] is True or sides[0][1] == sides[1][1] is True):
        raise _refused(
            f"both operands of {order.function} are about the same side",
            order,
            f"(${found.left.name}/a, ${found.right.name}/b)",
        )
    if order.function.expanded in BUILT_IN and len(order.operands) != 2:
        raise _refused(f"{order.function} compares two values", order, "($r/a, $s/b)")


def _refused(why: str, node: ast.Node, hint: str) -> StaticError:
    return StaticError("XYST0015", why, span=node.span, hint=hint)
