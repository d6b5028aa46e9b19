"""The result of a loop for one unit, as a query over the unit as a document: `for $q in /* return …`.

    for $q in stream("tickers")//ticker                    for $q in /*
    where $q/quote > $q/quote#1                      →     where $q/quote > $q/past0/quote
    order by $q/quote return <up>{ $q/name }</up>          order by $q/quote return <up>{ $q/name }</up>

    sum(stream("tickers")//ticker/quote)             →     for $q in /* order by data($q) return <v/>

Gain:   a scan answers the document of a unit by a template, and no code runs (`run/history/text_runs.py`).
Needs:  the only loop of a query, whose rows for a unit depend on that unit alone: no other loops, no positions; of
        versions only those of its children, by their number. An item is one of a row, or rows are folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.history.operands import PROJECTIONS
from xylem.plan import history as plan
from xylem.plan.unit_rows import Chosen, Rows
from xylem.syntax import ast

from .input_paths import NAMESPACE, projection_of
from .locality import looks_back

__all__ = ["UnitQuery", "only_loop", "unit_query"]

_FOLDED = {
    None: Rows.ITEM,
    "count": Rows.ITEMS,
    "exists": Rows.ITEMS,
    "empty": Rows.ITEMS,
    "sum": Rows.NUMBERS,
    "avg": Rows.NUMBERS,
    "min": Rows.COMPARABLE,
    "max": Rows.COMPARABLE,
}


@dataclass(frozen=True)
class UnitQuery:
    """The query; its order keys are what is asked for beside an item."""

    body: ast.Expr
    rows: Rows
    chosen: tuple[Chosen, ...] = ()


def unit_query(described: plan.HistoryPlan, functions: Sequence[ast.InlineFunction]) -> UnitQuery | None:
    """The query; None where a unit cannot be answered by itself."""
    found = only_loop(described.root)
    if described.whole or found is None or any(kept.rule != "S" or kept.seconds for kept in described.kept):
        return None
    loop, fold = found
    source = loop.source
    if any(one.number != source.number and one.function is None for one in described.sources):
        return None
    if loop.holes or loop.lookups or loop.timelines or loop.siblings or loop.is_numbered or loop.windows:
        return None
    if loop.group or loop.by_time or source.projection or source.by_time or (fold is not None and loop.columns):
        return None
    function = functions[loop.function]
    (parameter,) = function.parameters
    versions = _Versions(parameter.name, source.children)
    body = replaced(function.body, versions.child)
    body, name = _with_plain_names(body, parameter.name)
    if looks_back(body):
        return None
    clauses, result = (list(body.clauses), body.result) if isinstance(body, ast.Flwor) else ([], body)
    rows = _FOLDED[fold]
    if rows is Rows.ITEM and any(not isinstance(clause, (ast.LetClause, ast.WhereClause)) for clause in clauses):
        return None
    if loop.columns:
        if not isinstance(result, ast.SquareArray):
            return None
        *keys, result = result.members
        clauses.append(_ordered(keys))
        rows = Rows.KEYED
    elif rows in (Rows.NUMBERS, Rows.COMPARABLE):
        clauses.append(_ordered([result]))
        result = ast.DirectElement(ast.Name("v", None, ""))
    root_element = ast.Path(ast.Root(), ast.AxisStep("child", ast.Wildcard(), ()))
    unit = ast.ForClause(name, None, root_element, None, span=function.span)
    return UnitQuery(ast.Flwor((unit, *clauses), result, span=function.span), rows, tuple(versions.chosen))


def _with_plain_names(body: ast.Expr, unit: ast.Name) -> tuple[ast.Expr, ast.Name]:
    """A body and the variable of its unit, with names of the planner as a query could have them."""
    taken = {node.local for node in body.walk() if isinstance(node, ast.Name)}

    def plain(node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.Name) or node.uri != NAMESPACE:
            return None
        local = node.local
        while f"{local}_" in taken:
            local += "_"
        return ast.Name(f"{local}_", None, "")

    return replaced(body, plain), replaced(unit, plain)


def _ordered(keys: Sequence[ast.Expr]) -> ast.OrderByClause:
    return ast.OrderByClause(tuple(ast.OrderSpec(key) for key in keys))


class _Versions:
    """Steps to earlier versions of children, as steps to elements that hold them."""

    def __init__(self, unit: ast.Name, children: frozenset[tuple[str, str]] | None) -> None:
        self._unit = unit.expanded
        # Where all of a unit is read, elements would be seen that are not there.
        self._children = children
        self.chosen: list[Chosen] = []

    def child(self, node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Path(left=ast.VarRef(name=name) as unit, right=chosen) if (
                name.expanded == self._unit and isinstance(chosen, PROJECTIONS)
            ):
                return self._step(unit, chosen, getattr(chosen, "base", None))
            case ast.VersionProjection(base=ast.Path(left=ast.VarRef(name=name) as unit, right=step)) if (
                name.expanded == self._unit
            ):
                return self._step(unit, node, step)
        return None

    def _step(self, unit: ast.VarRef, node: ast.Expr, step: ast.Expr | None) -> ast.Node | None:
        projection = projection_of(node)
        match step:
            case ast.AxisStep(axis="child", test=ast.NameTest(name=ast.Name(local=local, uri="")), predicates=()):
                pass
            case _:
                return None
        if self._children is None or projection is None or projection.sign not in ("#", "#[]"):
            return None
        last = int(projection.amount)
        around = self._around(local, 0 if projection.sign == "#[]" else last, last)
        test = ast.NameTest(ast.Name(around, None, ""))
        past = ast.Path(unit, ast.AxisStep("child", test, (), span=node.span), span=node.span)
        return ast.Path(past, step, span=node.span)

    def _around(self, name: str, first: int, last: int) -> str:
        for one in self.chosen:
            if (one.name, one.first, one.last) == (name, first, last):
                return one.around
        taken = {local for _, local in self._children or ()} | {one.around for one in self.chosen}
        number = 0
        while f"past{number}" in taken:
            number += 1
        self.chosen.append(Chosen(f"past{number}", name, first, last))
        return f"past{number}"


def only_loop(operator: plan.Operator) -> tuple[plan.Loop, str | None] | None:
    """The loop of a query with only one loop, bare or inside elements, and the function that folds it."""
    match operator:
        case plan.Loop():
            return operator, None
        case plan.Fold(loop=loop, name=name):
            return loop, name
        case plan.Constructor(parts=parts) | plan.Sequence(parts=parts):
            found = [only_loop(part) for part in parts if not isinstance(part, plan.Text)]
            return found[0] if len(found) == 1 else None
    return None
