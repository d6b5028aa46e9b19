"""Paths, filters, conditionals, constructors and all other expressions over infinite sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.focus import uses_last
from xylem.syntax import ast

from .first_positions import first_positions
from .infinite import Infinite, excerpt

if TYPE_CHECKING:
    from .check import Boundedness

Bindings = Mapping[tuple[str, str], Infinite | None]
_DOWN = ("child", "attribute", "self", "descendant", "descendant-or-self")
_CONSTRUCTORS = (
    ast.DirectElement,
    ast.ComputedElement,
    ast.ComputedDocument,
    ast.ComputedAttribute,
    ast.ComputedText,
    ast.ComputedComment,
    ast.ComputedPI,
)
_LAST = "the last item of an infinite sequence never comes: ask for the last one of a window"
_WHOLE = "make one element for each item or window: for $x in … return <a>{ $x }</a>"


def of_other(of: Boundedness, expr: ast.Expr, bound: Bindings) -> Infinite | None:
    """Expressions other than variables, calls and FLWOR expressions."""
    match expr:
        case ast.Path(left=left, right=right):
            return _path(of, expr, left, right, bound)
        case ast.Filter(base=base, predicate=predicate):
            return _filter(of, expr, base, predicate, bound)
        case ast.SimpleMap(left=left, right=right):
            found = of.of(left, bound)
            if found is not None and uses_last(right):
                of.refuse(expr, "last()", found, _LAST)
            inner = _inside(of, right, bound)
            return (found or inner) and (found or inner).through(excerpt(expr))  # type: ignore[union-attr]
        case ast.SequenceExpr(items=items):
            return _sequence(of, items, bound)
        case ast.If(test=test, then=then, otherwise=otherwise):
            of.of(test, bound)
            return of.of(then, bound) or of.of(otherwise, bound)
        case ast.OrderingExpr(body=body) | ast.EnclosedExpr(body=body):
            return of.of(body, bound)
        case ast.ExtensionExpr(body=body):
            return None if body is None else of.of(body, bound)
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            of.of(left, bound)
            of.of(right, bound)
            return None
        case ast.GeneralComparison(left=left, right=right):
            _comparison(of, expr, left, right, bound)
            return None
        case ast.Quantified(bindings=bindings, satisfies=satisfies):
            _quantified(of, expr, bindings, satisfies, bound)
            return None
        case ast.Switch() | ast.Typeswitch():
            return _branches(of, expr, bound)
        case ast.Block(statements=statements):
            for statement in statements[:-1]:
                of.finite(statement, bound, excerpt(statement))
            return of.of(statements[-1], bound)
        case ast.Lookup(base=base, key=key):
            if key is not None:
                of.finite(key, bound, excerpt(expr))
            found = of.of(base, bound)
            return None if found is None else found.through(excerpt(expr))
        case ast.InlineFunction(parameters=parameters, body=body):
            names = {**bound, **{p.name.expanded: None for p in parameters}}
            _inside(of, body, names)
            return None
    if isinstance(expr, _CONSTRUCTORS):
        _constructor(of, expr, bound)
        return None
    for child in expr.children():
        _blocking_child(of, expr, child, bound)
    return None


def _blocking_child(of: Boundedness, expr: ast.Expr, child: ast.Node, bound: Bindings) -> None:
    """An operand that must be finite, or a part that contains some."""
    if isinstance(child, ast.Expr):
        of.finite(child, bound, excerpt(expr))
    else:
        for inner in child.children():
            _blocking_child(of, expr, inner, bound)


def _inside(of: Boundedness, expr: ast.Expr, bound: Bindings) -> Infinite | None:
    """An expression that is evaluated many times."""
    of.depth += 1
    try:
        return of.of(expr, bound)
    finally:
        of.depth -= 1


def _path(of: Boundedness, expr: ast.Expr, left: ast.Expr, right: ast.Expr, bound: Bindings) -> Infinite | None:
    found = of.of(left, bound)
    if isinstance(right, ast.AxisStep):
        for predicate in right.predicates:
            _inside(of, predicate, bound)
        if found is not None and right.axis not in _DOWN:
            hint = "an infinite sequence is read item by item; from an item, only its own content can be reached"
            of.refuse(expr, f"the axis {right.axis}", found, hint)
        return None if found is None else found.through(excerpt(expr))
    if found is not None and uses_last(right):
        of.refuse(expr, "last()", found, _LAST)
    inner = _inside(of, right, bound)
    if inner is not None and found is None:
        of.refuse(expr, excerpt(expr), inner)
    return None if found is None else found.through(excerpt(expr))


def _filter(of: Boundedness, expr: ast.Expr, base: ast.Expr, predicate: ast.Expr, bound: Bindings) -> Infinite | None:
    found = of.of(base, bound)
    _inside(of, predicate, bound)
    if found is None or first_positions(predicate) is not None:
        return None
    if uses_last(predicate) or is_call(predicate, "last"):
        of.refuse(expr, "last()", found, _LAST)
    return found.through(excerpt(expr))


def _sequence(of: Boundedness, items: tuple[ast.Expr, ...], bound: Bindings) -> Infinite | None:
    result: Infinite | None = None
    for item in items:
        if result is not None:
            of.note(item, "this is never reached: the sequence before it never ends")
        result = of.of(item, bound) or result
    return result


def _comparison(of: Boundedness, expr: ast.Expr, left: ast.Expr, right: ast.Expr, bound: Bindings) -> None:
    first, second = of.of(left, bound), of.of(right, bound)
    if first is not None and second is not None:
        of.refuse(expr, excerpt(expr), first)
    if first is not None or second is not None:
        of.note(expr, "compares until it has found a pair for which it holds, which may be never")


def _quantified(
    of: Boundedness,
    expr: ast.Expr,
    bindings: tuple[ast.QuantifiedBinding, ...],
    satisfies: ast.Expr,
    bound: Bindings,
) -> None:
    names = dict(bound)
    for binding in bindings:
        if of.of(binding.collection, names) is not None:
            of.note(expr, "reads until the answer is known, which may be never")
        names[binding.name.expanded] = None
    _inside(of, satisfies, names)


def _branches(of: Boundedness, expr: ast.Switch | ast.Typeswitch, bound: Bindings) -> Infinite | None:
    """switch and typeswitch: the operand must be finite, the results need not be."""
    kind = "switch" if isinstance(expr, ast.Switch) else "typeswitch"
    of.finite(expr.operand, bound, kind)
    results: list[tuple[ast.Expr, Bindings]] = []
    if isinstance(expr, ast.Switch):
        for case in expr.cases:
            for value in case.operands:
                of.finite(value, bound, kind)
            results.append((case.result, bound))
        results.append((expr.default, bound))
    else:
        results += [(branch.result, {**bound, **_named(branch.variable)}) for branch in expr.cases]
        results.append((expr.default, {**bound, **_named(expr.default_variable)}))
    found = [of.of(result, names) for result, names in results]
    return next(filter(None, found), None)


def _named(name: ast.Name | None) -> dict[tuple[str, str], Infinite | None]:
    return {} if name is None else {name.expanded: None}


def _constructor(of: Boundedness, expr: ast.Expr, bound: Bindings) -> None:
    """Content may be infinite only if it is the result as a whole, which can be written while it is constructed."""
    for child in expr.children():
        if isinstance(child, ast.DirectAttribute):
            for part in child.parts:
                if isinstance(part, ast.EnclosedExpr):
                    of.finite(part, bound, excerpt(expr), _WHOLE)
        elif isinstance(child, ast.Expr):
            found = of.of(child, bound)
            if found is None:
                continue
            if of.depth or of.targets or isinstance(expr, (ast.ComputedAttribute, ast.ComputedText)):
                of.refuse(expr, excerpt(expr), found, _WHOLE)
            of.note(expr, "complete only when its content ends: run it over a stream (--stream), or end the input")
