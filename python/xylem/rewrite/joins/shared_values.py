"""Values that are the same at each turn of a loop: computed once, and looked up by place or by value.

    for $i in 1 to 9 return /s/t[$i]             the children of each parent, by their places
    for $x in //x return index-of(//y/@k, $x)    the places of each value
    for $x in //x return $x div sum(//x)         the sum
    for $x in //x return $x div sum($x/../x)     the sum of each parent (anchors.py)
    for $x in //x return ($x, $x/../title)       the titles of each parent
    for $x in //x return ($x, /feed/date)        the dates
    for $x in //x return sum(//y[@k = $x/@k])    the sum for each key

Gain:   the cost of a turn depends on the items it takes, not on the length of the sequence.
Needs:  a sequence that reads nothing of the loop, and returns the same items each time (no constructors).
Safe:   it is computed on first use: an expression that is never evaluated raises no error.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import NamedTuple, cast

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.position_tests import position_tests
from xylem.analysis.facts.steadiness import is_the_same_each_time
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.free_variables import free_in
from xylem.errors import Span
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS, MERGES, TAKES_MANY
from xylem.syntax import ast

from .anchors import at_anchor
from .candidates import is_equality, is_test
from .surroundings import Surroundings
from .visitor import JOIN_NAMESPACE, JoinVisitor

_BY_KEY = (MERGES - COUNTS) | {(FN, "count")}
"""Functions that read all that a lookup finds."""


class Repeated(NamedTuple):
    """An expression that is the same at many turns, its anchor if it has one, and the facts known after that."""

    value: ast.Expr
    anchor: ast.LetClause | None
    around: Surroundings

    def behind_anchor(self, result: ast.Expr) -> ast.Expr:
        """A result that reads the shared value."""
        return result if self.anchor is None else ast.Flwor((self.anchor,), result, span=result.span)


class SharedValues(JoinVisitor):
    """Finds shared values; the expressions that read them are visited in place."""

    @abstractmethod
    def _items(self, expr: ast.Expr, around: Surroundings) -> ast.Expr:
        """An expression, visited, that gives the items of a loop."""

    def _repeated(self, expr: ast.Expr, around: Surroundings, *, of_nodes: bool = True) -> Repeated | None:
        """An expression that is the same at each turn of a loop, or at turns with the same anchor; None otherwise."""
        settled = around.settled(expr)
        if of_nodes and not any(isinstance(one, ast.AxisStep) for one in settled.walk()):
            return None
        if not is_the_same_each_time(settled):
            return None
        if around.depth_of(settled) < around.depth:
            return Repeated(settled, None, around)
        found = self._at_anchor(settled, around)
        if found is None:
            return None
        anchor, value = found
        here = around.with_anchor(anchor.name)
        return Repeated(value, self._searched(anchor, around), here) if here.depth_of(value) < here.depth else None

    def _searched(self, anchor: ast.LetClause, around: Surroundings) -> ast.LetClause:
        """An anchor, visited: //b[@k = $x]/.. looks up its nodes at each turn."""
        return replace(anchor, value=self._items(anchor.value, around))

    def _at_anchor(self, expr: ast.Expr, around: Surroundings) -> tuple[ast.LetClause, ast.Expr] | None:
        if not self.facts.finds_anchors or not around.depth:
            return None  # Without a loop around it, nothing is found a second time.
        # Only the expression itself reads it: inside, another may have its name.
        return at_anchor(expr, around, ast.Name(f"from{self.facts.number + 1}", None, JOIN_NAMESPACE))

    def _folded(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr | None:
        """A call that folds, or picks from, the same items at many turns of a loop."""
        repeated = self._repeated(call, around) if call.name.expanded in TAKES_MANY else None
        return None if repeated is None else repeated.behind_anchor(self._shared(repeated, call))

    def _folded_by_key(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr | None:
        """A visited call that folds what one lookup finds: it has one value for each key that is looked up."""
        if call.name.expanded not in _BY_KEY or _is_counted(call) or not self.facts.shares_values or not around.depth:
            return None
        found = [one for node in call.arguments for one in node.walk() if isinstance(one, ast.JoinClause)]
        if len(found) != 1 or found[0].anchor is not None or not is_the_same_each_time(call):
            return None
        tests = [test for test in found[0].tests if around.depth_of(test.probe) >= around.depth]
        if len(tests) != 1 or not is_equality(tests[0]):
            return None
        (test,) = tests
        name = ast.Name(f"from{self.facts.number + 1}", None, JOIN_NAMESPACE)
        key = ast.VarRef(name, span=test.span)
        value = replaced(call, lambda node: replace(test, probe=key) if node is test else None)
        here = around.with_anchor(name)
        if not isinstance(value, ast.Expr) or here.depth_of(value) >= here.depth:
            return None
        self.facts.number += 1
        made = ast.Shared(value, around.focus.is_in_input, anchor=name, span=call.span)
        self.facts.found.append(made)
        keys = ast.FunctionCall(ast.Name("data", "fn", FN), (test.probe,), span=test.span)
        return ast.Flwor((ast.LetClause(name, None, keys, span=test.span),), made, span=call.span)

    def _picked(self, node: ast.Filter, around: Surroundings) -> ast.Expr | None:
        """A filter that selects items by position, from the same sequence at each turn."""
        base, predicate = node.base, node.predicate
        if is_test(predicate) or not (uses_position(predicate) or not reads_focus(predicate)):
            return None
        repeated = self._repeated_items(base, around)
        if repeated is None:
            return None
        inner = self._predicate(predicate, base, around)
        return repeated.behind_anchor(replace(node, base=self._shared(repeated, base), predicate=inner))

    def _cut(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr | None:
        """subsequence($items, $start, …), with a different start at each turn."""
        if call.name.expanded != (FN, "subsequence") or len(call.arguments) < 2 or not free_in(call.arguments[1]):
            return None
        base, *rest = call.arguments
        repeated = self._repeated_items(base, around)
        if repeated is None:
            return None
        visited = (self.visit(one, around) for one in rest)
        return repeated.behind_anchor(replace(call, arguments=(self._shared(repeated, base), *visited)))

    def _sought(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr | None:
        """index-of($values, …), for values that are the same at each turn."""
        if call.name.expanded != (FN, "index-of") or len(call.arguments) != 2:
            return None
        values, sought = call.arguments
        data = ast.FunctionCall(ast.Name("data", "fn", FN), (values,), span=values.span)
        repeated = None if isinstance(values, ast.Shared) else self._repeated(data, around, of_nodes=False)
        if repeated is None:
            return None
        arguments = self._shared(repeated, data), self.visit(sought, around)
        return repeated.behind_anchor(replace(call, arguments=arguments))

    def _repeated_items(self, base: ast.Expr, around: Surroundings) -> Repeated | None:
        """Items that are searched at each turn: not those that a variable or a shared value already holds."""
        if isinstance(base, ast.Shared) or (isinstance(base, ast.VarRef) and around.settled(base) is base):
            return None
        return self._repeated(base, around)

    def _picked_of_parents(
        self, base: ast.Expr, step: ast.AxisStep, whole: ast.Expr, around: Surroundings
    ) -> ast.Expr | None:
        """A step that selects children by position, at different positions each turn, followed by tests."""
        if not step.predicates or step.axis not in ("child", "attribute"):
            return None
        first, *rest = step.predicates
        if not self._changes(first, around) or not all(map(is_test, rest)):
            return None
        if position_tests(first) is None and (reads_focus(first) or is_test(first)):
            return None
        repeated = self._repeated_items(base, around)
        if repeated is None:
            return None
        predicates = [self._predicate(one, base, around) for one in step.predicates]
        base = replace(base, span=_before(predicates[0], whole))
        made = self._shared(repeated, base, is_by_parent=True)
        for predicate in predicates:
            made = ast.Filter(made, predicate, span=whole.span)
        return repeated.behind_anchor(made)

    def _chosen(self, node: ast.Expr, around: Surroundings) -> ast.Expr | None:
        """A test of many items, or a step that selects some, with the same outcome at many turns."""
        repeated = self._repeated(node, around) if self.facts.shares_values else None
        return None if repeated is None else repeated.behind_anchor(self._shared(repeated, node))

    def _bound_once(self, value: ast.Expr, around: Surroundings) -> ast.Expr:
        """The value of a `let` at each turn: nodes that are the same at many turns are found once."""
        if not isinstance(value, ast.Path) or not self.facts.shares_values:
            return value
        repeated = self._repeated(value, around)
        return value if repeated is None else repeated.behind_anchor(self._shared(repeated, value))

    def _predicate(self, predicate: ast.Expr, base: ast.Expr, around: Surroundings) -> ast.Expr:
        """A predicate in the place of its base: if it is the same for all items, it is evaluated once."""
        return cast("ast.Expr", self.visit(predicate, around.in_focus_of(base) if reads_focus(predicate) else around))

    def _shared(self, repeated: Repeated, written: ast.Expr, *, is_by_parent: bool = False) -> ast.Expr:
        """A cached value, with the place of the expression it was written as."""
        value, anchor, around = repeated
        if anchor is not None:
            self.facts.number += 1
        # It is computed where the last variable that it reads is bound.
        made = ast.Shared(
            self._items(value, replace(around, depth=around.depth_of(value))),
            around.focus.is_in_input,
            is_by_parent,
            None if anchor is None else anchor.name,
            span=written.span,
        )
        self.facts.found.append(made)
        return made

    def _changes(self, predicate: ast.Expr, around: Surroundings) -> bool:
        """Whether a predicate reads a variable that the loop around it binds."""
        return around.depth_of(around.settled(predicate)) >= around.depth


def _is_counted(call: ast.FunctionCall) -> bool:
    """Whether an index knows the value of a call: the number of items that it finds."""
    match call.arguments:
        case (ast.Flwor(clauses=(*_, ast.JoinClause(name=name)), result=ast.VarRef(name=given)),):
            return call.name.expanded in COUNTS and name == given
    return False


def _before(predicate: ast.Expr, whole: ast.Expr) -> Span:
    """The position in the query of the step with this predicate."""
    span, behind = whole.span, predicate.span
    if span.source is not behind.source or not span.start < behind.start <= span.end:
        return span
    return replace(span, end=span.source.text.rindex("[", span.start, behind.start))
