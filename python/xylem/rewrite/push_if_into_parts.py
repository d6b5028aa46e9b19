"""Give each part of a sequence the condition of the whole.

    { if (χ) then α β }     →     { if (χ) then α } { if (χ) then β }

Gain:   each part can be written early, without waiting for the parts after it.
Needs:  nothing.
Safe:   χ has one value for all parts; it is computed once (thesis §3.7.2.3).
"""

from __future__ import annotations

from xylem.plan.flux import Flux, If, Sequence

from .rule import Facts, Rule


class PushIfIntoParts(Rule):
    name = "push_if_into_parts"
    thesis = "Pushdown-If-2"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, If) or not isinstance(node.body, Sequence):
            return node
        return Sequence(tuple(If(node.condition, part) for part in node.body.parts))
