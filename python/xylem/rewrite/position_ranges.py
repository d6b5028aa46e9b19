"""Replace comparisons of a position with a range or a list of numbers by bounds.

    position() = 1 to 5        →     position() >= 1 and position() <= 5
    position() = (1, 4)        →     position() = 1 or position() = 4

Gain:   expressions that pick items by number then have an upper bound, and a run ends there.
Needs:  position() itself, and integer literals.
Safe:   a general comparison with a sequence holds if it holds for one of its items.
"""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.standard_calls import is_call
from xylem.syntax import ast

MOST_NUMBERS = 32
"""Longer lists are left unchanged."""


def with_position_bounds(body: ast.Expr) -> ast.Expr:
    """The body with bounds for such comparisons; the very same object if there are none."""
    return replaced(body, _bounded)


def _bounded(node: ast.Node) -> ast.Node | None:
    if not isinstance(node, ast.GeneralComparison) or node.op != "=":
        return None
    for position, numbers in ((node.left, node.right), (node.right, node.left)):
        if is_call(position, "position"):
            return _compared(node, position, numbers)
    return None


def _compared(node: ast.GeneralComparison, position: ast.Expr, numbers: ast.Expr) -> ast.Expr | None:
    match numbers:
        case ast.Range(left=ast.IntegerLiteral() as first, right=ast.IntegerLiteral() as last):
            start = ast.GeneralComparison(">=", position, first, span=node.span)
            return ast.And(start, ast.GeneralComparison("<=", position, last, span=node.span), span=node.span)
        case ast.SequenceExpr(items=(first, *rest)) if len(rest) < MOST_NUMBERS:
            if not all(isinstance(item, (ast.IntegerLiteral, ast.Range)) for item in (first, *rest)):
                return None
            made: ast.Expr | None = None
            for item in (first, *rest):
                one = _compared(node, position, item) or ast.GeneralComparison("=", position, item, span=node.span)
                if isinstance(item, ast.Range) and not isinstance(one, ast.And):
                    return None
                made = one if made is None else ast.Or(made, one, span=node.span)
            return made
    return None
