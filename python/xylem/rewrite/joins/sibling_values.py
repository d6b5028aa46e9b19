"""Comparisons with all siblings before an item: the way to distinct items before there was distinct-values().

    book[not(year = preceding-sibling::book/year)]
        → book[not(exists(for join $x in //book by $x/year = year and by the same parent where $x << .))]

Gain:   the values of all siblings are in one index, instead of being read again for each of them.
Needs:  a general comparison for equality of something with a path that goes to all siblings of one name before an item,
        and on by any steps; the item is in the tree of the input, by `.` or a variable of a loop.
Safe:   siblings of one name are the elements of that name that have the same parent; two nodes are the same where
        generate-id() is. Of those that match, the first in the document is before the item, or none is: so one look is
        enough but for the first of each value, and each of these looks at its own values only.
"""

from __future__ import annotations

from xylem.functions.registry import FN
from xylem.syntax import ast

from .candidates import conditions
from .surroundings import Surroundings

_PARENT = ast.AxisStep("parent", ast.AnyKindTest())


def sibling_join(node: ast.GeneralComparison, around: Surroundings, name: ast.Name) -> ast.Flwor | None:
    """What finds one of the siblings that make a comparison true; None for any other comparison."""
    if node.op != "=" or around.depth == 0:
        return None
    for condition in conditions(node):
        start, steps = _steps(condition.own)
        if not steps or not _is_one_node_of_input(start, around):
            continue
        first, *rest = steps
        if first.axis != "preceding-sibling" or first.predicates or not isinstance(first.test, ast.NameTest):
            continue
        item = ast.VarRef(name, span=node.span)
        key: ast.Expr = item
        for step in rest:
            key = ast.Path(key, step, span=step.span)
        whose = ast.ContextItem(span=node.span) if start is None else start
        tests = (
            ast.JoinTest(key, "=", condition.other, span=node.span),
            ast.JoinTest(_identity(item), "=", _identity(whose), span=node.span),
        )
        named = ast.AxisStep("descendant", first.test, span=first.span)
        everywhere = ast.Path(ast.Root(span=first.span), named, span=first.span)
        join = ast.JoinClause(name, None, everywhere, None, tests, is_of_input=True, span=node.span)
        before = ast.WhereClause(ast.NodeComparison("<<", item, whose, span=node.span), span=node.span)
        return ast.Flwor((join, before), item, span=node.span)
    return None


def _steps(path: ast.Expr) -> tuple[ast.Expr | None, list[ast.AxisStep]]:
    """What a path of steps starts with, None for the context item, and its steps; no steps where it has others."""
    steps: list[ast.AxisStep] = []
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        steps.append(path.right)
        path = path.left
    if isinstance(path, ast.AxisStep):
        return None, [path, *reversed(steps)]
    return path, steps[::-1]


def _is_one_node_of_input(start: ast.Expr | None, around: Surroundings) -> bool:
    match start:
        case None | ast.ContextItem():
            return around.focus.is_in_input and around.focus.depth == around.depth
        case ast.VarRef(name=name):
            return name.expanded in around.in_input
    return False


def _identity(node: ast.Expr) -> ast.Expr:
    """Of the parent of a node, as a string."""
    parent = ast.Path(node, _PARENT, span=node.span)
    return ast.FunctionCall(ast.Name("generate-id", "fn", FN), (parent,), span=node.span)
