"""Merge two nested conditions.

    { if (χ) then { if (ψ) then α } }     →     { if (χ and ψ) then α }

Gain:   one test per part.
Needs:  nothing.
Safe:   χ stands on the left and is tested first, so it still guards ψ against errors.
"""

from __future__ import annotations

from xylem.plan.flux import Flux, If
from xylem.syntax import ast

from .rule import Facts, Rule


class MergeIfs(Rule):
    name = "merge_ifs"
    thesis = "Merge-If"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, If) or not isinstance(node.body, If):
            return node
        return If(ast.And(node.condition, node.body.condition), node.body.body)
