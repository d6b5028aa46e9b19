"""Turn a predicate of a loop's last step into the loop's condition.

    { for $x in $y/π/a[χ] return β }     →     { for $x in $y/π/a where χ($x) return β }

Gain:   other rules can simplify and move the test like any condition, and the scan decides it while the element passes.
Needs:  χ tests each node alone and is not a position; no position variable and no window, since both would then include
        the nodes that fail χ.
Safe:   a predicate keeps the nodes for which it is true, in their order (XQuery 3.1 §3.3.3).
A position that comes first (`a[1]`, `a[1][χ]`) stays with its step: it counts before the test.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.streamable_paths import is_counting
from xylem.plan.flux import Flux, For
from xylem.syntax import ast

from .rule import Facts, Rule
from .substitution import FocusInTheWay, Substitution, variable


class MovePredicate(Rule):
    name = "move_predicate"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, For) or node.position is not None or node.window is not None:
            return node
        step = node.path[-1]
        if not step.predicates or is_counting(step.predicates[-1]):
            return node
        try:
            test = Substitution({}, variable(node.variable)).apply(step.predicates[-1])
        except FocusInTheWay:
            return node
        # Predicates apply from the left, and each may guard the next against errors.
        where = test if node.where is None else ast.And(test, node.where)
        path = (*node.path[:-1], replace(step, predicates=step.predicates[:-1]))
        return replace(node, path=path, where=where)
