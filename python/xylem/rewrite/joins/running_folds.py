"""Aggregates of the first items of a sequence: rewritten so that the sequence is the same at each turn.

    sum($x/preceding-sibling::t/v)      →   sum((let $p := $x/.. for join $t in $p/t by $t << $x return $t)/v)
    sum(($x/preceding-sibling::t | $x)/v)   the same, and one more item after them
    sum(subsequence($all, 1, $i))       →   sum($all[position() <= round($i)])
    sum($all[position() <= $i]/v)       →   the same, and $all is kept with its running sums

Gain:   each turn looks up the running value after its items (lowering/python/running_folds.py), instead of folding all
        of them again.
Needs:  an aggregate of values of the first items, in a loop that neither these items nor their values depend on.
Safe:   siblings before an item are the children of its parent that come before it in document order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xylem.analysis.facts.position_tests import position_tests
from xylem.functions.registry import FN
from xylem.functions.traits import standard
from xylem.syntax import ast

from .loop_joins import LoopJoins
from .siblings import all_before
from .surroundings import Surroundings

_FOLDED = standard("sum avg min max count")
_PARTS = (ast.Path, ast.SimpleMap)
_STEPS = (ast.Path, ast.AxisStep)


class RunningFolds(LoopJoins):
    """Finds aggregates of the first items of a sequence that a loop does not change."""

    @abstractmethod
    def _beside(self, find: Callable[..., ast.Flwor | None], node: Any, around: Surroundings) -> ast.Expr | None: ...

    def _running(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr | None:
        """A call that folds the first items of a sequence, with these items as a lookup or as a shared value."""
        if call.name.expanded not in _FOLDED or len(call.arguments) != 1 or around.depth == 0:
            return None
        items = call.arguments[0]
        if isinstance(items, ast.Flwor):
            match items.clauses:
                case (ast.ForClause(type=None, position=None, allowing_empty=False) as loop,):
                    found = self._first_items(loop.collection, around)
                    if found is None:
                        return None
                    inner = around.in_loop(loop.name, over=found)
                    made = replace(
                        items, clauses=(replace(loop, collection=found),), result=self.visit(items.result, inner)
                    )
                    return replace(call, arguments=(made,))
            return None
        step = items.right if isinstance(items, ast.Path) else items
        if call.name.expanded == (FN, "count") and isinstance(step, ast.AxisStep) and step.axis == "preceding-sibling":
            return None  # Siblings are numbered without keeping any.
        found = self._of_first_items(items, around)
        return None if found is None else replace(call, arguments=(found,))

    def _of_first_items(self, sequence: ast.Expr, around: Surroundings) -> ast.Expr | None:
        """Steps from the first items."""
        found = self._first_items(sequence, around)
        if found is None and isinstance(sequence, _PARTS):
            start = self._of_first_items(sequence.left, around)
            if start is not None:
                return replace(sequence, left=start, right=self.visit(sequence.right, around.in_focus_of(start)))
        return found

    def _first_items(self, items: ast.Expr, around: Surroundings) -> ast.Expr | None:
        match items:
            case ast.AxisStep() | ast.Path(right=ast.AxisStep()):
                return self._beside(all_before, items, around)
            case ast.FunctionCall(name=name, arguments=(base, ast.IntegerLiteral(value=1), length)):
                if name.expanded != (FN, "subsequence"):
                    return None
                number = ast.FunctionCall(ast.Name("round", "fn", FN), (length,), span=length.span)
                position = ast.FunctionCall(ast.Name("position", "fn", FN), (), span=length.span)
                test = ast.GeneralComparison("<=", position, number, span=length.span)
                return self._first_items(ast.Filter(base, test, span=items.span), around)
            case ast.SequenceExpr(items=(before, itself)):
                return self._first_and_itself(before, itself, items, around)
            case ast.SetOperation(op="union", left=one, right=other):
                return self._first_and_itself(one, other, items, around) or self._first_and_itself(
                    other, one, items, around
                )
            case ast.Filter(base=ast.VarRef() as base, predicate=predicate) if position_tests(predicate):
                if around.depth_of(base) >= around.depth:
                    return None
                kept = ast.Shared(base, around.focus.is_in_input, span=base.span)
                self.facts.found.append(kept)
                return replace(items, base=kept, predicate=self._predicate(predicate, base, around))
            case ast.Filter(predicate=predicate) if position_tests(predicate):
                return self._picked(items, around)
        return None

    def _first_and_itself(
        self, before: ast.Expr, itself: ast.Expr, whole: ast.Expr, around: Surroundings
    ) -> ast.Expr | None:
        """($x/preceding-sibling::t, $x): the item comes after its siblings, and is not one of them."""
        start = before.left if isinstance(before, ast.Path) else ast.ContextItem()
        if not isinstance(before, _STEPS) or not isinstance(itself, (ast.VarRef, ast.ContextItem)) or start != itself:
            return None
        found = self._beside(all_before, before, around)
        return None if found is None else ast.SequenceExpr((found, itself), span=whole.span)
