"""Predicates, `!` and calls at the end of paths as loops, which the kernel has.

        $o/line[qty > 2]/price     →     for $line in $o/line where $line/qty > 2 return $line/price
        $o/line ! (qty * price)    →     for $line in $o/line return $line/qty * $line/price

Needs:  predicates that are true or false for each node alone; nothing asks for a position.
Safe:   children of children come in document order, each once. That does not hold below descendants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.functions.registry import FN
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .known_functions import XS

Fresh = Callable[[], ast.Name]
"""Gives a name that no query has."""


def as_loop(expr: ast.Expr, fresh: Fresh) -> ast.Flwor | None:
    """The loop that an expression stands for; None where it is none."""
    match expr:
        case ast.Filter(base=base, predicate=predicate):
            return _filtered(base, (predicate,), None, fresh)
        case ast.SimpleMap(left=left, right=right):
            return _mapped(left, right, fresh)
        case ast.Path(left=left, right=right) if not isinstance(right, ast.AxisStep):
            if not is_atomic(right):
                raise NoTemplate("a path with calls that give nodes", expr)
            return _mapped(left, right, fresh)
        case ast.Path():
            return _with_predicates(expr, fresh)
    return None


def _mapped(left: ast.Expr, right: ast.Expr, fresh: Fresh) -> ast.Flwor:
    if uses_position(right):
        raise NoTemplate("a position", right)
    item = fresh()
    return ast.Flwor((ast.ForClause(item, None, left),), _of_item(right, item))


def _with_predicates(path: ast.Path, fresh: Fresh) -> ast.Flwor | None:
    """A path of which a step has predicates, or begins with a loop: cut behind the first of these."""
    behind: list[ast.AxisStep] = []
    cut: ast.Expr = path
    found: tuple[ast.Expr, tuple[ast.Expr, ...], int] | None = None
    while isinstance(cut, ast.Path) and isinstance(cut.right, ast.AxisStep):
        if cut.right.predicates:
            bare = replace(cut, right=replace(cut.right, predicates=()))
            found = bare, cut.right.predicates, len(behind)
        behind.append(cut.right)
        cut = cut.left
    if isinstance(cut, (ast.Filter, ast.SimpleMap, ast.Path, ast.SequenceExpr)):
        if not isinstance(cut, ast.Filter):
            raise NoTemplate("a path that begins at no loop", cut)
        found = cut.base, (cut.predicate,), len(behind)
    if found is None:
        return None
    base, predicates, length = found
    if length and _descends(base):
        raise NoTemplate("a step below nested elements", path)
    return _filtered(base, predicates, tuple(reversed(behind[:length])), fresh)


def _filtered(
    base: ast.Expr, predicates: tuple[ast.Expr, ...], steps: tuple[ast.AxisStep, ...] | None, fresh: Fresh
) -> ast.Flwor:
    for predicate in predicates:
        if not is_test(predicate):
            raise NoTemplate("a predicate that counts", predicate)
    item = fresh()
    result: ast.Expr = ast.VarRef(item)
    for step in steps or ():
        result = ast.Path(result, step, span=step.span)
    tests = tuple(ast.WhereClause(_of_item(predicate, item)) for predicate in predicates)
    return ast.Flwor((ast.ForClause(item, None, base), *tests), result)


def _of_item(expr: ast.Expr, item: ast.Name) -> ast.Expr:
    """An expression that asks a variable where it asked its focus."""
    try:
        return Substitution({}, ast.VarRef(item)).apply(expr)
    except FocusInTheWay as inside:
        raise NoTemplate("the focus of an expression", expr) from inside


def _descends(expr: ast.Expr) -> bool:
    """Whether elements may stand inside each other."""
    return any(
        isinstance(node, ast.AxisStep) and (is_descend(node) or node.axis not in ("child", "attribute"))
        for node in expr.walk()
    )


def is_atomic(expr: ast.Expr) -> bool:
    """Whether all items of an expression are atomic, told by its form."""
    match expr:
        case ast.SequenceExpr(items=items):
            return all(map(is_atomic, items))
        case ast.If(then=then, otherwise=otherwise):
            return is_atomic(then) and is_atomic(otherwise)
        case ast.Switch(cases=cases, default=default):
            return is_atomic(default) and all(is_atomic(case.result) for case in cases)
        case ast.FunctionCall(name=name):
            return name.uri in (FN, XS)
        case ast.Flwor(result=result):
            return is_atomic(result)
        case ast.Path(right=right) | ast.SimpleMap(right=right) if not isinstance(right, ast.AxisStep):
            return is_atomic(right)
        case ast.Filter(base=base):
            return is_atomic(base)
    literals = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
    operators = (ast.Arithmetic, ast.Unary, ast.StringConcat, ast.CastAs, ast.ValueComparison)
    return isinstance(expr, (*literals, *operators)) or is_boolean(expr)
