"""Predicates that count from the end: the number of last items they select from.

    [last()]     1        [last() - 2], [position() = last() - 2], [position() >= last() - 2]     3
                          [position() > last() - 2]                                              2

Over only the last items such a predicate selects the same ones: positions and last() shrink by the same number. If
there are fewer items, all of them are kept.
"""

from __future__ import annotations

from typing import NamedTuple

from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.comparisons import GENERAL, sides
from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.focus import uses_position
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.functions.traits import AROUND
from xylem.syntax import ast
from xylem.syntax.ast.facts import contains, kept_with_node

MOST_ITEMS = 10_000
"""A larger number is not treated as a few items."""
_DOWNWARDS = ("child", "attribute", "self", "descendant", "descendant-or-self")
_BY_IDENTITY = (ast.NodeComparison, ast.SetOperation)


def sees_more_than_items(expr: ast.Node, number: int) -> bool:
    """Whether an expression may compare the identity of items, or look around them: several are kept as copies."""
    return contains(expr, _BY_IDENTITY) or (number > 1 and any(map(_may_look_around, expr.walk())))


def looks_at_copies(whole: ast.Node, loop: ast.Node) -> bool:
    """Whether the expression around a loop may compare the identity of its results, or look around them."""
    # Each part of an expression stands in one place, so that those outside are all without those inside.
    if _looks_out(whole) > _looks_out(loop):
        return True
    return _descends(loop) and _have_steps(whole, loop)


@kept_with_node
def _looks_out(part: ast.Node) -> int:
    """The number of places below that may compare the identity of nodes, or look around them."""
    here = isinstance(part, _BY_IDENTITY) or _may_look_around(part)
    return here + sum(map(_looks_out, part.children()))


@kept_with_node
def _descends(loop: ast.Node) -> bool:
    """Whether its items may be nested."""
    return any(isinstance(node, ast.AxisStep) and node.axis.startswith("descendant") for node in loop.walk())


def _have_steps(whole: ast.Node, loop: ast.Node) -> bool:
    """Whether a path continues from all results of a loop: it then returns each node once, even nested ones."""
    outside = _outline(whole)
    inside = {id(node) for node in loop.walk()}
    around = {id(loop)}
    above = outside.parents.get(id(loop))
    while above is not None:
        around.add(id(above))
        above = outside.parents.get(id(above))
    names: set[tuple[str, str]] = set()

    def has_results(expr: ast.Node) -> bool:
        return id(expr) in around or not names.isdisjoint(read_variables(expr))

    lets = [let for let in outside.lets if id(let) not in inside]
    while more := {let.name.expanded for let in lets if has_results(let.value)} - names:
        names |= more
    return any(has_results(_start(path)) for path in outside.paths if id(path) not in inside)


class _Outline(NamedTuple):
    """Where the parts of an expression stand."""

    parents: dict[int, ast.Node]
    """By the identity of the part."""
    lets: list[ast.LetClause]
    paths: list[ast.Path]


@kept_with_node
def _outline(whole: ast.Node) -> _Outline:
    outline = _Outline({}, [], [])
    for node in whole.walk():
        outline.parents.update((id(child), node) for child in node.children())
        if isinstance(node, ast.LetClause):
            outline.lets.append(node)
        elif isinstance(node, ast.Path):
            outline.paths.append(node)
    return outline


def _start(path: ast.Path) -> ast.Expr:
    start: ast.Expr = path
    while isinstance(start, ast.Path):
        start = start.left
    return start


def _may_look_around(node: ast.Node) -> bool:
    match node:
        case ast.AxisStep(axis=axis):
            return axis not in _DOWNWARDS
        case ast.FunctionCall(name=name, arguments=arguments):
            if name.expanded in ((FN, "position"), (FN, "last")):
                return False
            return look_up(*name.expanded, len(arguments)) is None or name.expanded in AROUND
    return isinstance(node, (ast.DynamicCall, ast.NamedFunctionRef))


def is_last(predicate: ast.Expr) -> bool:
    """[last()]."""
    return is_call(predicate, "last")


def last_items(predicate: ast.Expr) -> int | None:
    """The number of items; None if the predicate does not count from the end, or selects from too many."""
    number = _number(predicate)
    return None if number is None or number > MOST_ITEMS else number


def _number(predicate: ast.Expr) -> int | None:
    before = _before_last(predicate)
    if before is not None:
        return before + 1
    match predicate:
        case ast.And(left=left, right=right):
            found = [number for number in (last_items(left), last_items(right)) if number is not None]
            return min(found) if found and _counts_from_end(left) and _counts_from_end(right) else None
        case ast.GeneralComparison(op="=", left=left, right=ast.SequenceExpr(items=items)) if is_call(left, "position"):
            numbers = [number for number in map(_before_last, items) if number is not None]
            return max(numbers) + 1 if numbers and len(numbers) == len(items) else None
        case ast.Or(left=left, right=right):
            one, other = last_items(left), last_items(right)
            return None if one is None or other is None else max(one, other)
    compared = _compared(predicate)
    if compared is None or compared[0] not in ("=", ">", ">="):
        return None
    number = compared[1] + (compared[0] != ">")
    return number if number > 0 else None


def _counts_from_end(predicate: ast.Expr) -> bool:
    """Whether a condition has the same truth for the last items alone."""
    if not uses_position(predicate):
        return True
    return _compared(predicate) is not None or last_items(predicate) is not None


def _compared(predicate: ast.Expr) -> tuple[str, int] | None:
    """The operator and n of position() > last() - n."""
    if not isinstance(predicate, (ast.GeneralComparison, ast.ValueComparison)):
        return None
    for own, op, other in sides(predicate):
        before, sign = _before_last(other), GENERAL.get(op, op)
        if before is not None and is_call(own, "position") and sign != "!=":
            return sign, before
    return None


def _before_last(expr: ast.Expr) -> int | None:
    """n of last() - n."""
    if is_call(expr, "last"):
        return 0
    match expr:
        case ast.Arithmetic(op="-", left=left, right=ast.IntegerLiteral(value=number)) if is_call(left, "last"):
            return number
    return None
