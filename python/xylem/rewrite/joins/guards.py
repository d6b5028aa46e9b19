"""Conditions that stand before a comparison guard its sides: an index has no keys of items that they exclude.

    //b[@n castable as xs:integer and xs:integer(@n) = $p/@n]
                    → join $b in //b by (if ($b/@n castable as xs:integer) then xs:integer($b/@n) else ()) = $p/@n …

Gain:   what a guard excludes cannot fail.
Needs:  a side that may fail. The guard depends on nothing that the side does not depend on.
Safe:   an item that a guard excludes is none of the results, whatever its key; the guard itself is still tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.analysis.facts.conjuncts import conjunction
from xylem.analysis.facts.value_class import Values, classify
from xylem.syntax import ast

from .condition import Condition

_NEVER_FAIL = (ast.Path, ast.AxisStep, ast.VarRef, ast.ContextItem, ast.Root, ast.StringLiteral)
_NEVER_CAST = (Values.UNTYPED, Values.STRING)


def may_fail(condition: Condition) -> bool:
    """Whether a side, or the comparison of the sides, may raise an error."""
    sides = condition.own, condition.other
    if any(classify(side, {}).values not in _NEVER_CAST for side in sides):
        return True
    parts = (node for side in sides for node in side.walk())
    return not all(isinstance(node, _NEVER_FAIL) for node in parts if isinstance(node, ast.Expr))


def guarded(side: ast.Expr, guards: Sequence[ast.Expr]) -> ast.Expr:
    """One side of a comparison, which has values only where its guards hold."""
    test = conjunction(guards)
    return side if test is None else ast.If(test, side, ast.SequenceExpr((), span=side.span), span=side.span)


def tests_before(condition: Condition, tests: Sequence[ast.Expr]) -> list[ast.Expr]:
    """The tests in front of the one that a condition stands for."""
    place = next((index for index, test in enumerate(tests) if test is condition.whole), 0)
    return list(tests[:place])
