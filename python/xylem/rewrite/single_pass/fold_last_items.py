"""Turn a recursion over all items but the last one into a fold.

    declare function f($p) { if (empty($p)) then Z else C($p[last()], f($p[position() < last()])) }

    f(E)   →   fold-left(E, Z, function($a, $x) { C($x, $a) })

Gain:   the value for a prefix of the items is computed from the value for the prefix before it, so the fold takes the
        items as they pass. This is the form of aggregates in figure 1 of the paper, for operators that are not
        associative.
Needs:  each branch of the body reads the value for the items before, so the recursion, too, computes all of them; the
        other parameters are passed on unchanged.
Safe:   the innermost call is that for the first item. Each call converts its result to the declared type, and so does
        each step of the fold.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.syntax import ast

from ..query_rule import QueryFacts, QueryRule
from .conversion import converted
from .fold_accumulators import FOLD, constant_places, each_call, with_arguments
from .linear_recursion import BACK, LinearRecursion


class FoldLastItems(QueryRule):
    name = "fold_last_items"
    paper = "§5.1.3"
    told = "a recursion over the items before the last one is a fold"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        return each_call(body, facts, _folded, BACK)


def _folded(found: LinearRecursion, call: ast.FunctionCall, facts: QueryFacts) -> ast.Expr | None:
    constants = constant_places(found)
    if len(constants) < len(call.arguments) - 1 or not _is_asked_for(found.step, found):
        return None
    so_far, returns = facts.fresh("before"), found.declared.returns
    step = replaced(found.step, lambda node: so_far if found.is_call(node) else None)
    parameters = (ast.Parameter(so_far.name, returns), ast.Parameter(found.item.name, None))
    function = ast.InlineFunction((), parameters, returns, step, span=found.declared.span)
    zero = converted(found.at_end, returns, facts.variables, facts)
    fold = ast.FunctionCall(FOLD, (call.arguments[found.place], zero, function), span=call.span)
    return with_arguments(found, call, sorted(constants), fold, facts)


def _is_asked_for(expr: ast.Expr, found: LinearRecursion) -> bool:
    """Whether the value for the preceding items is always computed.

    Otherwise the fold would raise errors that the recursion avoids by stopping at a later item.
    """
    match expr:
        case ast.FunctionCall(arguments=arguments):
            return found.is_call(expr) or any(_is_asked_for(argument, found) for argument in arguments)
        case ast.If(test=test, then=then, otherwise=otherwise):
            both = _is_asked_for(then, found) and _is_asked_for(otherwise, found)
            return both or _is_asked_for(test, found)
        case ast.Switch(operand=operand, cases=cases, default=default):
            results = (*(case.result for case in cases), default)
            return _is_asked_for(operand, found) or all(_is_asked_for(result, found) for result in results)
        case ast.Flwor(clauses=(ast.LetClause(value=value), *rest), result=result):
            inner = replace(expr, clauses=tuple(rest)) if rest else result
            return _is_asked_for(value, found) or _is_asked_for(inner, found)
        case ast.Flwor(clauses=(ast.ForClause(collection=collection), *_)):
            return _is_asked_for(collection, found)
        case ast.Arithmetic() | ast.GeneralComparison() | ast.ValueComparison() | ast.StringConcat():
            return _is_asked_for(expr.left, found) or _is_asked_for(expr.right, found)
        case ast.And(left=left) | ast.Or(left=left) | ast.Path(left=left) | ast.SimpleMap(left=left):
            return _is_asked_for(left, found)
        case ast.Filter(base=base):
            return _is_asked_for(base, found)
        case ast.SequenceExpr(items=items):
            return any(_is_asked_for(item, found) for item in items)
        case ast.Unary(operand=operand):
            return _is_asked_for(operand, found)
    return False
