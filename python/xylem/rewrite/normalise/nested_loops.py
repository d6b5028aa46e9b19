"""Merge nested loops into one.

    for $y in (for $x in E where C($x) order by K($x) return $x) …    →   for $y in E where C($y) order by K($y) …
    for $t in /a/b where C($t) return $t                              →   /a/b[C(.)]
    (/a/b[A])[B]                                                      →   /a/b[A][B]
    for … return for tumbling window $w in …                          →   for … for tumbling window $w in …

Gain:   later rules see the items of a loop, its conditions and its windows in one expression.
Needs:  for a loop over a loop: no position and no type; no `count` or `group by` between the two. For a loop that
        filters: a condition that reads no focus and is not a number. For a filter: one that asks for no position. For
        windows: distinct names, and no later `order by`, `count` or `group by`, which would then apply to all tuples.
Safe:   the tuples are the same, in the same order.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in, bound_names
from xylem.analysis.facts.truth_values import is_condition
from xylem.analysis.focus import uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_test
from xylem.syntax import ast

from ..focus_conditions import of_focus
from ..query_rule import QueryFacts, QueryRule
from ..substitution import FocusInTheWay, Substitution
from .answers import answering_loops

_BETWEEN = (ast.LetClause, ast.WhereClause, ast.OrderByClause)
_BY_TUPLE = (ast.ForClause, ast.LetClause, ast.WhereClause, ast.WindowClause, ast.ForseqClause)
_WINDOWS = (ast.WindowClause, ast.ForseqClause)
_ASKED = (ast.Filter, ast.Flwor)


class NestedLoops(QueryRule):
    name = "nested_loops"
    told = "loops over loops are written as one"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        answering = answering_loops(body)

        def at(node: ast.Node) -> ast.Node | None:
            if isinstance(node, ast.Filter):
                return _with_last_predicate(node)
            if not isinstance(node, ast.Flwor):
                return None
            filtered = None if id(node) in answering else _filtered(node)
            made = _over_loop(node) or filtered or _with_windows(node)
            return None if made is None else replaced(made, lambda inner: None if inner is made else at(inner), _ASKED)

        return replaced(body, at, _ASKED)


def _with_last_predicate(node: ast.Filter) -> ast.Path | None:
    """(/a/b[A])[B]."""
    match node.base:
        case ast.Path(right=ast.AxisStep() as step) as path:
            if is_condition(node.predicate) and not uses_position(node.predicate):
                return replace(path, right=replace(step, predicates=(*step.predicates, node.predicate)))
    return None


def _is_plain(clause: ast.ForClause) -> bool:
    return clause.type is None and clause.position is None and not clause.allowing_empty


def _over_loop(loop: ast.Flwor) -> ast.Flwor | None:
    """for $y in (for $x in E … return $x) …."""
    for place, outer in enumerate(loop.clauses):
        if not isinstance(outer, ast.ForClause) or not _is_plain(outer) or not isinstance(outer.collection, ast.Flwor):
            continue
        inner = outer.collection
        first, *between = inner.clauses
        if not isinstance(first, ast.ForClause) or not _is_plain(first) or not _gives(inner.result, first.name):
            continue
        if not all(isinstance(clause, _BETWEEN) for clause in between):
            continue
        if place and any(isinstance(clause, ast.OrderByClause) for clause in between):
            # Sorted separately for each earlier tuple, not all together.
            continue
        own = {name.expanded for clause in between for name in bound_names(clause)}
        rest = ast.Flwor(loop.clauses[place + 1 :], loop.result)
        around = free_in(rest) | bound_in(loop)
        if own & (around - own) or _times_bound(loop, own) > len(own) or outer.name.expanded in free_in(inner):
            continue
        if outer.name.expanded in own or outer.name.expanded in _bound_in(inner):
            continue
        renamed = Substitution({first.name.expanded: ast.VarRef(outer.name)}).apply(
            ast.Flwor(tuple(between), ast.SequenceExpr())
        )
        head = replace(outer, collection=first.collection)
        return replace(loop, clauses=(*loop.clauses[:place], head, *renamed.clauses, *loop.clauses[place + 1 :]))
    return None


def _times_bound(loop: ast.Flwor, names: set[tuple[str, str]]) -> int:
    return sum(name.expanded in names for node in loop.walk() for name in bound_names(node))


def _bound_in(node: ast.Node) -> set[tuple[str, str]]:
    return {name.expanded for part in node.walk() for name in bound_names(part)}


def _gives(result: ast.Expr, name: ast.Name) -> bool:
    return isinstance(result, ast.VarRef) and result.name.expanded == name.expanded


def _filtered(loop: ast.Flwor) -> ast.Expr | None:
    """for $t in /a/b where C($t) return $t."""
    match loop.clauses:
        case (ast.ForClause(collection=ast.Path(right=ast.AxisStep() as step) as path) as first, *wheres) if wheres:
            tests = [where.test for where in wheres if isinstance(where, ast.WhereClause)]
        case _:
            return None
    if not _is_plain(first) or len(tests) != len(wheres) or not _gives(loop.result, first.name) or first.name.uri:
        return None
    try:
        predicate = of_focus(replaced(reduce(ast.And, tests), _without_root), first.name.local)
    except FocusInTheWay:
        return None
    if not is_test(predicate):
        return None
    if _starts_at_root(path):
        # There, a leading `/` is the same document.
        predicate = replaced(predicate, lambda node: ast.Root() if node == _ROOT else None)
    elif any(node == _ROOT for node in predicate.walk()):
        return None
    return replace(path, right=replace(step, predicates=(*step.predicates, predicate)))


_ROOT = ast.VarRef(ast.Name("root", None, "urn:xylem:normal-form"))


def _without_root(node: ast.Node) -> ast.Node | None:
    return _ROOT if isinstance(node, ast.Root) else None


def _starts_at_root(path: ast.Expr) -> bool:
    while isinstance(path, (ast.Path, ast.Filter)):
        path = path.left if isinstance(path, ast.Path) else path.base
    return isinstance(path, ast.Root)


def _with_windows(loop: ast.Flwor) -> ast.Flwor | None:
    """… return for tumbling window $w in …."""
    inner = loop.result
    if not isinstance(inner, ast.Flwor) or not isinstance(inner.clauses[0], _WINDOWS):
        return None
    if not all(isinstance(clause, _BY_TUPLE) for clause in inner.clauses):
        return None
    if _bound_in(inner) & (_bound_in(ast.Flwor(loop.clauses, ast.SequenceExpr())) | free_in(loop)):
        return None
    return replace(loop, clauses=(*loop.clauses, *inner.clauses), result=inner.result)
