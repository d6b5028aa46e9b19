"""Write conditions on the existence of a matching pair of values as a general comparison.

    some $k in $c/buyer satisfies $k/@person = B        →     $c/buyer/@person = B
    exists($c/buyer[@person = B]), $c/buyer[@person = B]       same
    not(empty(E)), count(E) > 0, boolean(E)             →     exists(E)

Gain:   the search for joins has to match one form only.
Needs:  a general comparison with a path from the tested item on one side; the other side does not read that item.
Safe:   a general comparison is true if some pair of values compares, however a side collects its values (XQuery 3.1
        §3.7.2).
"""

from __future__ import annotations

from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.comparisons import sides
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.focus import reads_focus, reads_item, uses_position
from xylem.syntax import ast

from ..substitution import Substitution


def as_comparison(test: ast.Expr) -> ast.Expr:
    """The general comparison equivalent to a test; the very same test if there is none."""
    items = _asked_for(test)
    if items is not None:
        return _of_predicate(items) or test
    match test:
        case ast.Quantified(kind="some", bindings=(binding,), satisfies=ast.GeneralComparison() as inner):
            if binding.type is None:
                return _of_some(binding.name, binding.collection, inner) or test
    return test


def _asked_for(test: ast.Expr) -> ast.Expr | None:
    """The items whose existence a condition tests."""
    for name in ("exists", "boolean"):
        items = argument_of(test, name)
        if items is not None:
            return items
    denied = argument_of(test, "not")
    if denied is not None:
        return argument_of(denied, "empty")
    match test:
        case ast.Path(right=ast.AxisStep()) | ast.AxisStep() | ast.Filter():
            return test
        case ast.GeneralComparison() | ast.ValueComparison():
            for side in sides(test):
                counted = argument_of(side.own, "count")
                if counted is not None and side.op in (">", "gt") and side.other == ast.IntegerLiteral(0):
                    return counted
    return None


def _of_predicate(items: ast.Expr) -> ast.Expr | None:
    """E[l = r] as E/l = r."""
    match items:
        case ast.Path(left=left, right=ast.AxisStep(predicates=(ast.GeneralComparison() as inner,)) as step):
            base: ast.Expr = ast.Path(left, ast.AxisStep(step.axis, step.test, span=step.span), span=items.span)
        case ast.AxisStep(predicates=(ast.GeneralComparison() as inner,)):
            base = ast.AxisStep(items.axis, items.test, span=items.span)
        case ast.Filter(base=base, predicate=ast.GeneralComparison() as inner):
            pass
        case _:
            return None
    for side in sides(inner):
        if not uses_position(inner) and reads_item(side.own) and not reads_focus(side.other):
            values = _below(base, side.own)
            if values is not None:
                return ast.GeneralComparison(side.op, values, side.other, span=inner.span)
    return None


def _below(base: ast.Expr, path: ast.Expr) -> ast.Expr | None:
    """base/path, for a path of steps from the context item."""
    match path:
        case ast.ContextItem():
            return base
        case ast.AxisStep():
            return ast.Path(base, path, span=path.span)
        case ast.Path(left=left, right=ast.AxisStep() as step):
            start = _below(base, left)
            return None if start is None else ast.Path(start, step, span=path.span)
    return None


def _of_some(name: ast.Name, items: ast.Expr, inner: ast.GeneralComparison) -> ast.Expr | None:
    """some $k in E satisfies l($k) = r as l(E) = r."""
    for side in sides(inner):
        if name.expanded in read_variables(side.own) and name.expanded not in read_variables(side.other):
            start = side.own
            while isinstance(start, ast.Path) and isinstance(start.right, ast.AxisStep) and not start.right.predicates:
                start = start.left
            if start == ast.VarRef(name):
                values = Substitution({name.expanded: items}).apply(side.own)
                return ast.GeneralComparison(side.op, values, side.other, span=inner.span)
    return None

