"""Conditions in fewer words, where a record has a value at most once.

        en[1] > 2, head(en) > 2, (en)[last()] > 2      →      en > 2
        number(string(en)) > 2                          →      number(en) > 2
        *:en > 2                                        →      en > 2, if a schema has no other elements of that name
        count(phc) = 0                                  →      empty(phc)

Each has the same value as before, or fails where that does, so a filter may go on testing the words of the query.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.comparisons import GENERAL, TURNED
from xylem.analysis.facts.standard_calls import argument_of
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.symbols import ANY
from xylem.schema.symbols import symbol
from xylem.syntax import ast

from .constants import constant_number
from .record_facts import RecordFacts, bare, is_ending, is_path
from .zones import compares


def in_fewer_words(condition: ast.Expr, facts: RecordFacts) -> ast.Expr:
    """The condition with everything said in fewer words that can be."""

    def shorter(node: ast.Node) -> ast.Node | None:
        made = _shorter(node, facts) if isinstance(node, ast.Expr) else None
        return None if made is None else in_fewer_words(made, facts)

    return replaced(condition, shorter)


def _shorter(node: ast.Expr, facts: RecordFacts) -> ast.Expr | None:
    match node:
        case ast.Path(left=left, right=ast.AxisStep(predicates=(*before, last)) as step) if is_ending(last):
            rest = ast.Path(left, replace(step, predicates=tuple(before)), span=node.span)
            return rest if facts.is_at_most_one(rest) and is_path(rest) else None
        case ast.Filter(base=base, predicate=predicate) if is_ending(predicate):
            return base if facts.is_at_most_one(base) else None
        case ast.Path(left=left, right=ast.AxisStep(axis="child", test=ast.Wildcard(local=str() as local)) as step):
            return _named(left, step, local, facts)
        case ast.FunctionCall(name=name, arguments=(argument,)):
            inner = argument_of(argument, "string")
            if inner is None or not is_path(inner) or not facts.is_at_most_one(inner):
                return None
            is_cast = name.uri == PREFIXES["xs"] and facts.is_always_one(inner)
            if is_cast or name.expanded == (FN, "number"):
                return replace(node, arguments=(inner,))
        case ast.GeneralComparison(op=op, left=left, right=right) | ast.ValueComparison(op=op, left=left, right=right):
            op = GENERAL.get(op, op)
            return _counted(left, op, right, facts) or _counted(right, TURNED[op], left, facts)
    return None


def _named(left: ast.Expr, step: ast.AxisStep, local: str, facts: RecordFacts) -> ast.Expr | None:
    """*:en as the only elements of that name that may be there."""
    here = facts.below(left)
    # A DTD does not say which namespace a prefix stands for.
    if here is None or any(one == ANY or (":" in one and not one.startswith("Q{")) for one in here.elements):
        return None
    named = [one for one in map(symbol, sorted(here.elements)) if one.local == local]
    if len(named) != 1:
        return None
    return ast.Path(left, replace(step, test=ast.NameTest(ast.Name(local, None, named[0].uri or ""))))


def _counted(own: ast.Expr, op: str, other: ast.Expr, facts: RecordFacts) -> ast.Expr | None:
    """count(E) = 1 of at most one item, as a test of its presence."""
    path, number = argument_of(own, "count"), constant_number(other)
    if path is None or number is None or not is_path(path) or not facts.is_at_most_one(bare(path)):
        return None
    told = {
        (True, True): "true", (False, False): "false", (True, False): "empty", (False, True): "exists"
    }[compares(0, op, number), compares(1, op, number)]  # fmt: skip
    if told in ("true", "false") and bare(path) != path:
        # Its predicates may fail with an error, whatever the number would be.
        return None
    return ast.FunctionCall(ast.Name(told, None, FN), () if told in ("true", "false") else (path,))
