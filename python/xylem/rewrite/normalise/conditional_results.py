"""Write a condition on the result of a loop as a condition of the loop.

    for … return if (C) then R else ()      →   for … where C return R
    for $b in E … return $b[C]/x            →   for $b in E … where C return $b/x
    (R)[$b/@k = $k]                         →   if ($b/@k = $k) then R else ()
    E ! (if (C) then R else ())             →   E[C] ! R
    E/(if (C) then R else ())               →   E[C]/R
    if (not(C)) then () else R              →   if (C) then R else ()
    sum(for … return if (C) then N else 0)  →   sum(for … return if (C) then N else ())       (N is exact)

Gain:   the search for joins, keys and scan tests matches one form.
Needs:  nothing but loops before the result; no positions in C and R, where they become a predicate and a step.
Safe:   an item without a result takes no place among the results.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.truth_values import is_condition
from xylem.analysis.facts.value_class import Scope, Values, classify
from xylem.analysis.focus import reads_focus, uses_position
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..substitution import FocusInTheWay, Substitution

_LOOPS = (ast.ForClause, ast.LetClause, ast.WhereClause)
_NOTHING = ast.SequenceExpr(())
_SELECTIONS = (ast.AxisStep, ast.ContextItem, ast.Path, ast.Root, ast.VarRef)


def with_where(loop: ast.Flwor) -> ast.Expr | None:
    """The loop with the condition of its result; None if there is none."""
    if not all(isinstance(clause, _LOOPS) for clause in loop.clauses):
        return None
    match loop.result:
        case ast.If(test=test, then=then, otherwise=ast.SequenceExpr(items=())):
            return replace(loop, clauses=(*loop.clauses, ast.WhereClause(test, span=test.span)), result=then)
    found = _filtered_item(loop, loop.result)
    if found is None:
        return None
    test, result = found
    return replace(loop, clauses=(*loop.clauses, ast.WhereClause(test, span=test.span)), result=result)


def _filtered_item(loop: ast.Flwor, result: ast.Expr) -> tuple[ast.Expr, ast.Expr] | None:
    """The condition on the item of a loop at the start of a path, and the path without it."""
    match result:
        case ast.Path(left=left):
            found = _filtered_item(loop, left)
            return None if found is None else (found[0], replace(result, left=found[1]))
        case ast.Filter(base=ast.VarRef() as item, predicate=predicate):
            if not is_condition(predicate) or uses_position(predicate) or not _is_item(item, loop):
                return None
            try:
                return Substitution({}, item).apply(predicate), item
            except FocusInTheWay:
                return None
    return None


def _is_item(item: ast.VarRef, loop: ast.Flwor) -> bool:
    """Whether the variable is one item of the loop."""
    for clause in reversed(loop.clauses):
        if isinstance(clause, (ast.ForClause, ast.LetClause)) and clause.name.expanded == item.name.expanded:
            return isinstance(clause, ast.ForClause) and not clause.allowing_empty
    return False


def with_predicate(node: ast.Node) -> ast.Expr | None:
    """A condition of the last part of a map or a path as a predicate, or a condition in plain form; None otherwise."""
    match node:
        case ast.If(test=test, then=ast.SequenceExpr(items=()), otherwise=otherwise) if otherwise != _NOTHING:
            denied = argument_of(test, "not")
            return None if denied is None else replace(node, test=denied, then=otherwise, otherwise=_NOTHING)
        case ast.Filter(base=base, predicate=test) if is_condition(test) and not reads_focus(test):
            # All items pass, or none. A selection of nodes stays one: a scan can make it.
            return None if isinstance(base, _SELECTIONS) else ast.If(test, base, _NOTHING, span=node.span)
        case ast.SimpleMap(left=left, right=right) | ast.Path(left=left, right=right):
            pass
        case _:
            return None
    match right:
        case ast.If(test=test, then=then, otherwise=ast.SequenceExpr(items=())):
            if uses_position(test) or uses_position(then) or not isinstance(left, (ast.Path, ast.AxisStep)):
                return None
            return replace(node, left=_with_test(left, test), right=then)
    return None


def without_zeros(node: ast.Node, scope: Scope) -> ast.Node | None:
    """A sum whose loop gives exact numbers or zero, without the zeros; None for all else."""
    found = _conditional(node, scope)
    if found is None or found.values not in (Values.INTEGER, Values.DECIMAL):
        return None
    return replace(found.call, arguments=(found.giving(found.chosen(found.value)),))


def with_one_zero(node: ast.Node) -> ast.FunctionCall | None:
    """A sum whose loop gives numbers or zero, with one zero for all: beside it, a sum of -0 is 0.

    It reads the items of its loop three times, which only lookups make cheaper.
    """
    found = _conditional(node, {})
    if found is None or found.values not in (Values.UNTYPED, Values.DOUBLE):
        return None
    some, one = found.giving(found.chosen(found.value)), ast.IntegerLiteral(1)
    passed, turns = _count(found.giving(found.chosen(one))), _count(found.giving(one))
    is_other = ast.GeneralComparison("<", passed, turns, span=node.span)
    rest = ast.If(is_other, ast.IntegerLiteral(0), _NOTHING, span=node.span)
    return replace(found.call, arguments=(ast.SequenceExpr((some, rest), span=node.span),))


@dataclass(frozen=True)
class _ConditionalSum:
    """sum(for … return if (test) then value else 0)."""

    call: ast.FunctionCall
    result: ast.Expr
    test: ast.Expr
    value: ast.Expr
    values: Values

    def chosen(self, value: ast.Expr) -> ast.Expr:
        return ast.If(self.test, value, _NOTHING, span=self.result.span)

    def giving(self, result: ast.Expr) -> ast.Expr:
        """The items of the loop with another result."""
        made = replaced(self.call.arguments[0], lambda inner: result if inner is self.result else None)
        assert isinstance(made, ast.Expr)
        return with_predicate(made) or made


def _conditional(node: ast.Node, scope: Scope) -> _ConditionalSum | None:
    match argument_of(node, "sum"):
        case ast.Flwor(result=result) | ast.SimpleMap(right=result) | ast.Path(right=result):
            test, value = _test_and_value(result)
        case _:
            return None
    if value is None:
        return None
    assert isinstance(node, ast.FunctionCall)
    return _ConditionalSum(node, result, test, value, classify(value, scope).values)


def _test_and_value(result: ast.Expr) -> tuple[ast.Expr, ast.Expr | None]:
    """if (C) then N else 0, or if (not(C)) then 0 else N."""
    match result:
        case ast.If(test=test, then=then, otherwise=ast.IntegerLiteral(value=0)):
            return test, then
        case ast.If(test=test, then=ast.IntegerLiteral(value=0), otherwise=otherwise):
            denied = argument_of(test, "not")
            return (test, None) if denied is None else (denied, otherwise)
    return result, None


def _count(items: ast.Expr) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name("count", "fn", FN), (items,), span=items.span)


def _with_test(path: ast.Path | ast.AxisStep, test: ast.Expr) -> ast.Expr:
    if not is_condition(test):
        test = ast.FunctionCall(ast.Name("boolean", "fn", FN), (test,), span=test.span)
    match path:
        case ast.AxisStep(predicates=predicates):
            return replace(path, predicates=(*predicates, test))
        case ast.Path(right=ast.AxisStep() as step):
            return replace(path, right=replace(step, predicates=(*step.predicates, test)))
    return ast.Filter(path, test, span=path.span)
