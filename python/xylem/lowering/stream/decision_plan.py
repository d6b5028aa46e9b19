"""Split conditions into facts known at the start tag and facts that records decide (`run/stream/decisions.py`)."""

from __future__ import annotations

from collections.abc import Mapping

from xylem.analysis.bound_names import read_variables
from xylem.functions.registry import FN
from xylem.run.stream.decisions import Decision, Verdict
from xylem.syntax import ast


class DecisionBuilder:
    """Takes a condition apart. Facts known at the start tag are collected in `facts`, as expressions."""

    def __init__(self, aggregates: Mapping[str, tuple[int, str]]) -> None:
        """`aggregates` has number and function by variable."""
        self._aggregates = aggregates
        self._late = frozenset(("", name) for name in aggregates)
        self.facts: list[ast.Expr] = []

    def build(self, condition: ast.Expr) -> Decision:
        match condition:
            case ast.And(left=left, right=right):
                return Decision("and", (self.build(left), self.build(right)))
            case ast.Or(left=left, right=right):
                return Decision("or", (self.build(left), self.build(right)))
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "not"):
                return Decision("not", (self.build(argument),))
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "boolean"):
                return self.build(argument)
            case ast.VarRef(name=name) if name.local in self._aggregates:
                number, function = self._aggregates[name.local]
                return Decision(function, number=number) if function in ("exists", "empty") else Decision("late")
        if read_variables(condition) & self._late:
            return Decision("late")
        self.facts.append(condition)
        return Decision("known", number=len(self.facts) - 1)


def may_hold_empty(condition: ast.Expr, functions: Mapping[str, str]) -> bool:
    """Whether a condition may hold if nothing feeds its aggregates, which are given by their functions.

    Facts known at the start tag may hold.
    """
    return _when_empty(condition, functions) is not False


def _when_empty(condition: ast.Expr, functions: Mapping[str, str]) -> Verdict:
    """The value of the condition in that case, if it is known."""
    match condition:
        case ast.And(left=left, right=right):
            both = _when_empty(left, functions), _when_empty(right, functions)
            return False if False in both else None if None in both else True
        case ast.Or(left=left, right=right):
            both = _when_empty(left, functions), _when_empty(right, functions)
            return True if True in both else None if None in both else False
        case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "not"), (FN, "boolean")):
            inner = _when_empty(argument, functions)
            return inner if inner is None or name.local == "boolean" else not inner
        case ast.VarRef(name=name) if functions.get(name.local) in ("exists", "empty", "items"):
            return functions[name.local] == "empty"
        case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
            sides = [side.name.local for side in (left, right) if isinstance(side, ast.VarRef)]
            if any(functions.get(side) == "items" for side in sides):
                # A comparison with nothing is false.
                return False
            return _count_of_none(condition, functions)
        case ast.FunctionCall(name=name, arguments=(ast.VarRef(name=read), ast.StringLiteral(value=string))) if string:
            is_inside = name.uri == FN and name.local in ("starts-with", "ends-with", "contains")
            return False if is_inside and functions.get(read.local) == "items" else None
    return None


def _count_of_none(
    condition: ast.GeneralComparison | ast.ValueComparison, functions: Mapping[str, str]
) -> Verdict:
    """count(…) compared with a whole number, if there is nothing to count."""
    match condition.left, condition.right:
        case ast.VarRef(name=name), ast.IntegerLiteral(value=value) if functions.get(name.local) == "count":
            match condition.op:
                case "=" | "eq":
                    return value == 0
                case "!=" | "ne":
                    return value != 0
                case ">" | "gt":
                    return value < 0
                case ">=" | "ge":
                    return value <= 0
                case "<" | "lt":
                    return value > 0
            return value >= 0
    return None
