"""Write function items that name a function as functions with a body.

    local:match($p, ?)      →     function($item) { local:match($p, $item) }
    local:match#2           →     function($item, $item-2) { local:match($item, $item-2) }

Gain:   the rules that look into the bodies of functions see these, too.
Needs:  the arguments that are given are variables, literals, or paths from variables: they are the same whenever the
        function is called. The function reads no focus, which would be that of the place where it is named.
Safe:   only where the function is called and nothing else is asked of it; its name and types are no longer known.
"""

from __future__ import annotations

from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.focus import reads_focus
from xylem.syntax import ast

from ..query_rule import QueryFacts


def written_function(function: ast.Expr, facts: QueryFacts) -> ast.InlineFunction | None:
    """A function item with its body; None where it cannot be written."""
    match function:
        case ast.InlineFunction():
            return function
        case ast.NamedFunctionRef(name=name, arity=arity):
            return _calling(name, (ast.ArgumentPlaceholder(),) * arity, function, facts)
        case ast.FunctionCall(name=name, arguments=arguments) if any(map(_is_open, arguments)):
            if all(map(_is_fixed, arguments)):
                return _calling(name, arguments, function, facts)
    return None


def _calling(
    name: ast.Name, arguments: tuple[ast.Expr, ...], function: ast.Expr, facts: QueryFacts
) -> ast.InlineFunction | None:
    parameters: list[ast.Parameter] = []
    given: list[ast.Expr] = []
    for argument in arguments:
        if isinstance(argument, ast.ArgumentPlaceholder):
            argument = facts.fresh("item")
            parameters.append(ast.Parameter(argument.name, None, span=function.span))
        given.append(argument)
    call = ast.FunctionCall(name, tuple(given), span=function.span)
    if reads_focus(call):
        return None
    return ast.InlineFunction((), tuple(parameters), None, call, span=function.span)


def _is_open(argument: ast.Expr) -> bool:
    return isinstance(argument, ast.ArgumentPlaceholder)


def _is_fixed(argument: ast.Expr) -> bool:
    match argument:
        case ast.ArgumentPlaceholder() | ast.VarRef():
            return True
        case ast.Path(left=left, right=ast.AxisStep(predicates=())):
            return _is_fixed(left)
    return isinstance(argument, LITERALS)
