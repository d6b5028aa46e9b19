"""Merge two loops over the same single element.

    { for $x in $z/a return α } { for $y in $z/a return β }     →     { for $x in $z/a return α β[$y → $x] }

Gain:   one loop reads the element from the stream; without this rule, the second loop would need a buffer of it.
Needs:  $z has at most one child a: the schema says so, or $z is the document.
Safe:   with at most one iteration, the order of the output stays: all of α, then all of β.
Not for two or more: the β of the first a would come before the α of the second.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import Flux, For, Sequence

from .flux_replacement import rename
from .rule import Facts, Rule
from .split_path import is_at_most_once


class MergeLoops(Rule):
    name = "merge_loops"
    thesis = "Merge1"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, Sequence):
            return node
        for index, (first, second) in enumerate(zip(node.parts, node.parts[1:], strict=False)):
            if isinstance(first, For) and isinstance(second, For) and are_over_one(first, second, facts):
                merged = merge(first, (), second)
                return Sequence((*node.parts[:index], merged, *node.parts[index + 2 :]))
        return node


def are_over_one(first: For, second: For, facts: Facts) -> bool:
    """Whether two loops range over the same step, which has at most one match."""
    if (first.source, first.path) != (second.source, second.path) or len(first.path) != 1:
        return False
    for loop in (first, second):
        if loop.window is not None or loop.position is not None or loop.where is not None or loop.outermost:
            return False
    return is_at_most_once(first.path[0], first.source, facts)


def merge(first: For, between: tuple[Flux, ...], second: For) -> For:
    """One loop with both bodies."""
    rest = rename(second.body, second.variable, first.variable)
    return replace(first, body=Sequence((first.body, *between, rest)))
