"""Write a condition that an `if` decides with `and`, `or` and `not`.

    if (A) then B else false()     →   A and B
    if (A) then true() else B      →   A or B
    if (A) then false() else B     →   not(A) and B
    if (A) then B else true()      →   not(A) or B
    boolean(A)                     →   A

Gain:   the search for joins and scan tests takes conditions apart.
Needs:  a condition, of which only the truth is used. B is one boolean value.
Safe:   `and` and `or` evaluate B only where the `if` does. A join may evaluate one side of a comparison for items that
        no other condition has admitted yet, but not if that condition reads the same side: so A reads no more than one
        variable or the focus, unless B is true() or false().
"""

from __future__ import annotations

from xylem.analysis.facts.standard_calls import argument_of, is_call
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..negation import negated


def without_ifs(test: ast.Expr) -> ast.Expr:
    """The condition without an `if` around its parts; the very same object if that cannot be done."""
    inner = argument_of(test, "boolean")
    if inner is not None and is_boolean(inner):
        return without_ifs(inner)
    match test:
        case ast.If(test=asked, then=then, otherwise=otherwise) if (
            _is_of_one_side(asked) or (_is_truth(then) and _is_truth(otherwise))
        ):
            return _decided(without_ifs(asked), without_ifs(then), without_ifs(otherwise)) or test
    return test


def _decided(asked: ast.Expr, then: ast.Expr, otherwise: ast.Expr) -> ast.Expr | None:
    if is_call(then, "true") and is_call(otherwise, "false"):
        if is_boolean(asked):
            return asked
        # As a predicate, a number would be a position.
        return ast.FunctionCall(ast.Name("boolean", "fn", FN), (asked,), span=asked.span)
    if is_call(then, "false") and is_call(otherwise, "true"):
        return negated(asked)
    if is_call(otherwise, "false") and is_boolean(then):
        return ast.And(asked, then, span=then.span)
    if is_call(then, "true") and is_boolean(otherwise):
        return ast.Or(asked, otherwise, span=otherwise.span)
    if is_call(then, "false") and is_boolean(otherwise):
        return ast.And(negated(asked), otherwise, span=otherwise.span)
    if is_call(otherwise, "true") and is_boolean(then):
        return ast.Or(negated(asked), then, span=then.span)
    return None


def _is_of_one_side(asked: ast.Expr) -> bool:
    return len(free_in(asked)) + reads_focus(asked) < 2


def _is_truth(expr: ast.Expr) -> bool:
    return is_call(expr, "true") or is_call(expr, "false")
