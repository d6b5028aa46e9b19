"""Split off the attribute step at the end of a path as an inner loop.

    { for $x in $y//a/@b return β }     →     { for $x0 in $y//a return { for $x in $x0/@b return β } }

Gain:   attributes are known when their element starts, so nothing is buffered, even if matches nest.
Needs:  no position variable, which would count over the whole path, and no window.
Safe:   attributes come right after their element, before anything below it, in document order; no two elements share
        one. So the loops bind the same nodes in the same order.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import Flux, For

from .rule import Facts, Rule


class SplitAttribute(Rule):
    name = "split_attribute"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, For) or len(node.path) < 2 or node.position is not None or node.window is not None:
            return node
        if node.path[-1].axis != "attribute":
            return node
        bound = facts.names.invent(node.path[-2].name)
        return For(bound, node.source, node.path[:-1], replace(node, source=bound, path=node.path[-1:]))
