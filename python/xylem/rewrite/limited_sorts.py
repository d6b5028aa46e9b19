"""Sorts of which a query reads only the first or last items: the number of tuples that it needs.

    (for $x in E order by K return R)[position() le 10]          10 items
    subsequence(for …, 1, 10), head(for …), (for …)[3], (for …)[position() le $k]
    (for …)[last()], (for …)[position() > last() - 3]            as many from the end
    for $x in E order by K count $c where $c le 10 return R      10 tuples
    sort(E, (), function($x) { K })[1]                           as  (for $x in E order by K return $x)[1]

Needs:  for sort(), K returns at most one value, of a known type, because its keys may be sequences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from xylem.analysis.facts.value_class import Known, Values, classify
from xylem.analysis.first_items import first_items, position_limit
from xylem.analysis.focus import reads_focus
from xylem.analysis.last_items import last_items
from xylem.functions.registry import FN
from xylem.syntax import ast

from .substitution import FocusInTheWay, Substitution

MOST_TUPLES = 100_000
"""A limit beyond this means a full sort."""
_BEFORE = (ast.ForClause, ast.LetClause, ast.WhereClause)
_BEHIND = (ast.LetClause, ast.WhereClause, ast.CountClause)
_CONSTRUCTORS = (ast.DirectElement, ast.ComputedElement, ast.SquareArray, ast.MapConstructor)


@dataclass(frozen=True)
class LimitedSort:
    """A loop with `order by` whose first tuples are needed."""

    loop: ast.Flwor
    """The whole loop: `for`, clauses before the order, the order, clauses after it."""
    limit: int | ast.VarRef
    """A number, or a variable that holds it."""
    counted: ast.Expr | None
    """The items of a tuple, if there may be none; None if there is always one, or if tuples are counted."""
    is_last: bool = False
    """Whether to count from the end."""

    @property
    def told(self) -> str:
        """The number of tuples, in words."""
        number = f"${self.limit.name.local}" if isinstance(self.limit, ast.VarRef) else str(self.limit)
        return f"{number} tuple{'s' * (number != '1')}"

    @property
    def order(self) -> ast.OrderByClause:
        return next(clause for clause in self.loop.clauses if isinstance(clause, ast.OrderByClause))

    @property
    def before(self) -> tuple[ast.Clause, ...]:
        """The clauses between the first `for` and the order."""
        return self.loop.clauses[1 : self.loop.clauses.index(self.order)]


def limited_sort(expr: ast.Expr) -> LimitedSort | None:
    """The sort whose first items an expression takes; None if there is none."""
    if isinstance(expr, ast.Flwor):
        return _counted_tuples(expr)
    wanted = _wanted(expr)
    if wanted is None or (isinstance(wanted.limit, int) and not 0 < wanted.limit <= MOST_TUPLES):
        return None
    loop = wanted.base if isinstance(wanted.base, ast.Flwor) else sorting_loop(wanted.base)
    if loop is None or not _can_be_cut(loop):
        return None
    behind = _behind(loop)
    counted: ast.Expr | None = None
    if any(isinstance(clause, ast.WhereClause) for clause in behind) or not _gives_some(loop.result, loop):
        if any(isinstance(clause, ast.CountClause) for clause in behind):
            # Its number is only known at the end.
            return None
        counted = replace(loop, clauses=behind) if behind else loop.result
    return LimitedSort(loop, wanted.limit, counted, wanted.is_last)


class _Wanted(NamedTuple):
    """The number of items of a sequence that are needed."""

    base: ast.Expr
    limit: int | ast.VarRef
    is_last: bool = False


def _wanted(expr: ast.Node) -> _Wanted | None:
    if not isinstance(expr, ast.Expr):
        return None
    found = first_items(expr)
    if found is not None:
        return _Wanted(found.base, found.count)
    match expr:
        case ast.FunctionCall(name=name, arguments=(base, ast.IntegerLiteral(value=1), ast.VarRef() as limit)):
            return _Wanted(base, limit) if name.expanded == (FN, "subsequence") else None
        case ast.Filter(base=base, predicate=predicate):
            variable = position_limit(predicate)
            if variable is not None:
                return _Wanted(base, variable)
            number = last_items(predicate)
            return None if number is None else _Wanted(base, number, is_last=True)
    return None


def limited_nodes(body: ast.Node) -> frozenset[int]:
    """The `order by` clauses and calls of sort(), by id, of which a query needs only the first items."""
    found: set[int] = set()
    for node in body.walk():
        limited = limited_sort(node) if isinstance(node, (ast.Flwor, ast.FunctionCall, ast.Filter)) else None
        if limited is not None:
            wanted = _wanted(node)
            is_call = wanted is not None and isinstance(wanted.base, ast.FunctionCall)
            found.add(id(wanted.base if wanted is not None and is_call else limited.order))
    return frozenset(found)


def with_loop(expr: ast.Expr, limited: LimitedSort, loop: ast.Flwor) -> ast.Expr:
    """The expression with another loop in place of its own."""
    match expr:
        case ast.Flwor():
            return loop
        case ast.FunctionCall(arguments=(_, *more)):
            return replace(expr, arguments=(loop, *more))
        case ast.Filter():
            return replace(expr, base=loop)
    raise AssertionError(type(expr))


def _counted_tuples(loop: ast.Flwor) -> LimitedSort | None:
    """order by … count $c where $c le 10."""
    if not _can_be_cut(loop):
        return None
    behind = _behind(loop)
    for number, clause in enumerate(behind):
        if isinstance(clause, ast.CountClause):
            name = clause.name.expanded
            for test in behind[number + 1 :]:
                if isinstance(test, ast.LetClause):
                    return None
                if isinstance(test, ast.WhereClause):
                    # A separate variable for each tuple: like a position.
                    position = ast.FunctionCall(ast.Name("position", "fn", FN), ())
                    predicate = Substitution({name: position}).apply(test.test)
                    found = first_items(ast.Filter(ast.ContextItem(), predicate))
                    is_plain = found is not None and 0 < found.count <= MOST_TUPLES
                    return LimitedSort(loop, found.count, None) if found is not None and is_plain else None
            return None
        if isinstance(clause, ast.WhereClause):
            return None
    return None


def _behind(loop: ast.Flwor) -> tuple[ast.Clause, ...]:
    at = next(n for n, clause in enumerate(loop.clauses) if isinstance(clause, ast.OrderByClause))
    return loop.clauses[at + 1 :]


def _can_be_cut(loop: ast.Flwor) -> bool:
    """Whether a loop sorts once, and no tuple knows how many others there are."""
    first, *rest = loop.clauses
    orders = [number for number, clause in enumerate(rest) if isinstance(clause, ast.OrderByClause)]
    if not isinstance(first, ast.ForClause) or len(orders) != 1:
        return False
    (at,) = orders
    before, behind = rest[:at], rest[at + 1 :]
    return all(isinstance(c, _BEFORE) for c in before) and all(isinstance(c, _BEHIND) for c in behind)


def _gives_some(result: ast.Expr, loop: ast.Flwor) -> bool:
    """Whether a tuple always gives an item."""
    if isinstance(result, _CONSTRUCTORS):
        return True
    names = {
        clause.name.expanded: Known(Values.UNKNOWN, True, True)
        for clause in loop.clauses
        if isinstance(clause, ast.ForClause) and not clause.allowing_empty
    }
    return classify(result, names).some


def sorting_loop(call: ast.Expr) -> ast.Flwor | None:
    """sort(E, C, function($x) { K })  as  for $x in E order by K collation C return $x"""
    if not isinstance(call, ast.FunctionCall) or call.name.expanded != (FN, "sort"):
        return None
    if not 1 <= len(call.arguments) <= 3:
        # There is no such function; another check reports it.
        return None
    items, collation, function = (*call.arguments, None, None)[:3]
    assert items is not None
    uri: str | None = None
    if isinstance(collation, ast.StringLiteral):
        uri = collation.value
    elif collation is not None and collation != ast.SequenceExpr():
        return None
    item = ast.VarRef(ast.Name("sorted item", None, ""), span=items.span)
    known = classify(items, {})
    key = item if function is None else _key(function, item)
    if key is None:
        return None
    found = classify(key, {item.name.expanded: Known(known.values, True, True)})
    if not found.single or not (found.values.is_numeric or found.values in (Values.STRING, Values.UNTYPED)):
        return None
    spec = ast.OrderSpec(key, False, "least", uri, span=key.span)
    loop = ast.ForClause(item.name, None, items, span=items.span)
    return ast.Flwor((loop, ast.OrderByClause((spec,), span=call.span)), item, span=call.span)


def _key(function: ast.Expr, item: ast.VarRef) -> ast.Expr | None:
    """The result of a one-parameter function for an item."""
    match function:
        case ast.InlineFunction(parameters=(ast.Parameter(name=name, type=None),), returns=None, body=body):
            if reads_focus(body):
                return None
            try:
                return Substitution({name.expanded: item}).apply(body)
            except FocusInTheWay:
                return None
        case ast.NamedFunctionRef(name=name, arity=1):
            return ast.FunctionCall(name, (item,), span=function.span)
    return None
