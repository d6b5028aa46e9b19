"""Make the condition of a loop a condition of its body.

    { for $x in $y/π where χ return β }     →     { for $x in $y/π return { if (χ) then β } }

Gain:   none alone; all conditions are then `if`, and other rules can move them.
Needs:  nothing; a position variable counts before `where`, as it does inside.
Safe:   `where` drops the tuples for which the body would now be empty (XQuery 3.1 §3.12.3).
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import Flux, For, If

from .rule import Facts, Rule


class EliminateWhere(Rule):
    name = "eliminate_where"
    thesis = "Elim-Where"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        return without_where(node) if isinstance(node, For) else node


def without_where(loop: For) -> For:
    return loop if loop.where is None else replace(loop, where=None, body=If(loop.where, loop.body))
