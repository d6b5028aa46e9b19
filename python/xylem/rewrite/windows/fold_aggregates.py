"""Update aggregates of a window while its items pass, instead of keeping the items.

    forseq $w in E … return avg($w/@v)     →     forseq $w in E … return (the average of @v, kept on the way)

Gain:   the state of a window holds values instead of items, and for tumbling windows one value; windows that overlap
        share the computation of their aggregates (windows paper, 6.3.6).
Needs:  every use of $w is the argument of count, sum, avg, min, max or of a registered aggregate: $w itself, or a
        path of child, attribute and self steps, a call at its end, a filter by tests of each item, or a map, from it;
        and reads no other variable of the clause. No `group by` follows, after which $w would hold several windows.
Safe:   the run makes the additions of the function itself, in its order, or uses exact totals. It notices nodes out of
        document order, which a path would sort, and then computes the aggregate from the items. An error is raised only
        where the query reads the aggregate.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.focus import uses_last, uses_position
from xylem.functions.traits import AGGREGATES, TRUTHS
from xylem.plan.window_plan import AggregateRead, WindowAggregate, WindowPlan
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from .conditions import binds, fresh, is_steady
from .rule import WindowFacts, WindowPlace, WindowRule

# Not exists() and empty(): they stop at the first item, where a state would be fed all of them.
_FOLDED = AGGREGATES - TRUTHS
_NOT_NUMBERS = (ast.And, ast.Or, ast.ValueComparison, ast.GeneralComparison, ast.AxisStep, ast.Quantified)


class FoldAggregates(WindowRule):
    name = "fold_aggregates"
    paper = "6.3.6"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if facts.is_sequential or window.type is not None or place.is_grouped or binds(place.followers, window.names):
            return place
        calls = [call for top in place.followers for call in _calls(top, window, facts)]
        if not calls or _uses(place, window) != len(calls):
            return place
        return _folded(place, calls)


def _uses(place: WindowPlace, window: WindowPlan) -> int:
    """The number of reads of the window."""
    return sum(
        isinstance(node, ast.VarRef) and node.name.expanded == window.name.expanded
        for top in place.followers
        for node in top.walk()
    )


def _calls(top: ast.Node, window: WindowPlan, facts: WindowFacts) -> list[ast.FunctionCall]:
    return [node for node in top.walk() if isinstance(node, ast.FunctionCall) and _is_folded(node, window, facts)]


def _is_folded(call: ast.FunctionCall, window: WindowPlan, facts: WindowFacts) -> bool:
    if len(call.arguments) != 1:
        return False
    is_ours = call.name.expanded in _FOLDED
    if not is_ours and call.name.expanded not in facts.user_aggregates:
        return False
    (argument,) = call.arguments
    if not is_steady(argument) or read_variables(argument) & (window.start.names | window.end.names):
        return False
    return _is_itemwise(argument, window)


def _is_itemwise(expr: ast.Expr, window: WindowPlan) -> bool:
    """Whether an expression from the window can be evaluated item by item."""
    match expr:
        case ast.VarRef(name=name):
            return name.expanded == window.name.expanded
        case ast.Path(left=left, right=ast.AxisStep(axis=("child" | "attribute" | "self"), predicates=predicates)):
            return not _mentions(predicates, window) and _is_itemwise(left, window)
        case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
            if isinstance(expr, ast.Path) and not gives_values(right):
                return False
            if _mentions((right,), window) or uses_last(right) or uses_position(right):
                return False
            return _is_itemwise(left, window)
        case ast.Filter(base=base, predicate=predicate):
            is_test = isinstance(predicate, _NOT_NUMBERS) and not uses_last(predicate) and not uses_position(predicate)
            return is_test and not _mentions((predicate,), window) and _is_itemwise(base, window)
    return False


def _mentions(nodes: tuple[ast.Node, ...], window: WindowPlan) -> bool:
    return any(window.name.expanded in read_variables(node) for node in nodes)


def _has_path(expr: ast.Expr) -> bool:
    match expr:
        case ast.Path():
            return True
        case ast.SimpleMap(left=inner) | ast.Filter(base=inner):
            return _has_path(inner)
    return False


def _folded(place: WindowPlace, calls: list[ast.FunctionCall]) -> WindowPlace:
    everything = (*place.before, place.window, *place.followers)
    item = fresh(f"{place.window.name.local}-item", everything)
    made: dict[ast.FunctionCall, WindowAggregate] = {}
    for call in calls:
        if call in made:
            continue
        name = fresh(f"{place.window.name.local}-{call.name.local}{len(made) + 1}", everything)
        values = _of_item(replaced(call.arguments[0], lambda node: _as_item(node, place.window, item)), item)
        made[call] = WindowAggregate(name, call.name, item, values, call, _has_path(call.arguments[0]))

    def by(node: ast.Node) -> ast.Node | None:
        aggregate = made.get(node) if isinstance(node, ast.FunctionCall) else None
        if aggregate is None:
            return None
        return AggregateRead(ast.VarRef(aggregate.name), aggregate.function, span=node.span)

    rest = tuple(replaced(clause, by) for clause in place.rest)
    window = replace(place.window, aggregates=tuple(made.values()))
    return replace(place, window=window, rest=rest, result=replaced(place.result, by))


def _of_item(values: ast.Expr, item: ast.Name) -> ast.Expr:
    """$item/xs:integer(a) as xs:integer($item/a): there is one item, and no loop over it."""
    match values:
        case ast.Path(left=ast.VarRef(name=name) as one, right=right) | ast.SimpleMap(
            left=ast.VarRef(name=name) as one, right=right
        ) if name.expanded == item.expanded and not isinstance(right, ast.AxisStep):
            with suppress(FocusInTheWay):
                return Substitution({}, one).apply(right)
    return values


def _as_item(node: ast.Node, window: WindowPlan, item: ast.Name) -> ast.Node | None:
    if isinstance(node, ast.VarRef) and node.name.expanded == window.name.expanded:
        return ast.VarRef(item, span=node.span)
    return None
