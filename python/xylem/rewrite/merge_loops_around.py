"""Merge two loops over the same single element, with the output between them.

    { for $x in $z/a return α } s { for $y in $z/a return β }     →     { for $x in $z/a return α s β[$y → $x] }

Gain:   like merge_loops: one loop reads the element from the stream.
Needs:  $z has exactly one child a, or s would be lost; s consists of fixed strings, with or without a condition.
Safe:   with one iteration the order of the output stays.
"""

from __future__ import annotations

from xylem.plan.flux import Fixed, Flux, For, If, Sequence
from xylem.plan.symbols import step_symbol

from .merge_loops import are_over_one, merge
from .rule import Facts, Rule


class MergeLoopsAround(Rule):
    name = "merge_loops_around"
    thesis = "Merge2"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, Sequence):
            return node
        for start, first in enumerate(node.parts):
            if not isinstance(first, For):
                continue
            end = start + 1
            while end < len(node.parts) and _is_fixed(node.parts[end]):
                end += 1
            second = node.parts[end] if end < len(node.parts) else None
            if end == start + 1 or not isinstance(second, For):
                continue
            if are_over_one(first, second, facts) and _is_exactly_once(first, facts):
                merged = merge(first, node.parts[start + 1 : end], second)
                return Sequence((*node.parts[:start], merged, *node.parts[end + 1 :]))
        return node


def _is_fixed(part: Flux) -> bool:
    return isinstance(part.body if isinstance(part, If) else part, Fixed)


def _is_exactly_once(loop: For, facts: Facts) -> bool:
    if len(loop.path) != 1 or loop.path[0].axis != "child" or loop.path[0].predicates:
        return False
    name = step_symbol(loop.path[0])
    known = facts.types.get(loop.source)
    return name is not None and known is not None and known.exactly_once(name)
