"""The value that each item adds to a recursion, and the operator that adds it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from xylem.functions.registry import FN
from xylem.syntax import ast

from .linear_recursion import LinearRecursion


class Operator(Enum):
    MAX = "max"
    MIN = "min"
    ADD = "+"
    MULTIPLY = "*"
    AND = "and"
    OR = "or"
    CONCAT = "||"
    SEQUENCE = ","


_COMMUTES = (Operator.ADD, Operator.MULTIPLY)
"""Operators that allow the value for the rest on their left. Not max, which returns the first of equal values; nor
`and`: with the rest on its left, the last item is evaluated first, and the others perhaps never."""


@dataclass(frozen=True)
class Contribution:
    """The values that an item adds, as a sequence; without an operator, this branch of the body adds nothing."""

    operator: Operator | None
    value: ast.Expr
    operands: tuple[ast.Expr, ...] = ()
    """The added operands of all branches, separately."""
    missing: ast.Expr | None = None
    """Whether one of the operands of the chosen branch is empty."""
    is_conditional: bool = False


NOTHING = Contribution(None, ast.SequenceExpr())


def contribution(step: ast.Expr, found: LinearRecursion) -> Contribution | None:
    """The contribution of one branch of the body; None if it uses several operators, or does not reach the rest."""
    match step:
        case ast.FunctionCall() if found.is_call(step):
            return NOTHING
        case ast.If():
            return _either(step, found)
        case ast.Flwor(clauses=clauses, result=result):
            if not all(isinstance(c, ast.LetClause) for c in clauses) or any(any(found.calls(c)) for c in clauses):
                return None
            inner = contribution(result, found)
            if inner is None:
                return None
            missing = None if inner.missing is None else replace(step, result=inner.missing)
            operands = tuple(replace(step, result=operand) for operand in inner.operands)
            return replace(inner, value=replace(step, result=inner.value), operands=operands, missing=missing)
        case ast.Arithmetic(op="+" | "*" as op, left=left, right=right):
            return _binary(Operator.ADD if op == "+" else Operator.MULTIPLY, (left, right), found)
        case ast.And(left=left, right=right):
            return _binary(Operator.AND, (left, right), found)
        case ast.Or(left=left, right=right):
            return _binary(Operator.OR, (left, right), found)
        case ast.StringConcat(left=left, right=right):
            return _binary(Operator.CONCAT, (left, right), found)
        case ast.SequenceExpr(items=items):
            return _binary(Operator.SEQUENCE, items, found)
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=arguments) if uri == FN:
            if local in ("max", "min") and len(arguments) == 1 and isinstance(arguments[0], ast.SequenceExpr):
                return _binary(Operator(local), arguments[0].items, found)
            if local == "concat":
                return _binary(Operator.CONCAT, arguments, found)
    return None


def _either(step: ast.If, found: LinearRecursion) -> Contribution | None:
    if any(found.calls(step.test)):
        return None
    then, otherwise = contribution(step.then, found), contribution(step.otherwise, found)
    if then is None or otherwise is None:
        return None
    operators = {part.operator for part in (then, otherwise)} - {None}
    if len(operators) > 1:
        return None
    operator = operators.pop() if operators else None
    value: ast.Expr = replace(step, then=then.value, otherwise=otherwise.value)
    if operator in (Operator.AND, Operator.OR):
        unit = ast.FunctionCall(ast.Name("true" if operator is Operator.AND else "false", "fn", FN), ())
        parts = [unit if part.operator is None else part.value for part in (then, otherwise)]
        value = replace(step, then=parts[0], otherwise=parts[1])
    missing = None
    if then.missing is not None or otherwise.missing is not None:
        never = ast.FunctionCall(ast.Name("false", "fn", FN), ())
        missing = replace(step, then=then.missing or never, otherwise=otherwise.missing or never)
    operands = (*then.operands, *otherwise.operands)
    return Contribution(operator, value, operands, missing, is_conditional=True)


def _binary(operator: Operator, parts: tuple[ast.Expr, ...], found: LinearRecursion) -> Contribution | None:
    places = [place for place, part in enumerate(parts) if any(found.calls(part))]
    if len(places) != 1:
        return None
    (place,) = places
    before, inner, after = parts[:place], contribution(parts[place], found), parts[place + 1 :]
    if inner is None or inner.operator not in (operator, None) or (after and operator not in _COMMUTES):
        return None
    own = (*before, *after)
    values = (*before, *(() if inner.operator is None else (inner.value,)), *after)
    missing = inner.missing
    if operator in (Operator.ADD, Operator.MULTIPLY):
        for part in own:
            empty = ast.FunctionCall(ast.Name("empty", "fn", FN), (part,), span=part.span)
            missing = empty if missing is None else ast.Or(missing, empty)
    return Contribution(operator, _joined(operator, values), (*own, *inner.operands), missing, inner.is_conditional)


def _joined(operator: Operator, values: tuple[ast.Expr, ...]) -> ast.Expr:
    """The contributions as one expression."""
    if operator is Operator.CONCAT:
        # An empty operand counts as the empty string, more than one item is an error: as in fn:concat.
        several = values if len(values) > 1 else (*values, ast.StringLiteral(""))
        return ast.FunctionCall(ast.Name("concat", "fn", FN), several)
    if operator in (Operator.AND, Operator.OR):
        joined = values[0]
        for value in values[1:]:
            joined = (ast.And if operator is Operator.AND else ast.Or)(joined, value)
        return joined
    return values[0] if len(values) == 1 else ast.SequenceExpr(values)
