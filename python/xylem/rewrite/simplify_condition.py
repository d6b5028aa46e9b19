"""Replace parts of a condition that the schema decides by constants.

    { if (χ) then β }     →     { if (simpl(χ)) then β }

Gain:   a condition on a path that never or always occurs reads nothing.
Needs:  a schema; a negation applies to an atomic condition, or the rule moves it there.
Safe:   on valid documents both conditions have the same truth value. A comparison with the empty sequence is false, and
        errors of the other operand are then not raised, which is allowed (XQuery 3.1 §2.3.4).
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
