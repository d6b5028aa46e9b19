"""Replace calls of function values that the query itself defines by their bodies.

    let $same := function($a, $b) { $a/k = $b/k }
    for $a in /r/a for $b in /r/b where $same($a, $b) return $b
                                                 →     for $a in /r/a for $b in /r/b where $a/k = $b/k return $b
    function($a) { ($a, $a) }(f(.))              →     let $a := f(.) return ($a, $a)

Gain:   later rules look for joins, groups and paths, and see none in a call of a value.
Needs:  the function is written where it is called; or one `let` or declared variable holds it, no other binding has
        that name, and each outer variable that its body reads is bound once in the query, so it is the same where the
        function is called. No focus; a `let` checks the types of its parameters, and its body is known to have the
        type of its result. It is not called with itself, as a recursion would be. The query does
        not set variables, and stays small.
Safe:   a function has no focus and no state: a call is its body with the parameters bound to the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in
from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.syntax import ast
from xylem.syntax.ast.facts import contains, size_of

from ..argument_types import KnownTypes, is_checked_alike
from ..inline_prolog import gives_type
from ..let_values import bound_once, times_bound
from ..query_rule import ExpandedName, QueryFacts, QueryRule
from ..substitution import Substitution
from .written_functions import written_function

MOST_NODES = 4_000
"""Queries that become larger than this keep their calls."""


class ApplyFunctions(QueryRule):
    name = "apply_functions"
    told = "calls of functions that the query has written are their bodies"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        if facts.sets_variables or not contains(body, ast.DynamicCall):
            return body
        times = times_bound(body)
        # A global function reads global variables only.
        own = bound_in(body)
        values = {name: value for name, value in facts.values.items() if not (free_in(value) | {name}) & own}
        values |= bound_once(body)
        written = {name: written_function(value, facts) for name, value in values.items()}
        functions = {name: function for name, function in written.items() if function is not None}
        known = KnownTypes.of(body)
        room = MOST_NODES - size_of(body)

        def at(node: ast.Node) -> ast.Node | None:
            nonlocal room
            function = _called(node, functions, times, facts)
            if function is None or not _can_go(function):
                return None
            assert isinstance(node, ast.DynamicCall)
            room -= sum(1 for _ in function.body.walk())
            return _applied(node, function, known, facts) if room >= 0 else None

        return replaced(body, at)


def _called(
    node: ast.Node,
    functions: Mapping[ExpandedName, ast.InlineFunction],
    times: Mapping[ExpandedName, int],
    facts: QueryFacts,
) -> ast.InlineFunction | None:
    """The function value of a call."""
    if not isinstance(node, ast.DynamicCall) or any(isinstance(a, ast.ArgumentPlaceholder) for a in node.arguments):
        return None
    function = node.function
    if isinstance(function, ast.VarRef):
        known = functions.get(function.name.expanded)
        if known is None or times[function.name.expanded] > 1 or function in node.arguments:
            return None
        if any(times[name] > 1 for name in free_in(known)):
            return None
        function = known
    written = written_function(function, facts)
    return None if written is None or len(written.parameters) != len(node.arguments) else written


def _can_go(function: ast.InlineFunction) -> bool:
    if function.annotations or reads_focus(function.body):
        return False
    if not gives_type(function.body, function.returns, function.parameters):
        return False
    return all(is_checked_alike(parameter.type) for parameter in function.parameters)


def _applied(call: ast.DynamicCall, function: ast.InlineFunction, known: KnownTypes, facts: QueryFacts) -> ast.Expr:
    inside = bound_in(function.body)
    put_in: dict[ExpandedName, ast.Expr] = {}
    lets: list[ast.Clause] = []
    for parameter, argument in zip(function.parameters, call.arguments, strict=True):
        is_plain = isinstance(argument, (ast.VarRef, *LITERALS)) and not free_in(argument) & inside
        unchecked = None if known.has_type(argument, parameter.type) else parameter.type
        if not is_plain or unchecked is not None:
            name = facts.fresh(parameter.name.local)
            lets.append(ast.LetClause(name.name, unchecked, argument, span=argument.span))
            argument = name
        put_in[parameter.name.expanded] = argument
    made = Substitution(put_in).apply(function.body)
    return ast.Flwor(tuple(lets), made, span=call.span) if lets else made
