"""Bring a query over records into one spelling, in which its conditions can be found.

        /photons/photon ! (if (en > 2) then ra else ())      →     for $item in /photons/photon
                                                                   return if ($item/en > 2) then $item/ra else ()
        /photons/photon/en[. > 2]/..                         →     /photons/photon[en[. > 2]]
        /photons/photon/(if (en > 2) then ra else ())        →     /photons/photon[en > 2]/ra
        /photons/photon/self::photon[en > 2]                 →     /photons/photon[en > 2]
        let $least := 2 for $p in … where $p/en > $least     →     for $p in … where $p/en > 2
        head(note), (note)[1], note[position() = 1]          →     note[1]
        /photons/photon intersect /photons/photon[en > 2]    →     /photons/photon[en > 2]
        filter(/photons/photon, function($p) { $p/en > 2 })  →     for $p in /photons/photon where $p/en > 2 return $p

Gain:   a condition is found in every spelling.
Needs:  no positions in moved expressions; a step to the element itself has the same name test as the step before.
Safe:   each form returns the same items in the same order. The rest is the normal form for streams
        (`rewrite/normalise`), and forward forms of backward steps (`rewrite/forward_axes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeGuard

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjunction
from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.rewrite.forward_axes import forward
from xylem.rewrite.negation import negated
from xylem.rewrite.normalise.normalise import normalise
from xylem.rewrite.query_rule import QueryFacts
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

_AS_THEY_ARE = ("hold_results", "sorts_as_loops")
"""Rules about state of windows and sorts, which do not concern records."""


def spelled_for_records(body: ast.Expr, prolog: Sequence[ast.Declaration]) -> ast.Expr:
    """The body of a query, read from the root, in the spelling in which conditions on records are searched for."""
    body, _ = normalise(forward(body), prolog, without=_AS_THEY_ARE)
    facts = QueryFacts.of(body, prolog)
    while True:
        made = replaced(body, lambda node: _spelled(node, facts))
        if made is body:
            return body
        body, _ = normalise(made, prolog, without=_AS_THEY_ARE)


def _spelled(node: ast.Node, facts: QueryFacts) -> ast.Expr | None:
    match node:
        case ast.SimpleMap(left=left, right=right) if _gives_nodes(left):
            return _loop(left, right, facts)
        case ast.Path(left=left, right=ast.Filter(base=ast.ContextItem(), predicate=predicate)) if _gives_nodes(left):
            return _filtered(left, predicate)
        case ast.Path(left=left, right=ast.ContextItem()) if _gives_nodes(left):
            return left
        case ast.Path(left=left, right=ast.AxisStep(axis="self") as step) if _is_itself(left, step):
            made: ast.Expr | None = left
            for predicate in step.predicates:
                made = None if made is None else _filtered(made, predicate)
            return made
        case ast.Path(left=left, right=ast.If(test=test, then=then, otherwise=ast.SequenceExpr(items=()))) if (
            _gives_nodes(left) and not uses_position(then)
        ):
            # A test that is not boolean may be a position in a predicate: is_test excludes that.
            chosen = _filtered(left, test)
            return None if chosen is None else ast.Path(chosen, then, span=node.span)
        case ast.Path(left=left, right=ast.SequenceExpr(items=(only,))) if _gives_nodes(left):
            return ast.Path(left, only, span=node.span)
        case ast.SetOperation(op="intersect" | "except" as op, left=left, right=right):
            return _of_both(left, right, holds=op == "intersect")
        case ast.Flwor():
            return _without_constants(node) or _one_loop(node)
        case ast.FunctionCall(name=ast.Name(local="head", uri=uri), arguments=(ast.AxisStep() as step,)) if uri == FN:
            return _counted(step, ast.IntegerLiteral(1))
        case ast.Filter(base=ast.AxisStep() as step, predicate=ast.IntegerLiteral() as number):
            return _counted(step, number)
        case ast.AxisStep(predicates=predicates):
            plain = tuple(map(_number, predicates))
            return None if plain == predicates else replace(node, predicates=plain)
    return None


def _of_both(left: ast.Expr, right: ast.Expr, *, holds: bool) -> ast.Expr | None:
    """/s/photon[A] intersect /s/photon[B]  →  /s/photon[A][B], and with `except` [not(B)]: none occurs twice."""
    if not isinstance(left, ast.Path) or not isinstance(right, ast.Path):
        return None
    first, second = left.right, right.right
    if not isinstance(first, ast.AxisStep) or not isinstance(second, ast.AxisStep):
        return None
    plain = ast.Path(left.left, replace(first, predicates=()))
    if plain != ast.Path(right.left, replace(second, predicates=())) or not _is_child_path(plain):
        return None
    if not all(is_test(one) and not uses_position(one) for one in (*first.predicates, *second.predicates)):
        return None
    tests = second.predicates
    if not holds:
        test = conjunction(tests)
        tests = (negated(test),) if test is not None else (ast.FunctionCall(ast.Name("false", "fn", FN)),)
    return replace(left, right=replace(first, predicates=(*first.predicates, *tests)))


def _without_constants(flwor: ast.Flwor) -> ast.Expr | None:
    """let $x := 2 …  →  … with 2 for $x."""
    for index, clause in enumerate(flwor.clauses):
        if isinstance(clause, ast.LetClause) and clause.type is None and isinstance(clause.value, LITERALS):
            put = Substitution({clause.name.expanded: clause.value})
            if index + 1 == len(flwor.clauses):
                before = flwor.clauses[:index]
                result = put.apply(flwor.result)
                return replace(flwor, clauses=before, result=result) if before else result
            rest = put.apply(ast.Flwor(flwor.clauses[index + 1 :], flwor.result, span=flwor.span))
            assert isinstance(rest, ast.Flwor)
            return replace(flwor, clauses=(*flwor.clauses[:index], *rest.clauses), result=rest.result)
    return None


def _counted(step: ast.AxisStep, number: ast.IntegerLiteral) -> ast.Expr | None:
    """A step from the focus, which is one item: the first item overall is the first of this item."""
    return replace(step, predicates=(*step.predicates, number)) if step.axis == "child" else None


def _number(predicate: ast.Expr) -> ast.Expr:
    """ →  [2]."""
    if not isinstance(predicate, (ast.GeneralComparison, ast.ValueComparison)) or predicate.op not in ("=", "eq"):
        return predicate
    match predicate.left, predicate.right:
        case (ast.FunctionCall() as call, ast.IntegerLiteral() as number):
            pass
        case (ast.IntegerLiteral() as number, ast.FunctionCall() as call):
            pass
        case _:
            return predicate
    return number if call.name.expanded == (FN, "position") else predicate


def _loop(left: ast.Expr, right: ast.Expr, facts: QueryFacts) -> ast.Expr | None:
    if uses_position(right):
        return None
    item = facts.fresh("item")
    try:
        made = Substitution({}, focus=item).apply(right)
    except FocusInTheWay:
        return None
    return ast.Flwor((ast.ForClause(item.name, None, left, span=left.span),), made, span=left.span)


def _one_loop(flwor: ast.Flwor) -> ast.Expr | None:
    """for $p in /s/photon for $n in $p/note …  →  for $n in /s/photon/note …, if $p is read nowhere else."""
    for index, (outer, inner) in enumerate(pairwise(flwor.clauses)):
        if not (_is_plain(outer) and _is_plain(inner) and _is_child_path(outer.collection)):
            continue
        rest = ast.Flwor((inner, *flwor.clauses[index + 2 :]), flwor.result)
        reads = [node for node in rest.walk() if isinstance(node, ast.VarRef) and node.name == outer.name]
        path = inner.collection
        steps: list[ast.AxisStep] = []
        while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
            steps.insert(0, path.right)
            path = path.left
        if len(reads) != 1 or path is not reads[0] or not steps or any(one.axis != "child" for one in steps):
            continue
        made: ast.Expr = outer.collection
        for step in steps:
            made = ast.Path(made, step, span=inner.collection.span)
        clauses = (*flwor.clauses[:index], replace(inner, collection=made), *flwor.clauses[index + 2 :])
        return replace(flwor, clauses=clauses)
    return None


def _is_plain(clause: ast.Clause) -> TypeGuard[ast.ForClause]:
    if not isinstance(clause, ast.ForClause):
        return False
    return clause.type is None and clause.position is None and not clause.allowing_empty


def _is_child_path(expr: ast.Expr) -> bool:
    """/a/b: none of the selected nodes contains another."""
    while isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep) and expr.right.axis == "child":
        expr = expr.left
    return isinstance(expr, ast.Root)


def _filtered(base: ast.Expr, predicate: ast.Expr) -> ast.Expr | None:
    """The items of a path that pass a test; None if the test counts them."""
    if not is_test(predicate) or uses_position(predicate):
        return None
    if isinstance(base, ast.Path) and isinstance(base.right, ast.AxisStep):
        step = replace(base.right, predicates=(*base.right.predicates, predicate))
        return replace(base, right=step)
    return ast.Filter(base, predicate, span=predicate.span)


def _gives_nodes(expr: ast.Expr) -> bool:
    while isinstance(expr, ast.Filter):
        expr = expr.base
    return isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep)


def _is_itself(left: ast.Expr, step: ast.AxisStep) -> bool:
    """Whether a step to the element itself always holds: E/self::node(), a/self::a."""
    if not _gives_nodes(left):
        return False
    while isinstance(left, ast.Filter):
        left = left.base
    assert isinstance(left, ast.Path) and isinstance(left.right, ast.AxisStep)
    before = left.right
    if isinstance(step.test, ast.AnyKindTest):
        return True
    if before.axis not in ("child", "descendant"):
        return False
    is_any = isinstance(step.test, ast.Wildcard) and step.test.local is None and step.test.uri is None
    return step.test == before.test or (is_any and isinstance(before.test, ast.NameTest))
