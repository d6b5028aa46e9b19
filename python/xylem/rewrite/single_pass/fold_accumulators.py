"""Turn a recursion that carries a value along into a fold from the left.

    declare function f($p, $a) {
      if (empty($p)) then Z($a)
      else f(tail($p), S($a, head($p)))        →     let $a := fold-left(E, A, function($a, $x) { S($a, $x) })
    };                                               return Z($a)
    f(E, A)

Gain:   the fold takes items as they pass, without a buffer or a stack; several carried values become one array.
Needs:  each branch of the body ends in the recursive call, with the rest of the sequence; or, under a condition on
        carried values alone, in Z: from there on these values stay the same, and so does the condition.
Safe:   the recursion takes the items from left to right, and so does the fold; arguments are converted to the types of
        parameters each time, as they are for every call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import read_variables
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..let_values import bound_once, is_cheap
from ..query_rule import QueryFacts, QueryRule
from ..substitution import Substitution
from .conversion import converted, fits
from .linear_recursion import FRONT, End, LinearRecursion, linear_recursion


class FoldAccumulators(QueryRule):
    name = "fold_accumulators"
    paper = "§5.1.3"
    told = "a recursion that carries a value along is a fold"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        return each_call(body, facts, _folded)


Make = Callable[[LinearRecursion, ast.FunctionCall, QueryFacts], ast.Expr | None]


def each_call(body: ast.Expr, facts: QueryFacts, make: Make, end: End = FRONT) -> ast.Expr:
    """The body with calls of linear recursions replaced by the results of `make`."""
    values = bound_once(body)

    def at(node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.FunctionCall):
            return None
        declared = facts.functions.get((*node.name.expanded, len(node.arguments)))
        if declared is None or any(isinstance(a, ast.ArgumentPlaceholder) for a in node.arguments):
            return None
        found = linear_recursion(declared, facts, end)
        if found is None:
            return None
        items = node.arguments[found.place]
        while isinstance(items, ast.VarRef) and items.name.expanded in values:
            items = values[items.name.expanded]
        if not fits(items, declared.parameters[found.place].type, facts.variables):
            return None
        arguments = tuple(replaced(argument, at, (ast.FunctionCall,)) for argument in node.arguments)
        return make(found, replace(node, arguments=arguments), facts)

    return replaced(body, at, (ast.FunctionCall,)) if facts.functions else body


def constant_places(found: LinearRecursion) -> set[int]:
    """The parameters that every recursive call passes on unchanged."""
    parameters = found.declared.parameters
    places = set(range(len(parameters))) - {found.place}
    for call in found.calls(found.step):
        places = {
            place
            for place in places
            if isinstance(read := call.arguments[place], ast.VarRef)
            and read.name.expanded == parameters[place].name.expanded
        }
    return places


def with_arguments(
    found: LinearRecursion, call: ast.FunctionCall, places: Sequence[int], result: ast.Expr, facts: QueryFacts
) -> ast.Expr:
    """The result with some parameters bound to the arguments of a call, converted as in the call."""
    lets: list[ast.Clause] = []
    direct: dict[tuple[str, str], ast.Expr] = {}
    for place in places:
        parameter = found.declared.parameters[place]
        value = converted(call.arguments[place], parameter.type, facts.variables, facts)
        if is_cheap(value):
            direct[parameter.name.expanded] = value
        else:
            lets.append(ast.LetClause(parameter.name, None, value, span=value.span))
    result = Substitution(direct).apply(result)
    return ast.Flwor(tuple(lets), result, span=call.span) if lets else result


def _folded(found: LinearRecursion, call: ast.FunctionCall, facts: QueryFacts) -> ast.Expr | None:
    constants = constant_places(found)
    carried = [place for place in range(len(call.arguments)) if place != found.place and place not in constants]
    if not carried:
        return None
    parameters = [found.declared.parameters[place] for place in carried]
    step = _next_values(found.step, found, carried, may_end=True)
    if step is None:
        return None
    zeros = [
        converted(call.arguments[place], parameter.type, facts.variables, facts)
        for place, parameter in zip(carried, parameters, strict=True)
    ]
    if len(carried) == 1:
        (carried_value,) = parameters
        zero, at_end = zeros[0], ast.VarRef(carried_value.name)
        lets: list[ast.Clause] = []
        made: ast.Expr = step
        function_parameter = carried_value
    else:
        state = facts.fresh("state")
        lets = [
            ast.LetClause(p.name, None, ast.FunctionCall(_ARRAY_GET, (state, ast.IntegerLiteral(number))))
            for number, p in enumerate(parameters, 1)
        ]
        zero, at_end = ast.SquareArray(tuple(zeros)), state
        made = ast.Flwor(tuple(lets), step)
        function_parameter = ast.Parameter(state.name, None)
        if any(p.type is not None for p in parameters):
            # One array has one type: the types that its members are converted to are lost.
            return None
    function = ast.InlineFunction(
        (),
        (function_parameter, ast.Parameter(found.item.name, None)),
        function_parameter.type,
        made,
        span=found.declared.span,
    )
    fold = ast.FunctionCall(FOLD, (call.arguments[found.place], zero, function), span=call.span)
    result = _with_result(found, fold, at_end, lets, facts)
    return with_arguments(found, call, sorted(constants), result, facts)


FOLD = ast.Name("fold-left", "fn", FN)
_ARRAY_GET = ast.Name("get", "array", "http://www.w3.org/2005/xpath-functions/array")


def _with_result(
    found: LinearRecursion, fold: ast.Expr, value: ast.VarRef, lets: list[ast.Clause], facts: QueryFacts
) -> ast.Expr:
    """let $a := the fold return Z($a)."""
    declared = found.declared
    types = {p.name.expanded: p.type for p in declared.parameters}
    at_end = found.at_end
    if isinstance(at_end, ast.VarRef) and not lets and at_end.name.expanded == value.name.expanded:
        if declared.returns is None or declared.returns == types[value.name.expanded]:
            return fold
        return converted(fold, declared.returns, facts.variables, facts)
    at_end = converted(at_end, declared.returns, facts.variables, facts)
    return ast.Flwor((ast.LetClause(value.name, None, fold, span=fold.span), *lets), at_end, span=fold.span)


def _next_values(step: ast.Expr, found: LinearRecursion, carried: list[int], may_end: bool = False) -> ast.Expr | None:
    """The values that a branch of the body passes on; None if a branch does not end in the recursive call.

    With `may_end`, a branch with the final result passes the values on unchanged.
    """
    if may_end and step == found.at_end and not any(found.calls(step)):
        names = tuple(ast.VarRef(found.declared.parameters[place].name) for place in carried)
        return names[0] if len(names) == 1 else ast.SquareArray(names)
    match step:
        case ast.FunctionCall() if found.is_call(step):
            values = tuple(step.arguments[place] for place in carried)
            if any(any(found.calls(value)) for value in values):
                return None
            return values[0] if len(values) == 1 else ast.SquareArray(values)
        case ast.If(test=test, then=then, otherwise=otherwise):
            ends = may_end and found.item.name.expanded not in read_variables(test)
            first, second = (_next_values(part, found, carried, ends) for part in (then, otherwise))
            if first is None or second is None or any(found.calls(test)):
                return None
            return replace(step, then=first, otherwise=second)
        case ast.Flwor(clauses=clauses, result=result):
            if not all(isinstance(c, ast.LetClause) for c in clauses) or any(any(found.calls(c)) for c in clauses):
                return None
            inner = _next_values(result, found, carried)
            return None if inner is None else replace(step, result=inner)
        case ast.Switch(operand=operand, cases=cases, default=default):
            made = [_next_values(case.result, found, carried) for case in cases]
            last = _next_values(default, found, carried)
            tests = [test for case in cases for test in case.operands]
            if last is None or any(any(found.calls(part)) for part in (operand, *tests)):
                return None
            results = [inner for inner in made if inner is not None]
            if len(results) < len(cases):
                return None
            new = tuple(replace(case, result=inner) for case, inner in zip(cases, results, strict=True))
            return replace(step, cases=new, default=last)
    return None
