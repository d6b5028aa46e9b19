"""Move a condition into the loop it guards.

    { if (χ) then { for $x in $y/π return α } }     →     { for $x in $y/π return { if (χ) then α } }

Gain:   the loop can run on the stream before the condition is decided.
Needs:  nothing: χ cannot mention $x, whose name is used nowhere else.
Safe:   if χ is false, every iteration is empty. An error in χ is raised only if there is an iteration, which is allowed
        (XQuery 3.1 §2.3.4). χ is still evaluated only once.
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
