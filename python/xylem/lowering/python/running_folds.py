"""Aggregates of the first items of a sequence, whose number differs from turn to turn of a loop.

    sum(//order[position() <= $i]/price)         the first items of a shared value
    sum(for $p in //order[t <= $o/t] return …)   the first rows of an index by order
    max($o/preceding-sibling::order/price)       those before an item, by document order (rewrite/joins/siblings.py)

Code requests the running value after a number of items (run/runtime/running_folds.py), and has the call as written for
values that cannot be folded this way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from xylem.analysis.facts.comparisons import GENERAL
from xylem.analysis.facts.position_tests import PositionTest, position_tests
from xylem.analysis.facts.steadiness import is_the_same_each_time
from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.plan.note import Note
from xylem.run.runtime import running_folds as rt
from xylem.syntax import ast
from xylem.values.sequence_type import ItemType

from .code import Code, one
from .compiler import Compiler
from .joins import index_behind, is_behind_anchor
from .shared_values import kept_value

_FOLDED = ("sum", "avg", "min", "max", "count")
_DOWNWARDS = ("child", "attribute", "self", "descendant", "descendant-or-self")
_ORDERS = ("<", "<=", ">", ">=", "<<", ">>")


class _Each(NamedTuple):
    """A sequence as the values of each of some items; without a variable, the item is the context item."""

    items: ast.Expr
    variable: ast.Name | None
    values: ast.Expr
    is_path: bool


def running_fold(c: Compiler, call: ast.FunctionCall, plain: Callable[[], Code]) -> Code | None:
    """An aggregate of the first items of a sequence; None for other calls. `plain` compiles the call as written."""
    if call.name.uri != FN or call.name.local not in _FOLDED or len(call.arguments) != 1 or c.writer.bounds is not None:
        return None
    each = _of_each(call.arguments[0])
    if each is None or not is_the_same_each_time(each.values):
        return None
    if call.name.local == "count" and isinstance(each.values, (ast.ContextItem, ast.VarRef)):
        return None  # An index knows how many items it finds.
    match each.items:
        case ast.Flwor(clauses=(*lets, ast.JoinClause() as join)):
            return _of_rows(c, call, each, lets, join, plain)
        case ast.SequenceExpr(items=(ast.Flwor(clauses=(*lets, ast.JoinClause() as join)) as rows, behind)):
            if _gives_items(rows) and join.tests[0].op == "<<" and join.tests[0].probe == behind:
                return _of_rows(c, call, each, lets, join, plain, behind)
        case ast.Filter(base=ast.Shared() as shared, predicate=predicate):
            tests = position_tests(predicate)
            bound = _bound(tests[0]) if tests is not None and len(tests) == 1 else None
            return None if bound is None else _of_first(c, call, each, shared, bound, plain)
    return None


def _of_rows(
    c: Compiler, call: ast.FunctionCall, each: _Each, lets: list[ast.Clause], join: ast.JoinClause,
    plain: Callable[[], Code], behind: ast.Expr | None = None,
) -> Code | None:  # fmt: skip
    """The rows of an index found by an order comparison, and an item after them."""
    test = join.tests[0]
    if len(join.tests) > 1 or test.negated or GENERAL.get(test.op, test.op) not in _ORDERS:
        return None
    if join.place is not None or join.position is not None or not is_behind_anchor(lets, join):
        return None
    if not _reads_only(c, each, (join.collection, test.key)):
        return None
    index, asked, item = index_behind(c, lets, join)
    text = f"{c.rt(rt.folded_matches)}({index}, {asked}, run.implicit_timezone_minutes"
    return _folded(c, call, each, text, item, plain, behind)


def _of_first(
    c: Compiler, call: ast.FunctionCall, each: _Each, shared: ast.Shared, bound: PositionTest, plain: Callable[[], Code]
) -> Code | None:
    """The first items of a cached value."""
    if not _reads_only(c, each, (shared.value,)):
        return None
    asked = c.as_sequence(c.bind(c.atomized(c.compile(bound.asked))))
    kept = kept_value(c, shared)
    text = f"{c.rt(rt.folded_first)}({kept.cell}, {kept.items}, {bound.op!r}, {asked}, {shared.is_by_parent}"
    return _folded(c, call, each, text, kept.type.item, plain)


def _folded(
    c: Compiler, call: ast.FunctionCall, each: _Each, asking: str, item: ItemType, plain: Callable[[], Code],
    behind: ast.Expr | None = None,
) -> Code:  # fmt: skip
    """The call that requests the running value: its arguments compute the values of items, and the plain call."""
    with c.writer.function("values", ["items"], c.describe(each.values)) as values, c.scoped():
        name = c.writer.fresh("dot") if each.variable is None else c.fresh_name(each.variable)
        c.writer.line(f"for {name} in items:")
        with c.writer.indented(block=True):
            if each.variable is None:
                c.scope = c.scope.with_focus(c.focus_on(one(name, item, simple=True)))
            else:
                c.declare(each.variable.expanded, one(name, item, simple=True), loops=True)
            found = c.compile(each.values)
            c.writer.line(f"yield {c.as_sequence(found if call.name.local == 'count' else c.atomized(found))}")
    values.is_generator = True
    codes: list[Code] = []

    def write() -> None:
        codes.append(plain())
        c.writer.line(f"return {codes[0].text}")

    whole = c.lifted("whole", [], c.describe(call), write)
    told = f"{c.describe(call)} goes on from the value behind the items before, if the order of additions allows it"
    c.writer.notes.append(Note(call.span, "running value", told))
    rows = f"lambda items: {c.writer.call(values, 'items')}"
    fold = f"{c.rt(rt.Fold)}({call.name.local!r}, {each.is_path}, {c.context()}, {rows})"
    more = ""
    if behind is not None:
        itself = c.as_sequence(c.compile(behind))
        more = f", lambda: next({c.writer.call(values, itself)})"
    text = f"{asking}, lambda: {fold}, lambda: {c.writer.call(whole)}{more})"
    return replace(codes[0], text=text, simple=False)


def _reads_only(c: Compiler, each: _Each, known: tuple[ast.Expr, ...]) -> bool:
    """Whether the values of an item read nothing that changes while the same items are cached."""
    own = frozenset() if each.variable is None else {each.variable.expanded}
    kept = frozenset[tuple[str, str]]().union(*map(free_in, known))
    variables = (c.scope.variables.get(name) for name in free_in(each.values) - own - kept)
    if each.variable is not None and reads_focus(each.values):
        return False
    return all(variable is None or variable.mark is None for variable in variables)


def _of_each(sequence: ast.Expr) -> _Each | None:
    """A sequence as values of some items, if it has that form."""
    match sequence:
        case ast.Flwor(clauses=(*lets, ast.JoinClause() as join, ast.WhereClause() as where), result=result):
            inner = ast.If(where.test, result, ast.SequenceExpr(()), span=result.span)
            return _Each(replace(sequence, clauses=(*lets, join)), join.name, inner, False)
        case ast.Flwor(clauses=(*_, ast.JoinClause() as join), result=result):
            return _Each(sequence, join.name, result, False)
        case ast.Flwor(clauses=(ast.ForClause(type=None, position=None, allowing_empty=False) as loop,), result=result):
            return _Each(loop.collection, loop.name, result, False)
    steps: list[ast.Path | ast.SimpleMap] = []
    while isinstance(sequence, (ast.Path, ast.SimpleMap)):
        steps.append(sequence)
        sequence = sequence.left
    if isinstance(sequence, ast.Flwor) and not _gives_items(sequence):
        return None
    if not all(_goes_down(step.right) for step in steps):
        return None
    values: ast.Expr = ast.ContextItem(span=sequence.span)
    is_path = False
    for step in reversed(steps):
        values = step.right if isinstance(values, ast.ContextItem) else replace(step, left=values)
        is_path = is_path or isinstance(step, ast.Path)
    return _Each(sequence, None, values, is_path)


def _gives_items(flwor: ast.Flwor) -> bool:
    last = flwor.clauses[-1]
    return isinstance(last, ast.JoinClause) and flwor.result == ast.VarRef(last.name)


def _goes_down(step: ast.Expr) -> bool:
    """Whether a step of a path stays inside the item, so that the results of two items do not overlap."""
    return not isinstance(step, ast.AxisStep) or step.axis in _DOWNWARDS


def _bound(test: PositionTest) -> PositionTest | None:
    """A test that the first items pass, as `position() <= $n` or `position() < $n`."""
    match test:
        case PositionTest("=", ast.Range(left=ast.IntegerLiteral(value=1), right=end)):
            return PositionTest("<=", end)
    op = GENERAL.get(test.op, test.op)
    return PositionTest(op, test.asked) if op in ("<", "<=") else None
