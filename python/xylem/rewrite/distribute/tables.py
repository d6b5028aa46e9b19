"""Aggregates in loops over known values: every range of the input fills its own table of accumulators.

    for $i in 1 to 100 return sum(/s/pixel[x = $i]/v)

`single_pass/group_by_key.py` makes one table for all iterations; here it becomes a part: a task fills a table with the
records of its range, and tables are merged cell by cell, in the order of the input. Sums of doubles depend on the order
of additions, so a cell keeps the doubles until all earlier ones are known, as a distributed fn:sum does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.value_class import Known, Values, classify
from xylem.functions.registry import FN
from xylem.plan.distribution import PartKind
from xylem.plan.keyed_groups import GROUPS, PASS_NAMESPACE
from xylem.plan.spread import Place, Use
from xylem.syntax import ast

from ..input_reads import reads_input
from ..not_spread import NotSpread
from ..query_rule import QueryFacts
from ..single_pass.group_by_key import GroupByKey

if TYPE_CHECKING:
    from .frame import Frame

_EXACT = (Values.INTEGER, Values.DECIMAL)
_ONE_UNTYPED = Known(Values.UNTYPED, True, True)


def with_tables(body: ast.Expr, declared: Sequence[ast.Declaration]) -> ast.Expr | None:
    """The body with tables whose records are items of the input; None if there are none."""
    facts = QueryFacts.of(body, declared)
    made = GroupByKey().apply(body, facts)
    if made is body or not any(reads_input(table.arguments[0]) for table in _tables(made)):
        return None
    return replaced(made, lambda node: _mergeable(node, facts) if is_table(node) else None)


def is_table(node: ast.Node) -> bool:
    return isinstance(node, ast.FunctionCall) and node.name.expanded == GROUPS.expanded


def table_part(frame: Frame, call: ast.FunctionCall) -> ast.Expr:
    """The part that computes a table; NotSpread if its cells cannot be merged."""
    records, keys, aggregates = call.arguments
    spread = frame.spreading.spread(records)
    for function in _functions(keys, aggregates):
        if isinstance(function.body, ast.FunctionCall) and function.body.name.expanded == (FN, "fold-left"):
            raise NotSpread("a fold by key takes the records of its cell in the order of the whole input", call)
        if reads_input(function):
            raise NotSpread("what is kept by key reads the rest of the input for each record", call)
        # Keys and values of a record may read nothing but the record.
        clause = ast.ForClause(function.parameters[0].name, None, records)
        frame.spreading.spread(ast.Flwor((clause,), function.body))
    body = replace(call, arguments=(spread.body, keys, aggregates))
    why = "aggregates by key: each range fills a table of them, and tables are merged cell by cell"
    return frame.add(PartKind.AGGREGATE, call, body, spread.scopes, Place(Use.ITEMS), function="groups", why=why)


def _tables(body: ast.Expr) -> Iterator[ast.FunctionCall]:
    for node in body.walk():
        if isinstance(node, ast.FunctionCall) and is_table(node):
            yield node


def _functions(keys: ast.Expr, aggregates: ast.Expr) -> Iterator[ast.InlineFunction]:
    assert isinstance(keys, ast.SquareArray) and isinstance(aggregates, ast.SquareArray)
    for key in keys.members:
        assert isinstance(key, ast.SquareArray) and isinstance(key.members[1], ast.InlineFunction)
        yield key.members[1]
    for aggregate in aggregates.members:
        assert isinstance(aggregate, ast.InlineFunction)
        yield aggregate


def _mergeable(node: ast.Node, facts: QueryFacts) -> ast.FunctionCall:
    assert isinstance(node, ast.FunctionCall)
    records, keys, aggregates = node.arguments
    assert isinstance(aggregates, ast.SquareArray)
    members = tuple(_with_values(member, facts) for member in aggregates.members)
    return replace(node, arguments=(records, keys, replace(aggregates, members=members)))


def _with_values(aggregate: ast.Expr, facts: QueryFacts) -> ast.Expr:
    """A sum or mean that keeps its values until tables are merged."""
    assert isinstance(aggregate, ast.InlineFunction) and isinstance(aggregate.body, ast.FunctionCall)
    call = aggregate.body
    if call.name.local not in ("sum", "avg"):
        return aggregate
    kept = "sum" if _is_exact(call.arguments[0], facts) else "values"
    if (call.name.local, kept) == ("sum", "sum"):
        return aggregate
    name = ast.Name(f"{call.name.local}-of-{kept}", "pass", PASS_NAMESPACE)
    return replace(aggregate, body=replace(call, name=name))


def _is_exact(values: ast.Expr, facts: QueryFacts) -> bool:
    """Whether values are integers or decimals: their sum is the same in any order."""
    match values:
        case ast.Flwor(clauses=(ast.ForClause(name=name), *_), result=result):
            return classify(result, {**facts.variables, name.expanded: _ONE_UNTYPED}).values in _EXACT
    return False
