"""Windows over a stream as a part: tasks find the items, and one place for each key, or for all, forms the windows.

    <alarms>{ for $u in distinct-values(/log/entry/user)
              forseq $w in /log/entry[user eq $u] tumbling window … return <alarm>{ $u }</alarm> }</alarms>

    part 1, windows    items     /log/entry               found by tasks, brought together by user
                       windows   over the items, batch after batch; open windows carry over
    frame              <alarms>{ $part1 }</alarms>

    (forseq … return $w)/id, for $x in (forseq … return …) …    are windows with another result
    count(forseq … return $w)    is a part, too: it keeps only the state of the aggregate

Needs:  windows in the first clause, or after `let` clauses only, over a path of the input; no later clause reads the
        input again, looks outside an item, or numbers the windows of all keys.
Order:  that of the items that complete the windows. In a batch over a finite input windows by key come key by key:
        they become a group, not this part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in
from xylem.analysis.event_order_call import EventOrderCall, event_order_call
from xylem.analysis.free_variables import free_in
from xylem.analysis.keyed_input import KeyedInput, keyed_at, keyed_over
from xylem.analysis.reach import BeyondReach, Reach
from xylem.analysis.window_collection import window_collection, with_collection
from xylem.functions.traits import COUNTS, FOLDS
from xylem.plan.distribution import PartKind
from xylem.plan.spread import ITEMS_OF_STREAM, Place, Use, Windowed
from xylem.syntax import ast

from ..input_reads import reads_input
from ..not_spread import NotSpread
from ..paths_into_windows import windows_of
from .frame_rewrites import data_of
from .sent_items import sent_items
from .spreading import inlined

if TYPE_CHECKING:
    from .frame import Frame

ITEM = ast.Name("item", None, "urn:xylem:part")
"""Aggregates that have no value before the last window has ended."""


class _Shape(NamedTuple):
    """A FLWOR expression whose first loop is over windows of the input."""

    head: tuple[ast.Clause, ...]
    """Bindings before it."""
    windows: tuple[ast.Clause, ...]
    """The clauses that form windows, over ITEMS_OF_STREAM."""
    collection: ast.Expr
    keyed: KeyedInput | None
    order: EventOrderCall | None
    rest: tuple[ast.Clause, ...]
    result: ast.Expr


def windowed(frame: Frame, expr: ast.Expr, place: Place) -> ast.Expr | None:
    """The part for windows or for an aggregate of their results; None for other expressions."""
    match expr:
        case ast.Flwor() | ast.Path() | ast.Filter() | ast.SimpleMap():
            flwor = _windows_of(expr)
            return None if flwor is None else _part(frame, expr, flwor, place)
        case ast.FunctionCall(name=name, arguments=(results, *others)):
            if name.expanded not in FOLDS or any(map(reads_input, others)):
                return None
            flwor = _windows_of(results)
            if flwor is None:
                return None
            values = flwor if name.expanded in COUNTS else replace(flwor, result=data_of(flwor.result))
            arguments = tuple(frame.closed(other) for other in others)
            return _part(frame, expr, values, Place(Use.ITEMS), name.local, arguments)
    return None


def _windows_of(expr: ast.Expr) -> ast.Flwor | None:
    """A FLWOR expression with the same items: steps, tests and loops over window results are moved into it."""
    if not isinstance(expr, ast.Flwor):
        return windows_of(expr, ())
    place = next((place for place, one in enumerate(expr.clauses) if not isinstance(one, ast.LetClause)), None)
    loop = None if place is None else expr.clauses[place]
    if not isinstance(loop, ast.ForClause) or loop.position is not None or loop.allowing_empty or loop.type is not None:
        return expr
    inner = windows_of(loop.collection, ())
    lets, rest = expr.clauses[:place], expr.clauses[len(expr.clauses[:place]) + 1 :]
    if inner is None or any(isinstance(clause, (ast.OrderByClause, ast.GroupByClause)) for clause in rest):
        return expr
    bound = bound_in(ast.Flwor(inner.clauses, ast.SequenceExpr()))
    if bound & free_in(ast.Flwor((loop, *rest), expr.result)) or bound & bound_in(ast.Flwor(lets, inner.result)):
        return expr
    each = replace(loop, collection=inner.result)
    return _windows_of(replace(expr, clauses=(*lets, *inner.clauses, each, *rest)))


def _part(
    frame: Frame,
    source: ast.Expr,
    flwor: ast.Flwor,
    place: Place,
    function: str = "",
    arguments: tuple[ast.Expr, ...] = (),
) -> ast.Expr | None:
    shape = _shape(flwor)
    if shape is None:
        return None
    _refuse_counting(shape)
    spread = frame.spreading.spread(shape.collection)
    query = ast.Flwor((*shape.head, *shape.windows, *shape.rest), shape.result, span=flwor.span)
    if reads_input(query):
        raise NotSpread("what is done with windows reads the input once more", flwor)
    try:
        _check_reach(frame, query, shape.order)
    except BeyondReach as beyond:
        raise NotSpread(beyond.why, beyond.node) from beyond
    made = Windowed(frame.closed(query), _key(frame, shape), shape.keyed.name if shape.keyed is not None else None)
    if shape.order is None and not shape.head:
        sent = sent_items(spread.body, query, shape.keyed)
        made = replace(made, sent=None if sent is None else frame.closed(sent))
    if shape.order is not None and shape.keyed is not None:
        made = _timed(frame, shape.order, made)
    return frame.add(
        PartKind.WINDOWS,
        source,
        spread.body,
        spread.scopes,
        place,
        windowed=made,
        why=_why(shape),
        function=function,
        arguments=arguments,
    )


def _check_reach(frame: Frame, query: ast.Flwor, order: EventOrderCall | None) -> None:
    """Check that nothing looks outside an item: BeyondReach."""
    if order is not None:
        frame.analysis.read(order.time, {**frame.copies, order.item.expanded: Reach.COPY})
        # The items themselves are sorted.
        whole = order.over(ITEMS_OF_STREAM)
        query = replaced(query, lambda node: ITEMS_OF_STREAM if node == whole else None)
    frame.analysis.read(query, {**frame.copies, ITEMS_OF_STREAM.name.expanded: Reach.COPY})


def _shape(flwor: ast.Flwor) -> _Shape | None:
    head: list[ast.Clause] = []
    clauses, result = flwor.clauses, flwor.result
    while clauses and isinstance(clauses[0], ast.LetClause):
        let = clauses[0]
        rest = ast.Flwor(clauses[1:], result, span=flwor.span)
        if reads_input(let.value):
            if not any(map(_may_form_windows, clauses[1:])):
                return None
            rest = inlined(let, rest, frozenset())
        else:
            head.append(let)
        clauses, result = rest.clauses, rest.result
    if not clauses:
        return None
    first = clauses[0]
    keyed = keyed_at(clauses, 0, result)
    if keyed is not None and reads_input(keyed.collection):
        if keyed.number is not None:
            raise NotSpread("the keys of the whole stream are numbered", first)
        own = keyed_over(clauses[: keyed.length], keyed, ITEMS_OF_STREAM)
        order = event_order_call(keyed.collection)
        items = keyed.collection if order is None else order.items
        return _Shape(tuple(head), own, items, keyed, order, clauses[keyed.length :], result)
    collection = window_collection(first)
    if collection is None or not reads_input(collection):
        return None
    order = event_order_call(collection)
    if order is None:
        own = (with_collection(first, ITEMS_OF_STREAM),)
        return _Shape(tuple(head), own, collection, None, None, clauses[1:], result)
    own = (with_collection(first, order.over(ITEMS_OF_STREAM)),)
    return _Shape(tuple(head), own, order.items, None, order, clauses[1:], result)


def _may_form_windows(clause: ast.Clause) -> bool:
    return isinstance(clause, (ast.WindowClause, ast.ForseqClause)) or window_collection(clause) is not None


def _timed(frame: Frame, order: EventOrderCall, made: Windowed) -> Windowed:
    """Items of all keys wait together: lateness depends on the whole stream."""
    if not isinstance(order.bound, ast.StringLiteral) or not isinstance(order.late, ast.StringLiteral):
        raise NotSpread("how late items may be is not written in the query", order.whole)
    time = frame.closed(order.whole.arguments[1])
    return replace(made, time=time, watermark=order.bound.value, late=order.late.value)


def _key(frame: Frame, shape: _Shape) -> ast.Expr | None:
    """A function from an item to its key."""
    keyed = shape.keyed
    if keyed is None:
        return None
    item = keyed.item or ITEM
    body = keyed.key if keyed.item is not None else ast.SimpleMap(ast.VarRef(ITEM), keyed.key, span=keyed.key.span)
    function = ast.InlineFunction((), (ast.Parameter(item),), None, data_of(body), span=keyed.key.span)
    needed = free_in(function)
    head = tuple(let for let in shape.head if isinstance(let, ast.LetClause) and let.name.expanded in needed)
    return frame.closed(ast.Flwor(shape.head, function, span=keyed.key.span) if head else function)


def _refuse_counting(shape: _Shape) -> None:
    for clause in (*shape.windows, *shape.rest):
        if isinstance(clause, ast.CountClause) and shape.keyed is not None:
            raise NotSpread("`count` numbers the windows of the whole stream", clause)
        if isinstance(clause, ast.ForClause) and clause.position is not None and window_collection(clause) is not None:
            raise NotSpread("windows of the whole stream are numbered", clause)


def _why(shape: _Shape) -> str:
    order = "the one order of the stream" if shape.order is None else "the order of event time"
    if shape.keyed is None:
        return f"in {order}, in one place; what is open is kept from batch to batch"
    return f"for each ${shape.keyed.name} by itself, in {order}; what is open is kept by key from batch to batch"
