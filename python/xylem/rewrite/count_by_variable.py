"""Count the matches of a step by a position variable, not by a predicate.

    { for $x in $y/a[3][χ] return β }     →     { for $x at $p in $y/a where $p = 3 and χ($x) return β }

Gain:   the stream delivers one match after another; a positional predicate would need all of them.
Needs:  a loop over one child step whose first predicate is a position or a test of position(); the loop has no position
        variable and no window.
Safe:   below one node, the position of a match is its number in the loop. Later predicates test each node alone.
Not for `//a[3]`, which counts below each parent.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.streamable_paths import is_counting
from xylem.plan.flux import Flux, For
from xylem.syntax import ast

from .counted_positions import counted
from .rule import Facts, Rule
from .substitution import FocusInTheWay, Substitution, variable


class CountByVariable(Rule):
    name = "count_by_variable"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, For) or len(node.path) != 1 or node.position is not None or node.window is not None:
            return node
        step = node.path[0]
        if step.axis != "child" or not step.predicates or not is_counting(step.predicates[0]):
            return node
        try:
            tests = [Substitution({}, variable(node.variable)).apply(p) for p in step.predicates[1:]]
        except FocusInTheWay:
            return node
        position = facts.names.invent("position")
        where = counted(step.predicates[0], variable(position))
        for test in (*tests, *(() if node.where is None else (node.where,))):
            where = ast.And(where, test)
        return replace(node, path=(replace(step, predicates=()),), position=position, where=where)
