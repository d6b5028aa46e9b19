"""Values that are the same at each turn of a loop: computed once, and looked up by place or by value.

    for $i in 1 to 9 return /s/t[$i]             the children of each parent, by their places
    for $x in //x return index-of(//y/@k, $x)    the places of each value
    for $x in //x return $x div sum(//x)         the sum

Gain:   each turn costs what it takes, and not what the sequence is long.
Needs:  a sequence that reads nothing of the loop, and gives the same items each time (no constructors).
Safe:   it is computed when it is first asked for: what is never evaluated raises no error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from xylem.analysis.facts.position_tests import position_tests
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.free_variables import free_in
from xylem.errors import Span
from xylem.functions.registry import FN
from xylem.functions.traits import AGGREGATES
from xylem.syntax import ast

from .candidates import is_test, is_the_same_each_time
from .surroundings import Surroundings
from .visitor import JoinVisitor


class SharedValues(JoinVisitor):
    """Finds shared values; the expressions that read them are visited in place."""

    def _is_shared(self, call: ast.FunctionCall, around: Surroundings) -> bool:
        """Whether a call folds items that are the same at each turn of a loop around it."""
        if call.name.expanded not in AGGREGATES or not any(isinstance(node, ast.AxisStep) for node in call.walk()):
            return False
        return around.depth_of(around.settled(call)) < around.depth and is_the_same_each_time(around.settled(call))

    def _is_kept(self, base: ast.Expr, predicate: ast.Expr, around: Surroundings) -> bool:
        """Whether each turn of a loop takes items by their places in a sequence that is the same for all of them."""
        if not self._repeats(base, around) or is_test(predicate):
            return False
        return uses_position(predicate) or not reads_focus(predicate)

    def _is_cut(self, name: ast.Name, base: ast.Expr, start: ast.Expr, around: Surroundings) -> bool:
        """subsequence($items, $start, …), with another start at each turn."""
        return name.expanded == (FN, "subsequence") and self._repeats(base, around) and bool(free_in(start))

    def _is_sought_in(self, name: ast.Name, values: ast.Expr, around: Surroundings) -> bool:
        """index-of($values, …), in values that are the same at each turn."""
        settled = around.settled(values)
        return (
            name.expanded == (FN, "index-of")
            and not isinstance(values, ast.Shared)
            and around.depth_of(settled) < around.depth
            and is_the_same_each_time(settled)
        )

    def _repeats(self, base: ast.Expr, around: Surroundings) -> bool:
        settled = around.settled(base)
        if isinstance(base, ast.Shared) or (isinstance(base, ast.VarRef) and settled is base):
            return False
        if around.depth_of(settled) >= around.depth or not any(isinstance(one, ast.AxisStep) for one in settled.walk()):
            return False
        return is_the_same_each_time(settled)

    def _is_kept_by_parent(self, base: ast.Expr, step: ast.AxisStep, around: Surroundings) -> bool:
        """Whether each turn takes children by their places, of a path that is the same for all of them."""
        if not step.predicates or step.axis not in ("child", "attribute") or not self._repeats(base, around):
            return False
        first, *rest = step.predicates
        if not self._changes(first, around) or not all(map(is_test, rest)):
            return False
        return position_tests(first) is not None or (not reads_focus(first) and not is_test(first))

    def _predicate(self, predicate: ast.Expr, base: ast.Expr, around: Surroundings) -> ast.Expr:
        """A predicate where its base is: one that is the same for all items is looked at once."""
        return cast("ast.Expr", self.visit(predicate, around.in_focus_of(base) if reads_focus(predicate) else around))

    def _shared(self, call: ast.Expr, around: Surroundings, *, is_by_parent: bool = False) -> ast.Expr:
        settled = around.settled(call)
        # It is computed where the last variable is bound that it reads.
        value = self.visit(settled, replace(around, depth=around.depth_of(settled)))
        made = ast.Shared(value, around.focus.is_in_input, is_by_parent, span=call.span)
        self.facts.found.append(made)
        return made

    def _kept_by_parent(
        self, base: ast.Expr, step: ast.AxisStep, whole: ast.Expr, around: Surroundings
    ) -> ast.Expr:
        """A step whose first predicate is a place, and whose others are tests."""
        first, *rest = (self._predicate(one, base, around) for one in step.predicates)
        base = replace(base, span=_before(first, whole))
        made: ast.Expr = ast.Filter(self._shared(base, around, is_by_parent=True), first, span=whole.span)
        for predicate in rest:
            made = ast.Filter(made, predicate, span=whole.span)
        return made

    def _changes(self, predicate: ast.Expr, around: Surroundings) -> bool:
        """Whether a predicate reads a variable that the loop around it binds."""
        return around.depth_of(around.settled(predicate)) >= around.depth


def _before(predicate: ast.Expr, whole: ast.Expr) -> Span:
    """The position in the query of the step with this predicate."""
    span, behind = whole.span, predicate.span
    if span.source is not behind.source or not span.start < behind.start <= span.end:
        return span
    return replace(span, end=span.source.text.rindex("[", span.start, behind.start))
