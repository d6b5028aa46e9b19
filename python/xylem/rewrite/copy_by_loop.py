"""Write a path as a loop that copies each node.

    { $y/π }     →     { for $x in $y/π return { $x } }

Gain:   none alone; later rules then treat copies and loops on the stream in the same way.
Needs:  a path with at least one step: `{ $y }` stays.
Safe:   a path returns its nodes in document order and once each, as the loop binds them.
"""

from __future__ import annotations

from xylem.plan.flux import Copy, Flux, For

from .rule import Facts, Rule


class CopyByLoop(Rule):
    name = "copy_by_loop"
    thesis = "Only-For"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, Copy) or not node.path:
            return node
        bound = facts.names.invent(node.path[-1].name)
        return For(bound, node.variable, node.path, Copy(bound))
