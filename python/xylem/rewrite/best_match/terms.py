"""The computations of orders and tests on a pair, as terms over values of its items (`plan/best_match_plan.py`).

    abs($p1/det_time - ($p2/det_time + 5400))   →   ("abs", ("-", ("left", 0), ("+", ("right", 0), ("constant", 0))))

A term keeps the written order of operations, so every evaluation gives the same xs:double. The run checks that the
values have types for which this holds.
"""

from __future__ import annotations

from xylem.functions.registry import FN, PREFIXES
from xylem.plan.best_match_plan import Term
from xylem.syntax import ast

from ..input_reads import is_closed
from .join_clauses import JoinClauses

_FUNCTIONS = {
    (FN, "abs", 1): "abs",
    (PREFIXES["math"], "sqrt", 1): "sqrt",
    (PREFIXES["xs"], "double", 1): "double",
    (PREFIXES["xylem"], "sky-separation", 4): "sky",
}
DISTANCE = (PREFIXES["xylem"], "distance")


class Terms:
    """Collects the leaves of all terms of one join; equal leaves are merged."""

    def __init__(self, join: JoinClauses) -> None:
        self._join = join
        self.left: list[ast.Expr] = []
        self.right: list[ast.Expr] = []
        self.constants: list[ast.Expr] = []

    def of(self, expr: ast.Expr) -> Term | None:
        """The term of an expression; None if it is more than arithmetic over values of each side."""
        match expr:
            case ast.Arithmetic(op=op, left=left, right=right) if op in ("+", "-", "*", "div"):
                return self._operation(op, expr, left, right)
            case ast.Unary(op="-", operand=operand):
                return self._operation("negate", expr, operand)
            case ast.FunctionCall(name=name, arguments=(one, other)) if name.expanded == DISTANCE:
                difference = self.of(ast.Arithmetic("-", one, other, span=expr.span))
                return None if difference is None else ("distance", difference)
            case ast.FunctionCall(name=name, arguments=arguments):
                op = _FUNCTIONS.get((*name.expanded, len(arguments)), "")
                if op:
                    return self._operation(op, expr, *arguments)
        return self._leaf(expr)

    def leaf(self, expr: ast.Expr) -> Term | None:
        """A value of one side, unchanged, for comparisons by other rules than those of arithmetic."""
        return self._leaf(expr)

    def _operation(self, op: str, whole: ast.Expr, *operands: ast.Expr) -> Term | None:
        if not (self._join.reads_left(whole) or self._join.reads_right(whole)):
            return self._leaf(whole)
        terms = [self.of(operand) for operand in operands]
        if any(term is None for term in terms):
            # Drop the leaves collected for it: values that are not read cost no more than a value.
            return self._leaf(whole)
        return (op, *terms)

    def _leaf(self, expr: ast.Expr) -> Term | None:
        reads_left, reads_right = self._join.reads_left(expr), self._join.reads_right(expr)
        if reads_left and reads_right:
            return None
        if reads_left:
            return ("left", _place(expr, self.left))
        if reads_right:
            return ("right", _place(expr, self.right))
        return ("constant", _place(expr, self.constants)) if is_closed(expr, self._join.bound) else None


def _place(expr: ast.Expr, known: list[ast.Expr]) -> int:
    if expr not in known:
        known.append(expr)
    return known.index(expr)
