"""Give conditions with the same meaning the same spelling.

    some $k in $c/buyer satisfies $k/@person = B        →     $c/buyer/@person = B
    exists($c/buyer[@person = B])                       →     $c/buyer/@person = B
    every $x in E satisfies not(C)                      →     not(some $x in E satisfies C)
    not(every $x in E satisfies C)                      →     some $x in E satisfies not(C)
    not(not(C)), not(empty(E))                          →     C, exists(E)
    for … return if (C) then R else ()                  →     for … where C return R     (`conditional_results.py`)
    let $x := . return $x/@k = B                        →     @k = B                     (`conditions_in_lets.py`)
    if (A) then B else false()                          →     A and B                    (`conditions_in_ifs.py`)

Gain:   the search for joins, keys and scan tests has to match one form of a condition only.
Needs:  in comparisons, neither side is a literal; conditions of a `where`, an `if`, a predicate or a not(), which are
        used only by their truth. For `not(not(C))` an xs:boolean. After nothing but loops, a condition decides the
        whole result.
Safe:   a general comparison holds where some pair does (XQuery 3.1 §3.7.2); quantifiers are each other's opposites.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.truth_values import is_boolean, is_condition
from xylem.syntax import ast

from ..negation import negated
from ..query_rule import QueryFacts, QueryRule
from .answers import answering_loops
from .conditional_results import with_predicate, with_where, without_zeros
from .conditions_in_ifs import without_ifs
from .conditions_in_lets import without_variables
from .existential import as_comparison


class PlainConditions(QueryRule):
    name = "plain_conditions"
    told = "conditions are written as comparisons"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        answering = answering_loops(body)

        def at(node: ast.Node) -> ast.Node | None:
            made = _plain(node) or with_predicate(node) or without_zeros(node, facts.variables)
            if made is None and isinstance(node, ast.Flwor) and id(node) not in answering:
                made = with_where(node)
            return None if made is None else replaced(made, lambda inner: None if inner is made else at(inner))

        return replaced(body, at)


def _plain(node: ast.Node) -> ast.Node | None:
    """The node with plain conditions; None if they are plain already."""
    match node:
        case ast.WhereClause(test=test) | ast.If(test=test):
            made = _condition(test)
            return None if made is test else replace(node, test=made)
        case ast.AxisStep(predicates=predicates) if predicates:
            tests = tuple(_condition(test) if _is_asked(test) else test for test in predicates)
            is_same = all(a is b for a, b in zip(tests, predicates, strict=True))
            return None if is_same else replace(node, predicates=tests)
        case ast.Filter(predicate=predicate) if _is_asked(predicate):
            made = _condition(predicate)
            return None if made is predicate else replace(node, predicate=made)
    return None


def _is_asked(predicate: ast.Expr) -> bool:
    """Whether a predicate is a condition, and never a number."""
    match predicate:
        case ast.Flwor(result=result):
            return _is_asked(result)
        case ast.If(then=then, otherwise=otherwise):
            return _is_asked(then) and _is_asked(otherwise)
    return is_condition(predicate)


def _condition(test: ast.Expr) -> ast.Expr:
    """A condition in terms of comparisons; the very same object if it is one already."""
    plain = without_ifs(without_variables(test))
    parts = conjuncts(plain)
    made = [_one(part) for part in parts]
    if all(a is b for a, b in zip(parts, made, strict=True)):
        return plain
    whole = conjunction(made)
    assert whole is not None
    return whole


def _one(test: ast.Expr) -> ast.Expr:
    plain = without_ifs(test)
    if plain is not test:
        return _condition(plain)
    denied = argument_of(test, "not")
    if denied is not None:
        return _denied(test, denied)
    match test:
        case ast.Quantified(kind="every", satisfies=satisfies):
            inner = argument_of(satisfies, "not")
            if inner is not None:
                some = replace(test, kind="some", satisfies=inner)
                return negated(_one(some))
    made = as_comparison(test)
    # A comparison with a constant is not a join: in its written form, its items can be counted in parts.
    return test if _compares_with_constant(made) else made


def _compares_with_constant(test: ast.Expr) -> bool:
    match test:
        case ast.GeneralComparison(left=left, right=right):
            return isinstance(left, LITERALS) or isinstance(right, LITERALS)
    return False


def _denied(whole: ast.Expr, test: ast.Expr) -> ast.Expr:
    match test:
        case ast.Quantified(kind="every", satisfies=satisfies) if is_boolean(satisfies):
            return _one(replace(test, kind="some", satisfies=negated(satisfies)))
        case ast.FunctionCall(arguments=(asked,)) if argument_of(test, "not") is not None and is_condition(asked):
            return _one(asked)
        case ast.FunctionCall() if argument_of(test, "not") is not None or argument_of(test, "empty") is not None:
            made = negated(test)
            return whole if argument_of(made, "not") is not None else _one(made)
    made = _one(test)
    return whole if made is test else negated(made)
