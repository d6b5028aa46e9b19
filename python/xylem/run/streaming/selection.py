"""Selection in the scan: conditions that decide at a start tag whether anything of an element can matter.

        on person as $p return … { if ($p/@id = "person0" and …) then … } …     →     person[@id = "person0"]

Gain:   elements that fail are skipped at the speed of the scan, and no handler is called for them.
Needs:  the condition compares an attribute with a constant, and everything the handler could write stands under it.
Safe:   the condition is still tested by the handler; the scan only drops what would write nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from xylem.plan.flux import Flux, For, If, On, OnEach, OnFirst, OnWindow, ProcessStream, Sequence
from xylem.plan.scan_plan import AttributeTest
from xylem.syntax import ast

_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_GENERAL = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
Guards = frozenset[ast.Expr] | None
"""Conditions under which alone a body writes; None for a body that writes nothing in any case."""


def tests_of(body: Flux, variable: str) -> tuple[AttributeTest, ...]:
    """The tests of attributes of `variable` that must hold for a body to write anything."""
    return _tests(guards(body) or (), variable)


def tests_of_predicates(taken: ast.Expr, variable: str) -> tuple[tuple[AttributeTest, ...], bool]:
    """The tests among the predicates of `$variable[p][q]…`, and whether they are all there is to it."""
    predicates: list[ast.Expr] = []
    while isinstance(taken, ast.Filter):
        predicates += _conjuncts(taken.predicate)
        taken = taken.base
    relative = [_of_variable(predicate, variable) for predicate in predicates]
    tests = _tests((p for p in relative if p is not None), variable)
    is_plain = isinstance(taken, ast.VarRef) and len(tests) == len(predicates)
    return tests, is_plain


def guards(body: Flux) -> Guards:
    """The conditions that everything a body writes stands under."""
    match body:
        case If(condition=condition, body=inner):
            below = guards(inner)
            return None if below is None else below | frozenset(_conjuncts(condition))
        case For(body=inner, where=where):
            below = guards(inner)
            return None if below is None else below | frozenset(_conjuncts(where) if where is not None else ())
        case Sequence(parts=parts):
            return _common(guards(part) for part in parts)
        case ProcessStream(handlers=handlers):
            return _common(
                guards(handler.body) for handler in handlers if isinstance(handler, (On, OnFirst, OnWindow, OnEach))
            )
    return frozenset()


def _common(parts: Iterable[Guards]) -> Guards:
    found: Guards = None
    for part in parts:
        if part is not None:
            found = part if found is None else found & part
    return found


def _conjuncts(condition: ast.Expr) -> list[ast.Expr]:
    if isinstance(condition, ast.And):
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [condition]


def _tests(conditions: Iterable[ast.Expr], variable: str) -> tuple[AttributeTest, ...]:
    found = (_test(condition, variable) for condition in conditions)
    return tuple(sorted((test for test in found if test is not None), key=repr))


def _test(condition: ast.Expr, variable: str) -> AttributeTest | None:
    if isinstance(condition, ast.GeneralComparison):
        op = condition.op
    elif isinstance(condition, ast.ValueComparison):
        op = _GENERAL[condition.op]
    else:
        return None
    left, right = condition.left, condition.right
    if isinstance(left, (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)):
        left, right, op = right, left, _TURNED[op]
    name = _attribute(left, variable)
    if name is None:
        return None
    if isinstance(right, ast.StringLiteral):
        return AttributeTest(*name, op, string=right.value)
    numbers = (ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
    # A value comparison with a number would be an error: it is left to the handler.
    if isinstance(right, numbers) and isinstance(condition, ast.GeneralComparison):
        return AttributeTest(*name, op, number=float(right.value))
    return None


def _attribute(expr: ast.Expr, variable: str) -> tuple[str, str] | None:
    """(uri, local) of $variable/@name"""
    match expr:
        case ast.Path(
            left=ast.VarRef(name=source),
            right=ast.AxisStep(axis="attribute", test=ast.NameTest(name=name), predicates=()),
        ) if source.expanded == ("", variable):
            return name.expanded
    return None


def _of_variable(predicate: ast.Expr, variable: str) -> ast.Expr | None:
    """A comparison in a predicate, its step made a path from the variable."""
    if not isinstance(predicate, (ast.GeneralComparison, ast.ValueComparison)):
        return None
    item = ast.VarRef(ast.Name(variable, None, ""))
    sides = [
        ast.Path(item, side) if isinstance(side, ast.AxisStep) else side for side in (predicate.left, predicate.right)
    ]
    return type(predicate)(predicate.op, *sides)
