"""Decide what the schema decides in a condition.

    { if (χ) then β }     →     { if (simpl(χ)) then β }

Gain:   a condition on a path that cannot occur, or always does, needs nothing to be read.
Needs:  a schema; negation stands directly before an atomic condition, or is moved there.
Safe:   on valid documents both conditions have the same truth value. Comparisons with nothing are false, and errors
        that the other operand would raise are then not raised: allowed (XQuery 3.1 §2.3.4).
"""

from __future__ import annotations

from xylem.plan.flux import Flux, If

from .condition_simplification import simplified
from .rule import Facts, Rule


class SimplifyCondition(Rule):
    name = "simplify_condition"
    thesis = "Simplify-If"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, If):
            return node
        condition = simplified(node.condition, facts)
        return node if condition is node.condition or condition == node.condition else If(condition, node.body)
