"""Steps to following or preceding siblings whose tests read nothing but the tested node: each node is tested once.

    for $a in //a return $a/following-sibling::a[x > 3][1]
    //a[preceding-sibling::a[@n = 4]]
    //a/following-sibling::a[last()]
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from xylem.analysis.facts.steadiness import is_the_same_each_time
from xylem.analysis.focus import uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.rewrite.joins.rule_name import RULE
from xylem.run.runtime.tested_siblings import TestedSiblings
from xylem.syntax import ast
from xylem.values.axes import step_lazy
from xylem.values.node_test import NodeTest
from xylem.values.sequence_type import NodeItem

from .code import Code, many, optional
from .compiler import Compiler
from .joins import placed

_AXES = ("preceding-sibling", "following-sibling", "following")
_LAST = -1


def tested_siblings(c: Compiler, context: Code, node: ast.AxisStep, test: NodeTest, item: NodeItem) -> Code | None:
    """The step from one node; None if its tests must be repeated for each node."""
    from .paths import filtered

    if node.axis not in _AXES or c.writer.is_streamed or RULE in c.writer.without_rules:
        return None
    number, place = _tests(node.predicates), None
    tests, others = node.predicates[:number], node.predicates[number:]
    if others:
        place = _place(others[0])
        if place is None:
            return None
    # Without tests the kernel finds the nearest node, and all nodes are the result itself.
    if not (tests or place == _LAST) or _changes_with_the_loop(c, tests):
        return None
    cell = _cell(c, node, test, tests)
    passing = _passing(c, node, tests, item)
    if place is None:
        return many(f"{cell}.all({context.text}, {passing})", item, ordered=True)
    asked = f"last({context.text}, {passing})" if place == _LAST else f"at({context.text}, {passing}, {place})"
    code = optional(f"{cell}.{asked}", item)
    for predicate in others[1:]:
        code = filtered(c, code, predicate)
    return replace(code, ordered=True)


def _tests(predicates: tuple[ast.Expr, ...]) -> int:
    """Number of leading predicates that depend only on the node and on values that are the same for all."""
    for number, predicate in enumerate(predicates):
        if not is_test(predicate) or uses_position(predicate) or not is_the_same_each_time(predicate):
            return number
    return len(predicates)


def _place(predicate: ast.Expr) -> int | None:
    """[3] or [last()]; [position() = 3] is the former."""
    if isinstance(predicate, (ast.GeneralComparison, ast.ValueComparison)) and predicate.op in ("=", "eq"):
        sides = [predicate.left, predicate.right]
        for one, other in (sides, sides[::-1]):
            if _is_call(one, "position") and (isinstance(other, ast.IntegerLiteral) or _is_call(other, "last")):
                return _place(other)
    if _is_call(predicate, "last"):
        return _LAST
    if isinstance(predicate, ast.IntegerLiteral) and predicate.value > 0:
        return predicate.value
    return None


def _is_call(expr: ast.Expr, name: str) -> bool:
    return isinstance(expr, ast.FunctionCall) and not expr.arguments and expr.name.expanded == (FN, name)


def _changes_with_the_loop(c: Compiler, tests: tuple[ast.Expr, ...]) -> bool:
    """Whether tests read the innermost variable: then each turn must repeat them anyway."""
    newest = max((known.order for known in c.scope.variables.values()), default=None)
    read = (c.scope.variables.get(name) for predicate in tests for name in free_in(predicate))
    return any(known is not None and known.mark is not None and known.order == newest for known in read)


def _cell(c: Compiler, node: ast.AxisStep, test: NodeTest, tests: tuple[ast.Expr, ...]) -> str:
    step = c.writer.constant(step_lazy(node.axis, test), "lazily", f"{node.axis}::{test}", key=(node.axis, test))
    forward, siblings = node.axis != "preceding-sibling", node.axis != "following"
    made = f"{c.rt(TestedSiblings)}({step}, is_forward={forward}, is_of_siblings={siblings})"
    reads = frozenset[tuple[str, str]]().union(*map(free_in, tests))
    return placed(c, c.writer.fresh("siblings"), made, reads, ())


def _passing(c: Compiler, node: ast.AxisStep, tests: tuple[ast.Expr, ...], item: NodeItem) -> str:
    """A function that returns those of some nodes that pass."""
    if not tests:
        return c.rt(iter)

    from .paths import filtered

    def write() -> None:
        code = many("nodes", item)
        for predicate in tests:
            code = filtered(c, code, predicate)
        c.writer.line(f"return {c.as_iterable(code)}")

    frame = c.lifted("passing", ["nodes"], c.describe(node), write)
    captures = "".join(f", {name}={name}" for name in frame.captures)
    return f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name
