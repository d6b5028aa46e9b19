"""Versions of nodes and values: the functions behind projections, and questions about a version.

`analysis/history/projections.py` writes the calls of the functions that begin with `_history:`. Over other input
everything has one version, since time 0, and now is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.axes import document_order
from xylem.values.durations import DayTimeDuration, Duration
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.node import DOCUMENT, ELEMENT, Node
from xylem.values.version_choice import Lifespan, Sign, VersionChoice

from .registry import function

if TYPE_CHECKING:
    from .context import Context, Moments

ALWAYS: Lifespan = (Decimal(0), None)
_CHOICE = "xs:string, xs:anyAtomicType, xs:anyAtomicType?"
_SIDES = {"following-sibling": True, "preceding-sibling": False}


def choice_of(sign: str, amount: Any, until: Any = None) -> VersionChoice:
    """XYDY0020 for anything but a number of versions or seconds."""
    return _choice_by_number(sign, amount) if type(amount) is int and until is None else _choice(sign, amount, until)


@lru_cache(maxsize=256)
def _choice_by_number(sign: str, amount: int) -> VersionChoice:
    """Cached: most choices are literals that occur again and again."""
    return _choice(sign, amount)


def _choice(sign: str, amount: Any, until: Any = None) -> VersionChoice:
    number = _number(amount, sign)
    if sign.startswith("#") and number != int(number):
        raise DynamicError("XYDY0020", f"{amount} is not a number of versions")
    return VersionChoice(cast(Sign, sign), number, None if until is None else _number(until, sign))


def _number(amount: Any, sign: str) -> Decimal:
    if isinstance(amount, Duration):
        if not isinstance(amount, DayTimeDuration):
            raise DynamicError("XYDY0020", f"{amount} is not a number of seconds: it has months")
        number = Decimal(amount.seconds)
    else:
        try:
            number = Decimal(str(amount)) if isinstance(amount, (int, float, Decimal, str)) else Decimal("NaN")
        except ArithmeticError:
            number = Decimal("NaN")
    if isinstance(amount, bool) or not number.is_finite() or (number < 0 and sign != "between"):
        raise DynamicError("XYDY0020", f"{amount} behind {sign.strip('[]')}")
    return number


def _now(ctx: Context) -> Decimal:
    return Decimal(0) if ctx.run.history is None else ctx.run.history.now


# --- S and N


@function("_history:content", "node(), xs:string, " + _CHOICE, "node()*", context=True)
def content(ctx: Context, node: Node, axis: str, sign: str, amount: Any, until: Any) -> list[Node]:
    """S: the chosen versions of the slots on an axis, in document order."""
    choice = choice_of(sign, amount, until)
    if axis == "child":
        return _chosen_content(ctx, node, choice)
    if axis in ("descendant", "descendant-or-self"):
        found = _chosen(ctx, node, choice) if axis == "descendant-or-self" else []
        for each in _with_descendants(node):
            found += _chosen_content(ctx, each, choice)
        return document_order(found)
    if axis in _SIDES:
        return _chosen_siblings(ctx, node, choice, _SIDES[axis])
    from xylem.values.axes import step
    from xylem.values.node_test import NodeTest

    return document_order([each for other in step(axis, NodeTest())(node) for each in _chosen(ctx, other, choice)])


@function("_history:versions", "item()*, " + _CHOICE, "item()*", context=True)
def versions(ctx: Context, items: Sequence[Any], sign: str, amount: Any, until: Any) -> list[Any]:
    """N: the chosen versions of each item."""
    choice = choice_of(sign, amount, until)
    return [found for item in items for found in _chosen(ctx, item, choice)]


def _chosen(ctx: Context, item: Any, choice: VersionChoice) -> list[Any]:
    if isinstance(item, Node) and item.tree.is_ranked:
        return [Node(item.tree, row) for row in item.tree.chosen_versions(item.pre, choice)]
    return [item] if choice.places([ALWAYS], _now(ctx)) else []


def _chosen_content(ctx: Context, node: Node, choice: VersionChoice) -> list[Node]:
    tree = node.tree
    if tree.kind(node.pre) not in (DOCUMENT, ELEMENT):
        return []
    if tree.is_ranked:
        return [Node(tree, row) for row in tree.chosen_content(node.pre, choice)]
    return [Node(tree, row) for row in tree.children(node.pre)] if choice.places([ALWAYS], _now(ctx)) else []


def _chosen_siblings(ctx: Context, node: Node, choice: VersionChoice, are_after: bool) -> list[Node]:
    """The chosen versions of the other slots of the parent, on one side of a node."""
    parent = node.parent
    if parent is None:
        return []
    every = VersionChoice("between", Decimal(-1))
    own = {found.pre for found in _chosen(ctx, node, every)} if node.tree.is_ranked else ()
    found = [each for each in _chosen_content(ctx, parent, choice) if each.pre not in own and each != node]
    return [each for each in found if (each.order_key > node.order_key) == are_after]


def _with_descendants(node: Node) -> Iterator[Node]:
    tree = node.tree
    for row in range(node.pre, tree.end(node.pre)):
        if tree.kind(row) in (DOCUMENT, ELEMENT):
            yield Node(tree, row)


# --- T


@function("_history:timeline", "function(*), array(*), " + _CHOICE, "item()*", context=True)
def timeline(ctx: Context, value: FunctionItem, bindings: XArray, sign: str, amount: Any, until: Any) -> list[Any]:
    """T: the value as of each commit; equal neighbours are one version."""
    choice = choice_of(sign, amount, until)
    runs = _runs(ctx, value, bindings)
    lifespans: list[Lifespan] = []
    end: Decimal | None = None
    for begin, _ in runs:
        lifespans.append((begin, end))
        end = begin
    return [item for place in choice.places(lifespans, _now(ctx)) for item in runs[place][1]]


class Timeline:
    """The versions of a value up to a commit, oldest first: the commits they began with, and the values."""

    def __init__(self) -> None:
        self.runs: list[tuple[int, list[Any]]] = []
        self.last_commit = 0


def _runs(ctx: Context, value: FunctionItem, bindings: XArray) -> list[tuple[Decimal, list[Any]]]:
    """The versions of a value, newest first, with the times they began."""
    from .deep_equal import deep_equal

    history = ctx.run.history
    if history is None:
        return [(Decimal(0), _called(value, list(bindings)))]
    known = _remembered(history, value, bindings)
    for commit in history.commits[known.last_commit :]:
        found = _as_of(history, commit, value, bindings)
        known.last_commit = commit
        if found is None:
            continue
        if known.runs and deep_equal(ctx, found, known.runs[-1][1]):
            # The latest nodes represent a version: they are those of the current tree.
            known.runs[-1] = known.runs[-1][0], found
        else:
            known.runs.append((commit, found))
    until = len(history.commits)
    return [(history.time_of(begin), items) for begin, items in reversed(known.runs) if begin <= until]


def _remembered(history: Moments, value: FunctionItem, bindings: XArray) -> Timeline:
    """Cached facts about a value from earlier evaluations of the same expression with the same bindings."""
    # Its parameters bind everything it reads. Functions with captured values cannot be distinguished.
    is_closed = hasattr(value.call, "__code__") and not value.call.__closure__
    key: list[object] = [value.call.__code__ if is_closed else None]
    for bound in bindings:
        key += [_key_of(history, item) for item in bound]
        key.append(len(bound))
    if any(part is None for part in key):
        return Timeline()
    return cast(Timeline, history.timelines.setdefault(tuple(key), Timeline()))


def _key_of(history: Moments, item: Any) -> object:
    if isinstance(item, Node):
        return history.key_of(item)
    return None if isinstance(item, (XMap, XArray, FunctionItem)) else (type(item), item)


def _as_of(history: Moments, commit: int, value: FunctionItem, bindings: XArray) -> list[Any] | None:
    """The value at a commit; None if something it is bound to did not exist yet."""
    moved: list[Sequence[Any]] = []
    for bound in bindings:
        there = [history.moved(item, commit) if isinstance(item, Node) else item for item in bound]
        if any(item is None for item in there):
            return None
        moved.append(there)
    with history.at(commit):
        return _called(value, moved)


def _called(value: FunctionItem, arguments: Sequence[Sequence[Any]]) -> list[Any]:
    from xylem.values.coercion import call_function

    found = call_function(value, [list(argument) for argument in arguments])
    return list(found)


@function("_history:as-of", "function(*), array(*), xs:anyAtomicType?", "item()*", context=True)
def as_of(ctx: Context, value: FunctionItem, bindings: XArray, time: Any) -> list[Any]:
    """The value for the state at a time; none before the first commit."""
    if time is None:
        return []
    moment = _number(time, "between")
    history = ctx.run.history
    if history is None:
        return _called(value, list(bindings)) if moment >= 0 else []
    for commit in reversed(history.commits):
        if history.time_of(commit) <= moment:
            return _as_of(history, commit, value, bindings) or []
    return []


@function("_history:lookup", "item()*, function(*), array(*), xs:integer+", "item()*", context=True)
def lookup(
    ctx: Context, items: Sequence[Any], value: FunctionItem, bindings: XArray, keys: Sequence[int]
) -> list[Any]:
    """`E?60` if only the value decides whether it is a lookup; of several numbers the first is nearest to E."""
    if any(isinstance(item, (XMap, XArray)) for item in items):
        return _looked_up(items, list(keys))
    return timeline(ctx, value, bindings, "?", sum(keys), None)


@function("_history:moment", "item()*, xs:integer+", "item()*")
def moment(items: Sequence[Any], keys: Sequence[int]) -> list[Any]:
    """`$x?60` of a variable: a lookup in maps and arrays; for nodes, the version of 60 seconds ago.

    Of several numbers the first is nearest to the variable: for nodes, $x?60?5 is $x?65.
    """
    return _looked_up(items, list(keys))


def _looked_up(items: Iterable[Any], keys: list[int]) -> list[Any]:
    if not keys:
        return list(items)
    found: list[Any] = []
    for item in items:
        if not isinstance(item, Node):
            from xylem.values.coercion import call_function

            if not isinstance(item, (XMap, XArray)):
                raise DynamicError("XPTY0004", f"the lookup operator ? needs a map or an array, found {item!r:.60}")
            found += _looked_up(call_function(item, [[keys[0]]]), keys[1:])
        elif item.tree.is_ranked:
            choice = VersionChoice("?", Decimal(sum(keys)))
            found.extend(Node(item.tree, row) for row in item.tree.chosen_versions(item.pre, choice))
        elif not any(keys):
            found.append(item)
    return found


@function("_history:document", "xs:string", "document-node()", context=True)
def document(ctx: Context, name: str) -> Node:
    """stream("name") over update streams."""
    history = ctx.run.history
    if history is None:
        raise DynamicError("XYIN0030", name)
    return history.document(name)


# --- questions about a version


def _lifespan(node: Node) -> Lifespan:
    return node.tree.lifespan(node.pre) if node.tree.is_ranked else ALWAYS


@function("xylem:begin", "node()?", "xs:decimal?")
def begin(node: Node | None) -> Decimal | None:
    return None if node is None else _lifespan(node)[0]


@function("xylem:end", "node()?", "xs:decimal?")
def end(node: Node | None) -> Decimal | None:
    return None if node is None else _lifespan(node)[1]


@function("xylem:version", "node()?", "xs:integer?")
def version(node: Node | None) -> int | None:
    if node is None:
        return None
    return node.tree.version_number(node.pre) if node.tree.is_ranked else 0
