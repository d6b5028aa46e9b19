"""Conditions that give a record its place in a table: an equality between a value of it and the variables of loops.

How two values compare depends on their types (XQuery 3.1 §3.7): what has no type is compared with a number as
xs:double, with a string as a string. The table has one kind of key for each condition, by which both sides are
looked up, so that equal values, and only they, meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xylem.analysis.focus import read_variables, reads_focus
from xylem.syntax import ast

from .rule import ExpandedName, PassFacts
from .value_class import Known, Values, classify


@dataclass(frozen=True)
class Loop:
    """A loop whose items do not depend on the input."""

    variable: ast.VarRef
    items: ast.Expr
    known: Known
    is_independent: bool
    """Whether its items depend on no other loop."""
    outside: frozenset[ExpandedName] = frozenset()
    """What is bound around it."""


@dataclass(frozen=True)
class KeyCondition:
    """A record belongs to the turns of a loop where one of its values, or its only one, equals that of the turn."""

    kind: str
    """double, number or string: what values are compared as"""
    is_single: bool
    """eq: more than one value is an error"""
    of_record: ast.Expr
    of_loop: ast.Expr
    items: ast.Expr | None
    """All values of the loop, where they are known before it begins."""


def key_condition(
    condition: ast.Expr, record: ast.VarRef, loops: Mapping[ExpandedName, Loop], facts: PassFacts
) -> KeyCondition | None:
    """The condition as a key; None where it is not an equality of values that can be looked up."""
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
        return KeyCondition(kind, is_single, of_record, of_loop, _items(of_loop, [loops[name] for name in own]))
    return None


_KINDS = {Values.INTEGER: "number", Values.DECIMAL: "number", Values.STRING: "string"}


def turns_condition(conditions: Sequence[ast.Expr], loop: Loop) -> KeyCondition | None:
    """Any conditions about a record and one loop, as a key: the values of the loop for which they hold.

        x >= $i and x < $i + 10     →     for $i in items where x >= $i and x < $i + 10 return $i

    Not for loops over xs:double: NaN, which does not equal itself, would never be found.
    """
    kind = _KINDS.get(loop.known.values)
    if kind is None or not loop.is_independent:
        return None
    tests = tuple(ast.WhereClause(condition, span=condition.span) for condition in conditions)
    clause = ast.ForClause(loop.variable.name, None, loop.items)
    return KeyCondition(kind, False, ast.Flwor((clause, *tests), loop.variable), loop.variable, loop.items)


def _kind(value: Values, turn: Values, is_single: bool) -> str | None:
    if turn is Values.STRING:
        return "string" if value in (Values.STRING, Values.UNTYPED) else None
    if not turn.is_numeric:
        return None
    if value is Values.UNTYPED:
        # `eq` takes what has no type for a string, which never compares with a number.
        return None if is_single else "double"
    if not value.is_numeric:
        return None
    return "double" if Values.DOUBLE in (value, turn) else "number"


def _items(of_loop: ast.Expr, loops: list[Loop]) -> ast.Expr | None:
    if len(loops) != 1 or not loops[0].is_independent:
        return None
    (loop,) = loops
    if of_loop == loop.variable:
        return loop.items
    return ast.Flwor((ast.ForClause(loop.variable.name, None, loop.items),), of_loop)
