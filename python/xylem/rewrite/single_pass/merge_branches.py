"""Merge the two branches of a condition that has the same value for all items into one loop.

    if (C) then /s/p/x else /s/p[v > 3]/y      →      for $r in /s/p return if (C) then $r/x else $r[v > 3]/y
    if (C) then count(/s/p) else /s/p/y        →      if (not(C)) then /s/p/y else (), if (C) then count(/s/p) else ()

Gain:   each branch would be a separate loop, and the items of the second would wait for the end of the first.
Needs:  the paths of both branches begin with the same two or more steps, each one level down; C reads no item and is a
        known value: a variable, a constant, or a comparison of these. Or one branch is an aggregate.
Safe:   each item contributes exactly the result of the chosen branch, in the order of the items. Without items, C is
        not evaluated and raises no error: both branches are empty (XQuery 3.1 §2.3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.focus import reads_focus
from xylem.functions.registry import FN
from xylem.functions.traits import MERGES
from xylem.syntax import ast

from ..query_rule import QueryFacts, QueryRule
from .record_source import RecordSource, record_source

_VALUES = (
    ast.VarRef,
    ast.StringLiteral,
    ast.IntegerLiteral,
    ast.DecimalLiteral,
    ast.DoubleLiteral,
    ast.GeneralComparison,
    ast.ValueComparison,
    ast.And,
    ast.Or,
    ast.Arithmetic,
)


class MergeBranches(QueryRule):
    name = "merge_branches"
    told = "two branches over the same items are one loop"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        def at(node: ast.Node) -> ast.Node | None:
            return _merged(node, facts) if isinstance(node, ast.If) else None

        return replaced(body, at, (ast.If,))


def _merged(choice: ast.If, facts: QueryFacts) -> ast.Expr | None:
    if not all(isinstance(part, (*_VALUES, ast.Name)) for part in choice.test.walk()):
        return None
    item = facts.fresh("item")
    then, otherwise = record_source(choice.then, item), record_source(choice.otherwise, item)
    if then is None or otherwise is None:
        return _value_last(choice, then, otherwise)
    if not reads_focus(then.path):
        return None
    start, steps = _steps(then.path)
    other, others = _steps(otherwise.path)
    common = [step for step, _ in takewhile(lambda pair: pair[0] == pair[1], zip(steps, others, strict=False))]
    # The document element is a single item: a loop over it gains nothing.
    if start != other or len(common) < 2 or any(step.axis != "child" for step in (*steps, *others)):
        return None
    taken = [_taken(found, rest[len(common) :], item) for found, rest in ((then, steps), (otherwise, others))]
    clause = ast.ForClause(item.name, None, _path(start, common), span=choice.then.span)
    return ast.Flwor((clause,), ast.If(choice.test, *taken, span=choice.span), span=choice.span)


def _value_last(choice: ast.If, then: RecordSource | None, otherwise: RecordSource | None) -> ast.Expr | None:
    """Order a branch with items before one with an aggregate, which is only known at the end."""
    if otherwise is not None and _is_aggregate(choice.then):
        return ast.SequenceExpr((_only(choice, choice.otherwise, False), _only(choice, choice.then, True)))
    if then is not None and _is_aggregate(choice.otherwise):
        return ast.SequenceExpr((_only(choice, choice.then, True), _only(choice, choice.otherwise, False)))
    return None


def _only(choice: ast.If, branch: ast.Expr, is_then: bool) -> ast.If:
    negated = ast.FunctionCall(ast.Name("not", "fn", FN), (choice.test,), span=choice.test.span)
    return ast.If(choice.test if is_then else negated, branch, ast.SequenceExpr(), span=choice.span)


def _is_aggregate(expr: ast.Expr) -> bool:
    is_known = isinstance(expr, ast.FunctionCall) and expr.name.expanded in MERGES
    return is_known and reads_focus(expr)


def _steps(path: ast.Expr) -> tuple[ast.Expr, list[ast.AxisStep]]:
    """/a/b as / with a and b."""
    steps: list[ast.AxisStep] = []
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        steps.insert(0, path.right)
        path = path.left
    return (ast.ContextItem(), [path, *steps]) if isinstance(path, ast.AxisStep) else (path, steps)


def _path(start: ast.Expr, steps: Sequence[ast.AxisStep]) -> ast.Expr:
    for step in steps:
        start = ast.Path(start, step, span=step.span)
    return start


def _taken(found: RecordSource, further: list[ast.AxisStep], item: ast.VarRef) -> ast.Expr:
    """The values that a branch takes from an item whose records are some steps below it."""
    taken = found.taken
    for condition in reversed(found.conditions):
        taken = ast.If(condition, taken, ast.SequenceExpr(), span=condition.span)
    if not further or taken == item:
        return _path(taken, further)
    return ast.Flwor((ast.ForClause(item.name, None, _path(item, further)),), taken)
