"""Expressions whose nodes all come from their focus by steps, recognised by their form.

    for $f in . return $f/name    certainly
    $x//name, key('k', .)         perhaps not: two items of a path may give the same node
"""

from __future__ import annotations

from xylem.analysis.facts.value_expressions import gives_values
from xylem.functions.registry import FN
from xylem.functions.traits import PASSES
from xylem.syntax import ast

Names = frozenset[tuple[str, str]]
_NONE: Names = frozenset()
_SELECTS = PASSES | {(FN, name) for name in ("filter", "innermost", "outermost", "sort")}
"""Returns only items of its first argument; those in `PASSES`, of all arguments."""


def comes_from_focus(expr: ast.Expr, own: Names = _NONE) -> bool:
    """Whether each node that an expression returns is the item of its focus, or one that steps reach from there.

    `own` are variables with such nodes. Values are no nodes, wherever they come from.
    """
    match expr:
        case ast.AxisStep() | ast.ContextItem():
            return True
        case ast.VarRef(name=name):
            return name.expanded in own
        case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
            return gives_values(right) or (comes_from_focus(left, own) and comes_from_focus(right, own))
        case ast.Filter(base=base):
            return comes_from_focus(base, own)
        case ast.SequenceExpr(items=items):
            return all(comes_from_focus(item, own) for item in items)
        case ast.SetOperation(left=left, right=right):
            return comes_from_focus(left, own) and comes_from_focus(right, own)
        case ast.If(then=then, otherwise=otherwise):
            return comes_from_focus(then, own) and comes_from_focus(otherwise, own)
        case ast.Flwor(clauses=clauses, result=result):
            for clause in clauses:
                own = _with(clause, own)
            return comes_from_focus(result, own)
        case ast.FunctionCall(name=name, arguments=arguments) if name.expanded in _SELECTS:
            given = arguments if name.expanded in PASSES else arguments[:1]
            return gives_values(expr) or all(gives_values(one) or comes_from_focus(one, own) for one in given)
    return gives_values(expr)


def _with(clause: ast.Clause, own: Names) -> Names:
    match clause:
        case ast.ForClause(name=name, collection=values) | ast.LetClause(name=name, value=values):
            if comes_from_focus(values, own):
                return own | {name.expanded}
            return own - {name.expanded}
        case ast.WhereClause() | ast.OrderByClause() | ast.CountClause() | ast.GroupByClause():
            return own
    return _NONE
