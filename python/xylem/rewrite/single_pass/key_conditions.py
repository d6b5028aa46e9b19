"""Conditions that give a record its place in a table: equalities between a value of the record and loop variables.

The comparison of two values depends on their types (XQuery 3.1 §3.7): an untyped value compares with a number as
xs:double, with a string as a string. The table has one kind of key for each condition and uses it for both sides, so
exactly the equal values meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.value_class import Known, Values, classify
from xylem.analysis.focus import reads_focus
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..query_rule import ExpandedName, QueryFacts


@dataclass(frozen=True)
class Loop:
    """A loop whose items do not depend on the input."""

    variable: ast.VarRef
    items: ast.Expr
    known: Known
    is_independent: bool
    """Whether its items depend on no other loop."""
    outside: frozenset[ExpandedName] = frozenset()
    """Outer bindings."""


@dataclass(frozen=True)
class KeyCondition:
    """A record belongs to the turns of a loop whose value equals one of its values, or its only value."""

    kind: str
    """double, number or string: the type used for comparison."""
    is_single: bool
    """eq: more than one value is an error."""
    of_record: ast.Expr
    of_loop: ast.Expr
    items: ast.Expr | None
    """All values of the loop, if they are known before it begins."""


def key_condition(
    condition: ast.Expr, record: ast.VarRef, loops: Mapping[ExpandedName, Loop], facts: QueryFacts
) -> KeyCondition | None:
    """The condition as a key; None unless it is an equality of values that can be looked up."""
    if not isinstance(condition, (ast.GeneralComparison, ast.ValueComparison)) or condition.op not in ("=", "eq"):
        return None
    is_single = condition.op == "eq"
    for of_record, of_loop in ((condition.left, condition.right), (condition.right, condition.left)):
        read = read_variables(of_loop)
        own = read & loops.keys()
        if not own or record.name.expanded in read or reads_focus(of_loop) or read_variables(of_record) & loops.keys():
            continue
        turns = {name: Known(loops[name].known.values, True, True) for name in own}
        turn = classify(of_loop, {**facts.variables, **turns})
        value = classify(of_record, {**facts.variables, record.name.expanded: Known(Values.UNTYPED, True, True)})
        kind = _kind(value.values, turn.values, is_single)
        if kind is None or not turn.is_one or (kind == "string" and facts.has_collation):
            return None
        around = loops_around(own, loops)
        are_safe = all(is_safe(loop.items, loops.keys()) for loop in around)
        return KeyCondition(kind, is_single, of_record, of_loop, _items(of_loop, around) if are_safe else None)
    return None


_KINDS = {Values.INTEGER: "number", Values.DECIMAL: "number", Values.STRING: "string"}


def turns_condition(
    conditions: Sequence[ast.Expr], names: AbstractSet[ExpandedName], loops: Mapping[ExpandedName, Loop]
) -> KeyCondition | None:
    """Any conditions on a record and some loops, as a key: the loop values for which they hold.

        x >= $i and x < $i + 10     →     for $i in items where x >= $i and x < $i + 10 return $i
        x * $i > y * $j             →     for $i in items for $j in items where x * $i > y * $j return $i || " " || $j

    Not for loops over xs:double: NaN does not equal itself and would never be found.
    """
    needed = loops_around(names, loops)
    if not all(is_safe(loop.items, loops.keys()) for loop in needed):
        return None
    kinds = [_KINDS.get(loop.known.values) for loop in needed]
    if not needed or None in kinds:
        return None
    tests = tuple(ast.WhereClause(condition, span=condition.span) for condition in conditions)
    clauses = tuple(ast.ForClause(loop.variable.name, None, loop.items) for loop in needed)
    if len(needed) == 1:
        (loop,) = needed
        of_record = ast.Flwor((*clauses, *tests), loop.variable)
        return KeyCondition(str(kinds[0]), False, of_record, loop.variable, loop.items)
    turn = _turn(needed)
    return KeyCondition("string", False, ast.Flwor((*clauses, *tests), turn), turn, ast.Flwor(clauses, turn))


def _turn(loops: Sequence[Loop]) -> ast.Expr:
    """A string that identifies the values of several loops."""
    parts: list[ast.Expr] = []
    for loop in loops:
        if loop.known.values is Values.STRING:
            parts += [ast.FunctionCall(ast.Name("string-length", "fn", FN), (loop.variable,)), ast.StringLiteral(":")]
        parts += [loop.variable, ast.StringLiteral(" ")]
    return ast.FunctionCall(ast.Name("concat", "fn", FN), tuple(parts))


def loops_around(names: AbstractSet[ExpandedName], loops: Mapping[ExpandedName, Loop]) -> list[Loop]:
    """Some loops and those that their items depend on, the outer ones first."""
    needed = set(names)
    todo = list(names)
    while todo:
        inner = read_variables(loops[todo.pop()].items) & loops.keys()
        todo += inner - needed
        needed |= inner
    return [loop for name, loop in loops.items() if name in needed]


def _kind(value: Values, turn: Values, is_single: bool) -> str | None:
    if turn is Values.STRING:
        return "string" if value in (Values.STRING, Values.UNTYPED) else None
    if not turn.is_numeric:
        return None
    if value is Values.UNTYPED:
        # `eq` treats an untyped value as a string, which never compares with a number.
        return None if is_single else "double"
    if not value.is_numeric:
        return None
    return "double" if Values.DOUBLE in (value, turn) else "number"


_SAFE = (
    ast.And, ast.AxisStep, ast.Filter, ast.GeneralComparison, ast.If, ast.Or, ast.Path, ast.Quantified,
    ast.QuantifiedBinding, ast.Range, ast.SequenceExpr, ast.StringConcat, ast.Unary, ast.ValueComparison, ast.VarRef,
)  # fmt: skip
_SAFE_CALLS = frozenset({
    "abs", "boolean", "ceiling", "concat", "contains", "count", "empty", "ends-with", "exists", "floor", "lower-case",
    "max", "min", "normalize-space", "not", "number", "round", "starts-with", "string", "string-length", "sum",
    "upper-case",
})  # fmt: skip


def is_safe(expr: ast.Expr, loops: AbstractSet[ExpandedName]) -> bool:
    """Whether an expression fails for all values of the loops or for none.

    A condition evaluated for all turns in advance must not fail for one that the loops themselves skip, like 6 idiv $i
    for 0 where $i > 0.
    """
    return all(_is_safe_operator(node) for node in expr.walk() if read_variables(node) & loops)


def _is_safe_operator(node: ast.Node) -> bool:
    match node:
        case ast.Arithmetic(op=op):
            return op in ("+", "-", "*")
        case ast.FunctionCall(name=name):
            return name.uri == FN and name.local in _SAFE_CALLS
    return isinstance(node, _SAFE)


def _items(of_loop: ast.Expr, loops: list[Loop]) -> ast.Expr:
    if len(loops) == 1 and of_loop == loops[0].variable:
        return loops[0].items
    return ast.Flwor(tuple(ast.ForClause(loop.variable.name, None, loop.items) for loop in loops), of_loop)
