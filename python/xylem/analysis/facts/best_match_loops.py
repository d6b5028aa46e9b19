"""The first loop of a best-match join in a FLWOR expression, and whether its items each have their own partners."""

from __future__ import annotations

from collections.abc import Sequence

from xylem.errors import StaticError
from xylem.syntax import ast


def check_sides(clauses: Sequence[ast.Clause]) -> None:
    """XYST0015 for a side that `let` binds: it is not a loop, and rules may substitute its value."""
    for index, join in enumerate(clauses):
        for side in (join.left, join.right) if isinstance(join, ast.BestMatchClause) else ():
            binding = next((one for one in reversed(clauses[:index]) if _binds(one, side.name)), None)
            if isinstance(binding, ast.LetClause):
                why, hint = f"${side.name} is not bound by `for`", f"for ${side.name} in …"
                raise StaticError("XYST0015", why, span=side.span, hint=hint)


def _binds(clause: ast.Clause, name: ast.Name) -> bool:
    return isinstance(clause, (ast.ForClause, ast.LetClause)) and clause.name.expanded == name.expanded


def joins_each(clauses: Sequence[ast.Clause], index: int) -> bool:
    """Whether the loop at an index is the first of a join that finds the best partners of each of its items."""
    loop = clauses[index]
    if not isinstance(loop, ast.ForClause) or loop.allowing_empty or isinstance(loop.collection, ast.DataWindow):
        return False
    if join_of(clauses, index) is None:
        return False
    own = loop.name.expanded
    # Every join of this loop must be of this kind: a later inner join compares pairs of all items.
    for join in clauses[index + 1 :]:
        if isinstance(join, ast.BestMatchClause) and own in (join.left.name.expanded, join.right.name.expanded):
            outer = join.left if join.kind == "left" else join.right if join.kind == "right" else None
            if outer is None or outer.name.expanded != own:
                return False
    return True


def is_joined(clauses: Sequence[ast.Clause], index: int) -> bool:
    """Whether some join has the loop at an index as a side, and not only later loops."""
    loop = clauses[index]
    own = loop.name.expanded if isinstance(loop, ast.ForClause) else None
    for clause in clauses[index + 1 :]:
        match clause:
            case ast.BestMatchClause(left=left, right=right) if own in (left.name.expanded, right.name.expanded):
                return True
            case ast.ForClause(name=name) | ast.LetClause(name=name) | ast.JoinClause(name=name):
                if name.expanded == own:
                    return False
    return False


def join_of(clauses: Sequence[ast.Clause], index: int) -> ast.BestMatchClause | None:
    """The join whose first loop is at an index."""
    loop = clauses[index]
    if not isinstance(loop, ast.ForClause):
        return None
    own, after = loop.name.expanded, set[tuple[str, str]]()
    for clause in clauses[index + 1 :]:
        match clause:
            case ast.BestMatchClause(left=left, right=right):
                sides = {left.name.expanded, right.name.expanded}
                if own in sides:
                    return clause if sides - {own} <= after else None
            case ast.ForClause(name=name) | ast.LetClause(name=name):
                after.add(name.expanded)
                if name.expanded == own:
                    return None
            case ast.WhereClause():
                pass
            case _:
                return None
    return None
