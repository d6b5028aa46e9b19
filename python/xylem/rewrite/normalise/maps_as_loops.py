"""Write maps over values as loops, and `switch (true())` as conditions.

    distinct-values(E) ! F(.)                             →     for $x in distinct-values(E) return F($x)
    /a/b ! F(., position())                               →     for $x at $i in /a/b return F($x, $i)
    switch (true()) case C return A default return B      →     if (C) then A else B
    for $x in E return $x                                 →     E
    let $a := $b return F($a)                             →     F($b)

Gain:   later rules look for groups, joins and sorts in loops and conditions; a map changes the focus, so that no rule
        could move an expression out of it.
Needs:  for a map over values, the right side reads only the item, by `.`, and neither its position nor steps from it,
        since a path from a value would raise other errors. For a map over nodes, and for a path whose last step is a
        function that gives values, the right side reads position() but not last(). For a switch, the conditions are
        always one xs:boolean. For a `let`, no later clause binds the other variable again.
Safe:   a map evaluates its right side for each item in order, as a loop does. A loop that returns its own items returns
        them in order, each once.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in
from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import nodes_in_same_focus, uses_last, uses_position
from xylem.functions.library import look_up
from xylem.syntax import ast

from ..let_values import is_read_behind_grouping
from ..query_rule import QueryFacts, QueryRule
from ..substitution import FocusInTheWay, Substitution
from .answers import answering_loops

_VALUES = (ast.FunctionCall, ast.Range, ast.SequenceExpr)
"""The operands of a map that are not paths: for paths and variables, streaming recognises maps, too."""
_ASKED = (ast.SimpleMap, ast.Path, ast.Switch, ast.Flwor)


class MapsAsLoops(QueryRule):
    name = "maps_as_loops"
    told = "maps over values and choices between conditions are written as loops and conditions"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        answering = answering_loops(body)

        def at(node: ast.Node) -> ast.Node | None:
            made = None if id(node) in answering and _is_identity(node) else _written_out(node, facts)
            return None if made is None else replaced(made, lambda inner: None if inner is made else at(inner), _ASKED)

        return replaced(body, at, _ASKED)


def _written_out(node: ast.Node, facts: QueryFacts) -> ast.Expr | None:
    match node:
        case ast.SimpleMap(left=left, right=right) if isinstance(left, _VALUES):
            return _loop(node, left, right, facts)
        case ast.SimpleMap(left=left, right=right) if _gives_nodes(left) and uses_position(right):
            return _numbered_loop(node, left, right, facts)
        case ast.Path(left=left, right=ast.FunctionCall() as right) if _gives_nodes(left) and uses_position(right):
            return _numbered_loop(node, left, right, facts) if _gives_values(right) else None
        case ast.Switch(operand=operand, cases=cases, default=default) if is_call(operand, "true"):
            return _conditions(node, cases, default)
        case ast.Flwor(clauses=(ast.ForClause(collection=items),)) if _is_identity(node):
            return items
        case ast.Flwor():
            return _without_alias(node)
    return None


def _is_identity(node: ast.Node) -> bool:
    match node:
        case ast.Flwor(clauses=(ast.ForClause(type=None, position=None) as only,), result=ast.VarRef(name=name)):
            is_whole = only.allowing_empty or isinstance(only.collection, ast.DataWindow)
            return name.expanded == only.name.expanded and not is_whole
    return False


def _loop(node: ast.SimpleMap, left: ast.Expr, right: ast.Expr, facts: QueryFacts) -> ast.Expr | None:
    if uses_position(right) or any(isinstance(one, (ast.AxisStep, ast.Root)) for one in nodes_in_same_focus(right)):
        return None
    item = facts.fresh("item")
    try:
        made = Substitution({}, focus=item).apply(right)
    except FocusInTheWay:
        return None
    return ast.Flwor((ast.ForClause(item.name, None, left, span=left.span),), made, span=node.span)


def _gives_nodes(items: ast.Expr) -> bool:
    return isinstance(items, ast.Path) and isinstance(items.right, ast.AxisStep)


def _gives_values(call: ast.FunctionCall) -> bool:
    known = look_up(*call.name.expanded, len(call.arguments))
    return known is not None and known.returns.startswith("xs:")


def _numbered_loop(node: ast.Expr, left: ast.Expr, right: ast.Expr, facts: QueryFacts) -> ast.Expr | None:
    if uses_last(right):
        return None
    item, number = facts.fresh("item"), facts.fresh("number")
    counted = {id(one) for one in nodes_in_same_focus(right) if is_call(one, "position")}
    by_number = replaced(right, lambda one: number if id(one) in counted else None)
    if uses_position(by_number):
        return None
    try:
        made = Substitution({}, focus=item).apply(by_number)
    except FocusInTheWay:
        return None
    return ast.Flwor((ast.ForClause(item.name, None, left, number.name, span=left.span),), made, span=node.span)


def _conditions(node: ast.Switch, cases: tuple[ast.SwitchCase, ...], default: ast.Expr) -> ast.Expr | None:
    made = default
    for case in reversed(cases):
        if not all(map(is_boolean, case.operands)):
            return None
        test = case.operands[0]
        for other in case.operands[1:]:
            test = ast.Or(test, other, span=case.span)
        made = ast.If(test, case.result, made, span=node.span)
    return made


def _without_alias(loop: ast.Flwor) -> ast.Expr | None:
    for index, clause in enumerate(loop.clauses):
        if not isinstance(clause, ast.LetClause) or clause.type is not None or not isinstance(clause.value, ast.VarRef):
            continue
        behind = ast.Flwor(loop.clauses[index + 1 :], loop.result, span=loop.span)
        bound = bound_in(behind)
        if bound & {clause.name.expanded, clause.value.name.expanded}:
            continue
        if is_read_behind_grouping(clause.name, behind.clauses, behind.result):
            continue
        made = Substitution({clause.name.expanded: clause.value}).apply(behind)
        clauses = (*loop.clauses[:index], *made.clauses)
        return replace(loop, clauses=clauses, result=made.result) if clauses else made.result
    return None
