"""The result of a loop for one unit, as a query over the unit as a document: `for $q in /* return …`.

    for $q in stream("tickers")//ticker                    for $q in /*
    where $q/quote > $q/quote#1                      →     where $q/quote > $q/past0/quote
    order by $q/quote return <up>{ $q/name }</up>          order by $q/quote return <up>{ $q/name }</up>

    sum(stream("tickers")//ticker/quote)             →     for $q in /* order by data($q) return <v/>

    for $q in …, $r in lookup($q/peer)               →     for $q in /*, $r in $q/found0/*
    where $q/peer = $r/name return <p>{ … }</p>            where … order by "" return <p>{ … }</p>

Gain:   a scan answers the document of a unit by a template, and no code runs (`run/history/text_runs.py`).
Needs:  the only loop of a query, whose rows for a unit depend on that unit and on those that it looks up by its own
        children: no other loops, no positions; of versions only those of children, by their number. An item is one of a
        row, or rows are folded; several rows are nodes, which no spaces separate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.free_variables import free_in
from xylem.analysis.history.operands import PROJECTIONS
from xylem.plan import history as plan
from xylem.plan.unit_rows import Chosen, Joined, Rows
from xylem.syntax import ast

from .input_paths import NAMESPACE, projection_of
from .locality import children_read, looks_back

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
    joined: tuple[Joined, ...] = ()
    has_one_row: bool = True


def unit_query(described: plan.HistoryPlan, functions: Sequence[ast.InlineFunction]) -> UnitQuery | None:
    """The query; None where a unit cannot be answered by itself."""
    found = only_loop(described.root)
    if described.whole or found is None or any(kept.rule != "S" or kept.seconds for kept in described.kept):
        return None
    loop, fold = found
    source = loop.source
    known = {source.number, *(lookup.loop.source.number for lookup in loop.lookups)}
    if any(one.number not in known and one.function is None for one in described.sources):
        return None
    if loop.holes or loop.timelines or loop.siblings or loop.is_numbered or loop.windows:
        return None
    if loop.group or loop.by_time or source.projection or source.by_time or (fold is not None and loop.columns):
        return None
    function = functions[loop.function]
    parameter, *lookups = function.parameters
    body = function.body
    # Where all of a unit is read, elements would be seen that are not there.
    taken = {local for _, local in source.children or ()}
    joins = _Joins(loop, [lookup.name for lookup in lookups], functions, parameter.name, body, taken)
    if lookups:
        body = replaced(body, joins.found)
        if len(joins.joined) < len(lookups):
            return None
    versions = _Versions({parameter.name.expanded: source.children, **joins.children})
    body = replaced(body, versions.child)
    body, name = _with_plain_names(body, parameter.name)
    if looks_back(body):
        return None
    clauses, result = (list(body.clauses), body.result) if isinstance(body, ast.Flwor) else ([], body)
    rows = _FOLDED[fold]
    has_one_row = all(isinstance(clause, (ast.LetClause, ast.WhereClause)) for clause in clauses)
    if loop.columns:
        if not isinstance(result, ast.SquareArray):
            return None
        *keys, result = result.members
        clauses.append(_ordered(keys))
        rows = Rows.KEYED
    elif rows in (Rows.NUMBERS, Rows.COMPARABLE):
        clauses.append(_ordered([result]))
        result = ast.DirectElement(ast.Name("v", None, ""))
    elif rows is Rows.ITEM and not has_one_row:
        # Nothing is ordered: the hole says where an item begins.
        clauses.append(_ordered([ast.StringLiteral("")]))
        rows = Rows.SEVERAL
    if rows in (Rows.KEYED, Rows.SEVERAL) and not has_one_row and not _is_node(result):
        return None
    root_element = ast.Path(ast.Root(), ast.AxisStep("child", ast.Wildcard(), ()))
    unit = ast.ForClause(name, None, root_element, None, span=function.span)
    query = ast.Flwor((unit, *clauses), result, span=function.span)
    return UnitQuery(query, rows, tuple(versions.chosen), tuple(joins.joined), has_one_row)


def _is_node(result: ast.Expr) -> bool:
    """Whether an expression gives nodes alone."""
    return isinstance(result, ast.DirectElement) or (
        isinstance(result, ast.Path) and isinstance(result.right, ast.AxisStep)
    )


class _Joins:
    """Lookups by children of a unit, as steps to elements that hold what they find."""

    def __init__(
        self,
        loop: plan.Loop,
        names: Sequence[ast.Name],
        functions: Sequence[ast.InlineFunction],
        unit: ast.Name,
        body: ast.Expr,
        taken: set[str],
    ) -> None:
        """`taken`: names of children of the unit."""
        self._lookups = dict(zip((name.expanded for name in names), loop.lookups, strict=True))
        self._functions = functions
        self._unit = unit
        self._taken = taken
        self._is_read = loop.source.children is not None
        self._lets = {clause.name.expanded: clause.value for clause in body.walk() if isinstance(clause, ast.LetClause)}
        bound = [one.name.expanded for one in body.walk() if isinstance(one, (ast.LetClause, ast.ForClause))]
        self._twice = {name for name in bound if bound.count(name) > 1}
        self.joined: list[Joined] = []
        self.children: dict[tuple[str, str], frozenset[tuple[str, str]] | None] = {}
        """Of the variables of what is found, the children that are read."""

    def found(self, node: ast.Node) -> ast.Node | None:
        match node:
            case ast.DynamicCall(function=ast.VarRef(name=name), arguments=arguments) if name.expanded in self._lookups:
                around = self._joined(self._lookups[name.expanded], arguments)
                if around is None:
                    return None
                test = ast.NameTest(ast.Name(around, None, ""))
                unit = ast.VarRef(self._unit, span=node.span)
                held = ast.Path(unit, ast.AxisStep("child", test, (), span=node.span), span=node.span)
                return ast.Path(held, ast.AxisStep("child", ast.Wildcard(), (), span=node.span), span=node.span)
        return None

    def _joined(self, lookup: plan.Lookup, arguments: Sequence[ast.Expr]) -> str | None:
        """The name of the element around what a lookup finds; None where code must look it up."""
        loop = lookup.loop
        source = loop.source
        if not self._is_read or source.children is None or source.projection or source.by_time or loop.by_time:
            return None
        if loop.holes or loop.lookups or loop.siblings or lookup.variable in self.children:
            return None
        function = self._functions[loop.function]
        keys = children_read(function.body, function.parameters[0].name.expanded)
        asked = self._asked(arguments)
        if keys is None or asked is None:
            return None
        around = f"found{len(self.joined)}"
        while around in self._taken:
            around += "_"
        self._taken.add(around)
        self.joined.append(Joined(around, source.number, keys, asked))
        self.children[lookup.variable] = source.children
        return around

    def _asked(self, arguments: Sequence[ast.Expr]) -> frozenset[tuple[str, str]] | None:
        """The children of the unit by which something is looked up; None if it is by anything else."""
        unit = self._unit.expanded
        read: list[ast.Expr] = list(arguments)
        for one in read:
            for name in free_in(one):
                if name == unit:
                    continue
                value = self._lets.get(name)
                if value is None or name in self._twice or value in read:
                    return None
                # Followed in turn.
                read.append(value)
        return children_read(ast.SequenceExpr(tuple(read)), unit)


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

    def __init__(self, units: Mapping[tuple[str, str], frozenset[tuple[str, str]] | None]) -> None:
        """`units`: the variables of units, with the children that are read of each."""
        self._units = units
        self.chosen: list[Chosen] = []

    def child(self, node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Path(left=ast.VarRef(name=name) as unit, right=chosen) if (
                name.expanded in self._units and isinstance(chosen, PROJECTIONS)
            ):
                return self._step(unit, chosen, getattr(chosen, "base", None))
            case ast.VersionProjection(base=ast.Path(left=ast.VarRef(name=name) as unit, right=step)) if (
                name.expanded in self._units
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
        if self._units[unit.name.expanded] is None or projection is None or projection.sign not in ("#", "#[]"):
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
        taken = {local for children in self._units.values() for _, local in children or ()}
        taken |= {one.around for one in self.chosen}
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
