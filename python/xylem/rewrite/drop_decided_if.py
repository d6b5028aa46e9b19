"""Drop a condition that is a constant.

    { if (fn:true()) then β }     →     β
    { if (fn:false()) then β }     →     ε

Gain:   the body no longer waits for anything.
Needs:  nothing.
Safe:   by the meaning of `if`.
"""

from __future__ import annotations

from xylem.plan.flux import EMPTY, Flux, If

from .condition_simplification import is_constant
from .rule import Facts, Rule


class DropDecidedIf(Rule):
    name = "drop_decided_if"
    thesis = "Sat-If, Unsat-If"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, If):
            return node
        if is_constant(node.condition, True):
            return node.body
        return EMPTY if is_constant(node.condition, False) or node.body == EMPTY else node
