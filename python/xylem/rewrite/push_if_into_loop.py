"""Move a condition into the loop it guards.

    { if (χ) then { for $x in $y/π return α } }     →     { for $x in $y/π return { if (χ) then α } }

Gain:   the loop can be followed on the stream before the condition is decided.
Needs:  nothing: χ cannot mention $x, whose name is used nowhere else.
Safe:   where χ is false, all rounds of the loop give nothing. An error in χ shows only if there is a round: allowed
        (XQuery 3.1 §2.3.4). The value of χ is computed once all the same.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import Flux, For, If

from .rule import Facts, Rule


class PushIfIntoLoop(Rule):
    name = "push_if_into_loop"
    thesis = "Pushdown-If-1"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, If) or not isinstance(node.body, For):
            return node
        return replace(node.body, body=If(node.condition, node.body.body))
