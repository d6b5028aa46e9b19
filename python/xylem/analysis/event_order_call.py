"""Window clauses over `xylem:event-order(…)`: the ordered items and their key."""

from __future__ import annotations

from typing import NamedTuple

from xylem.functions.registry import PREFIXES
from xylem.syntax import ast

NAME = ast.Name("event-order", "xylem", PREFIXES["xylem"])


class EventOrderCall(NamedTuple):
    """The parts of such a call."""

    items: ast.Expr
    item: ast.Name
    """The parameter that holds one item in `time`."""
    time: ast.Expr
    bound: ast.Expr
    late: ast.Expr
    whole: ast.FunctionCall

    def over(self, items: ast.Expr) -> ast.FunctionCall:
        """The same order over other items."""
        _, *others = self.whole.arguments
        return ast.FunctionCall(self.whole.name, (items, *others), span=self.whole.span)


def event_order_call(expr: ast.Expr) -> EventOrderCall | None:
    """The parts of a call whose time is an inline function; None for anything else."""
    match expr:
        case ast.FunctionCall(
            name=name,
            arguments=(items, ast.InlineFunction(parameters=(parameter,), body=time), bound, late),
        ) if name.expanded == NAME.expanded and time is not None:
            return EventOrderCall(items, parameter.name, time, bound, late, expr)
    return None
