"""Clauses that need several tuples at once, over the items of one record: groups, sorted tuples, counts, windows.

        for $l in $o/line group by $s := $l/sku return R    →   EachTuple(Gathering(None, ($s, $l), TupleOf(…)), R)
        for $l in $o/line order by $l/price count $i return R   →   EachTuple(Gathering(orders, ($l,), …, $i), R)
        for tumbling window $w in $o/line start … return R  →   EachTuple(WindowsOf(…), R)

Needs:  keys without types and collations, compared by code points.
Safe:   variables that were bound before become slots. Those of a group have the items of all its tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from xylem.analysis.free_variables import free_in
from xylem.plan.kernel_expression import EachTuple, Gathering, KernelExpression, TupleOf, WindowBounds, WindowsOf
from xylem.plan.result_template import Order
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .item_kinds import VALUES, Kinds

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


def last_gathering(clauses: tuple[ast.Clause, ...]) -> int | None:
    """The place of the last clause that needs all tuples before it; a sort only if another such clause follows it."""
    places = [place for place, each in enumerate(clauses) if isinstance(each, (ast.GroupByClause, ast.CountClause))]
    return places[-1] if places else None


def read_in(clauses: Iterable[ast.Clause], result: ast.Expr) -> frozenset[tuple[str, str]]:
    """All variables that are read somewhere in clauses and their result."""
    nodes = (node for each in (*clauses, result) for node in each.walk())
    return frozenset(
        name.expanded
        for node in nodes
        if isinstance(node, (ast.VarRef, ast.GroupingSpec)) and (name := node.name) is not None
    )


def gathering(
    c: ExpressionCompiler, clauses: tuple[ast.Clause, ...], place: int, read: frozenset[tuple[str, str]]
) -> Gathering:
    """The tuples that the clauses up to a place give. Their variables have slots afterwards; `read` are of interest."""
    before, clause = clauses[:place], clauses[place]
    orders: tuple[Order, ...] | None = ()
    sorted_by: ast.OrderByClause | None = None
    if isinstance(clause, ast.GroupByClause):
        orders = None
    elif before and isinstance(before[-1], ast.OrderByClause):
        sorted_by, before = before[-1], before[:-1]
        orders = c.orders((sorted_by,))
    specs = clause.specs if isinstance(clause, ast.GroupByClause) else ()
    keys = [spec.name for spec in specs]
    of_keys = {name.expanded for name in keys}
    carried = [name for name in _bound_in(before) if name.expanded in read - of_keys]
    kinds: list[Kinds] = [frozenset()] * len(carried)
    """Of each variable, in all loops that give tuples."""

    def tuple_of() -> KernelExpression:
        values = tuple(c.kept(ast.VarRef(name)) for name in carried)
        kinds[:] = [before | c.kinds_of(value) for before, value in zip(kinds, values, strict=True)]
        of_sort = () if sorted_by is None else tuple(c.value(spec.key) for spec in sorted_by.specs)
        return TupleOf((*_group_keys(c, specs), *of_sort), values)

    asked = read | read_in((clause, *(() if sorted_by is None else (sorted_by,))), ast.SequenceExpr(()))
    with c.scope():
        tuples = _tuples(c, before, asked, tuple_of)
    if any("value" in each and len(each) > 1 for each in kinds):
        raise NoTemplate("values and nodes in one variable")
    slots = [c.new_slot(name, VALUES) for name in keys]
    slots += [c.new_slot(name, kind) for name, kind in zip(carried, kinds, strict=True)]
    position = c.new_slot(clause.name, VALUES) if isinstance(clause, ast.CountClause) else None
    return Gathering(orders, tuple(slots), tuples, position)


def _tuples(
    c: ExpressionCompiler,
    clauses: tuple[ast.Clause, ...],
    read: frozenset[tuple[str, str]],
    finish: Callable[[], KernelExpression],
) -> KernelExpression:
    """Clauses around a tuple; some of them may gather tuples themselves."""
    place = last_gathering(clauses)
    rest = clauses if place is None else clauses[place + 1 :]
    if any(isinstance(each, ast.OrderByClause) for each in rest):
        raise NoTemplate("a sort of tuples that are gathered again")
    if place is None:
        return c.clauses(clauses, finish)
    first = gathering(c, clauses, place, read | read_in(rest, ast.SequenceExpr(())))
    return EachTuple(first, c.clauses(rest, finish))


def _group_keys(c: ExpressionCompiler, specs: Iterable[ast.GroupingSpec]) -> list[KernelExpression]:
    if not c.by_code_points:
        raise NoTemplate("groups by a collation")
    found = []
    names: set[tuple[str, str]] = set()
    for spec in specs:
        value = ast.VarRef(spec.name) if spec.value is None else spec.value
        if spec.type is not None or spec.collation is not None or spec.name.expanded in names:
            raise NoTemplate("groups by a collation, or of a type", value)
        if spec.value is not None and names & free_in(spec.value):
            raise NoTemplate("a key of groups that reads another", value)
        names.add(spec.name.expanded)
        found.append(c.value(value))
    return found


def _bound_in(clauses: Iterable[ast.Clause]) -> list[ast.Name]:
    """The variables that clauses bind, each once."""
    found: dict[tuple[str, str], ast.Name] = {}

    def add(*names: ast.Name | None) -> None:
        found.update({name.expanded: name for name in names if name is not None})

    for clause in clauses:
        match clause:
            case ast.ForClause(name=name, position=position):
                add(name, position)
            case ast.LetClause(name=name) | ast.CountClause(name=name):
                add(name)
            case ast.WindowClause(name=name, start=start, end=end):
                for bounds in (start, end):
                    add(*(() if bounds is None else _variables(bounds)))
                add(name)
            case ast.GroupByClause(specs=specs):
                add(*(spec.name for spec in specs))
    return list(found.values())


def _variables(bounds: ast.WindowCondition) -> tuple[ast.Name | None, ...]:
    names = bounds.variables
    return names.current, names.position, names.previous, names.next


def windows(c: ExpressionCompiler, clause: ast.WindowClause) -> WindowsOf:
    """The windows of a clause. Its variables have slots afterwards."""
    if clause.type is not None:
        raise NoTemplate("windows of a type", clause.collection)
    items = c.kept(clause.collection)
    kinds = c.kept_kinds(items, clause.collection)

    def bounds(condition: ast.WindowCondition) -> WindowBounds:
        of_names = (kinds, VALUES, kinds, kinds)
        slots = [
            None if name is None else c.new_slot(name, kind)
            for name, kind in zip(_variables(condition), of_names, strict=True)
        ]
        return WindowBounds((slots[0], slots[1], slots[2], slots[3]), c.condition(condition.when))

    start = bounds(clause.start)
    end = None if clause.end is None else bounds(clause.end)
    only = clause.end is not None and clause.end.only
    return WindowsOf(clause.kind == "sliding", c.new_slot(clause.name, kinds), items, start, end, only)
