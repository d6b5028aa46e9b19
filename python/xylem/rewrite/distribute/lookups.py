"""Join with gathered items by key, so that a task looks only at items that may match.

    for $t in $part1 where $t/@ref = $p/@id …    →    for $t in lookup(1, $p/@id) where $t/@ref = $p/@id …
    $part1[@ref = $p/@id]                        →    lookup(1, $p/@id)[@ref = $p/@id]
    $p/@id = $part1                              →    $p/@id = lookup(1, $p/@id)
    some $t in $part1 satisfies $t/@ref = $p/@id →    some $t in lookup(1, $p/@id) satisfies …

Gain:   instead of scanning all gathered items for every item of the input, a task uses a table that it builds once; if
        the table is large, each task receives only its part (`asked_keys.py`).
Needs:  an equality with one side that reads only the gathered item and another that does not read it; both are paths or
        variables, so computing them earlier, or for all items, raises no error. Strings are compared by their
        characters, without a collation.
Safe:   the table returns too many items rather than too few, in order, and the comparison stays (`run/…/lookup.py`).
        `eq` takes at most one value: if there are more, the comparison raises the error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from xylem.analysis.ast_replacement import with_values
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.focus import reads_item
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.plan.spread import LOOKUP, PART_NAMESPACE, Lookup
from xylem.syntax import ast, parse_sequence_type

from ..input_reads import ExpandedName
from .asked_keys import asked_keys
from .frame_rewrites import data_of

_ITEM = ast.Name("item", None, PART_NAMESPACE)
_VALUE = ast.Name("value", None, PART_NAMESPACE)
_Equality = ast.GeneralComparison | ast.ValueComparison


def with_lookups(body: ast.Expr, gathered: Collection[ExpandedName]) -> tuple[ast.Expr, tuple[Lookup, ...]]:
    """The body of a part with tables for its joins with gathered items, and the definitions of these tables."""
    tables = _Tables(gathered)
    made = tables.visited(body)
    asked = asked_keys(made)
    return made, tuple(
        replace(lookup, asked=own.values, behind=own.behind) if (own := asked.get(lookup.number)) else lookup
        for lookup in tables.found
    )


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
            case ast.Quantified(kind="some"):
                return self._some(node)
            case ast.Filter(base=ast.VarRef() as base, predicate=predicate) if self._is_gathered(base):
                for test, own, other in _equalities(predicate):
                    if _reads_item_alone(own) and not reads_item(other):
                        return replace(node, base=self._looked_up(base, test, own, other))
            case ast.GeneralComparison(op="=", left=left, right=right):
                if isinstance(left, ast.VarRef) and self._is_gathered(left) and _is_plain(right):
                    return replace(node, left=self._looked_up(left, node, ast.ContextItem(), right))
                if isinstance(right, ast.VarRef) and self._is_gathered(right) and _is_plain(left):
                    return replace(node, right=self._looked_up(right, node, ast.ContextItem(), left))
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
                found = self._by_equality(clause.collection, clause.name, later.test, bound)
                if found is not None:
                    return replace(clause, collection=found)
            elif isinstance(later, (ast.ForClause, ast.LetClause)):
                bound.add(later.name.expanded)
            else:
                break
        return clause

    def _some(self, quantified: ast.Quantified) -> ast.Expr:
        bindings = list(quantified.bindings)
        for index, binding in enumerate(bindings):
            if isinstance(binding.collection, ast.VarRef) and self._is_gathered(binding.collection):
                bound = {later.name.expanded for later in bindings[index:]}
                found = self._by_equality(binding.collection, binding.name, quantified.satisfies, bound)
                if found is not None:
                    bindings[index] = replace(binding, collection=found)
        made = tuple(bindings)
        return replace(quantified, bindings=made) if made != quantified.bindings else quantified

    def _by_equality(
        self, gathered: ast.VarRef, variable: ast.Name, test: ast.Expr, bound: Collection[ExpandedName]
    ) -> ast.Expr | None:
        """The items whose key may satisfy a condition; None if the condition has no suitable equality."""
        for equality, own, other in _equalities(test):
            if free_in(own) == {variable.expanded} and not reads_item(own) and not free_in(other) & set(bound):
                return self._looked_up(gathered, equality, own, other, variable)
        return None

    def _looked_up(
        self,
        gathered: ast.VarRef,
        equality: _Equality,
        own: ast.Expr,
        other: ast.Expr,
        variable: ast.Name | None = None,
    ) -> ast.Expr:
        number = len(self.found) + 1
        name = variable or _ITEM
        # A key that reads the focus gets the item as its focus.
        key = data_of(own if variable is not None else ast.SimpleMap(ast.VarRef(name), own))
        if isinstance(equality, ast.ValueComparison):
            key, other = _one_value(key), _one_value(data_of(other))
        function = ast.InlineFunction((), (ast.Parameter(name),), None, key, span=own.span)
        self.found.append(Lookup(number, int(gathered.name.local.removeprefix("part")), function, equality))
        return ast.FunctionCall(LOOKUP, (ast.IntegerLiteral(number), other), span=gathered.span)


def _equalities(test: ast.Expr) -> Iterator[tuple[_Equality, ast.Expr, ast.Expr]]:
    """The equalities that must hold, with either side first."""
    for part in conjuncts(test):
        if not isinstance(part, (ast.GeneralComparison, ast.ValueComparison)) or part.op not in ("=", "eq"):
            continue
        if _is_plain(part.left) and _is_plain(part.right):
            yield part, part.left, part.right
            yield part, part.right, part.left


def _one_value(values: ast.Expr) -> ast.Expr:
    """A value in the form for `eq`: a string if untyped. If there are several values, true(), which no key decides."""
    name = ast.VarRef(_VALUE)
    one = ast.IntegerLiteral(1)
    is_more = ast.ValueComparison("gt", ast.FunctionCall(ast.Name("count", "fn", FN), (name,)), one)
    untyped = parse_sequence_type("xs:untypedAtomic")
    text = ast.FunctionCall(ast.Name("string", "fn", FN), (name,))
    chosen = ast.If(ast.InstanceOf(name, untyped), text, name)
    result = ast.If(is_more, ast.FunctionCall(ast.Name("true", "fn", FN), ()), chosen)
    return ast.Flwor((ast.LetClause(_VALUE, None, values),), result, span=values.span)


def _reads_item_alone(expr: ast.Expr) -> bool:
    return reads_item(expr) and not free_in(expr)


def _is_plain(expr: ast.Expr) -> bool:
    """A path of steps from a variable or the context item: evaluating it raises no error."""
    if isinstance(expr, ast.Path):
        return _is_plain(expr.left) and _is_plain(expr.right)
    if isinstance(expr, ast.AxisStep):
        return not expr.predicates
    return isinstance(expr, (ast.VarRef, ast.ContextItem))
