"""Joins with what was gathered, by key: of the gathered items, only those that may match are looked at.

    for $t in $part1 where $t/@ref = $p/@id …    →    for $t in lookup(1, $p/@id) where $t/@ref = $p/@id …
    $part1[@ref = $p/@id]                        →    lookup(1, $p/@id)[@ref = $p/@id]
    $p/@id = $part1                              →    $p/@id = lookup(1, $p/@id)

Gain:   what would be looked at for every item of the input is found in a table that each task makes once.
Needs:  an equality of which one side reads the gathered item alone and the other side does not read it; both are paths
        or variables, so that computing them earlier, or for all items, raises no error of its own.
Safe:   the table gives more items rather than fewer, in their order, and the comparison stays (`run/…/lookup.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from xylem.analysis.ast_replacement import with_values
from xylem.analysis.free_variables import free_in
from xylem.plan.spread import PART_NAMESPACE, Lookup
from xylem.syntax import ast

from .frame_rewrites import data_of
from .input_reads import ExpandedName, reads_context

LOOKUP = ast.Name("lookup", None, PART_NAMESPACE)
_ITEM = ast.Name("item", None, PART_NAMESPACE)


def with_lookups(body: ast.Expr, gathered: Collection[ExpandedName]) -> tuple[ast.Expr, tuple[Lookup, ...]]:
    """The body of a part with tables for its joins with gathered items, and how these tables are made."""
    tables = _Tables(gathered)
    made = tables.visited(body)
    return made, tuple(tables.found)


class _Tables:
    def __init__(self, gathered: Collection[ExpandedName]) -> None:
        self._gathered = gathered
        self.found: list[Lookup] = []

    def visited(self, node: ast.Expr) -> ast.Expr:
        made = self._visit(node)
        assert isinstance(made, ast.Expr)
        return made

    def _visit(self, node: ast.Node) -> ast.Node:
        if not free_in(node) & set(self._gathered):
            return node
        node = with_values(node, self._value)
        match node:
            case ast.Flwor():
                return self._flwor(node)
            case ast.Filter(base=ast.VarRef() as base, predicate=predicate) if self._is_gathered(base):
                for own, other in _equalities(predicate):
                    if _reads_item_alone(own) and not reads_context(other):
                        return replace(node, base=self._looked_up(base, own, other))
            case ast.GeneralComparison(op="=", left=left, right=right):
                if isinstance(left, ast.VarRef) and self._is_gathered(left) and _is_plain(right):
                    return replace(node, left=self._looked_up(left, ast.ContextItem(), right))
                if isinstance(right, ast.VarRef) and self._is_gathered(right) and _is_plain(left):
                    return replace(node, right=self._looked_up(right, ast.ContextItem(), left))
        return node

    def _value(self, value: object) -> object:
        if isinstance(value, ast.Node):
            return self._visit(value)
        if isinstance(value, tuple):
            made = tuple(map(self._value, value))
            return value if all(a is b for a, b in zip(value, made, strict=True)) else made
        return value

    def _is_gathered(self, reference: ast.VarRef) -> bool:
        return reference.name.expanded in self._gathered

    def _flwor(self, flwor: ast.Flwor) -> ast.Expr:
        clauses = list(flwor.clauses)
        for index, clause in enumerate(clauses):
            if not isinstance(clause, ast.ForClause) or clause.position is not None or clause.allowing_empty:
                continue
            if isinstance(clause.collection, ast.VarRef) and self._is_gathered(clause.collection):
                clauses[index] = self._for(clause, flwor.clauses[index + 1 :])
        return replace(flwor, clauses=tuple(clauses)) if clauses != list(flwor.clauses) else flwor

    def _for(self, clause: ast.ForClause, following: tuple[ast.Clause, ...]) -> ast.ForClause:
        assert isinstance(clause.collection, ast.VarRef)
        name = clause.name.expanded
        bound = {name}
        for later in following:
            if isinstance(later, ast.WhereClause):
                for own, other in _equalities(later.test):
                    if free_in(own) == {name} and not reads_context(own) and not free_in(other) & bound:
                        found = self._looked_up(clause.collection, own, other, clause.name)
                        return replace(clause, collection=found)
            elif isinstance(later, (ast.ForClause, ast.LetClause)):
                bound.add(later.name.expanded)
            else:
                break
        return clause

    def _looked_up(
        self, gathered: ast.VarRef, own: ast.Expr, other: ast.Expr, variable: ast.Name | None = None
    ) -> ast.Expr:
        number = len(self.found) + 1
        name = variable or _ITEM
        # A key that reads the focus gets the item as its focus.
        key = own if variable is not None else ast.SimpleMap(ast.VarRef(name), own)
        function = ast.InlineFunction((), (ast.Parameter(name),), None, data_of(key), span=own.span)
        self.found.append(Lookup(number, int(gathered.name.local.removeprefix("part")), function))
        return ast.FunctionCall(LOOKUP, (ast.IntegerLiteral(number), other), span=gathered.span)


def _equalities(test: ast.Expr) -> Iterator[tuple[ast.Expr, ast.Expr]]:
    """Each side of the equalities that must hold, with its other side."""
    match test:
        case ast.And(left=left, right=right):
            yield from _equalities(left)
            yield from _equalities(right)
        case ast.GeneralComparison(op="=", left=left, right=right) if _is_plain(left) and _is_plain(right):
            yield left, right
            yield right, left


def _reads_item_alone(expr: ast.Expr) -> bool:
    return reads_context(expr) and not free_in(expr)


def _is_plain(expr: ast.Expr) -> bool:
    """A path of steps from a variable or the context item: evaluating it raises no error."""
    if isinstance(expr, ast.Path):
        return _is_plain(expr.left) and _is_plain(expr.right)
    if isinstance(expr, ast.AxisStep):
        return not expr.predicates
    return isinstance(expr, (ast.VarRef, ast.ContextItem))
