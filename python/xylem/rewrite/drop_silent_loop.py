"""Drop a loop without output.

    { for $x in $y/a return ε }     →     ε

Gain:   the scan does not follow its path.
Needs:  nothing.
Safe:   a path raises no error.
"""

from __future__ import annotations

from xylem.plan.flux import EMPTY, Flux, For

from .rule import Facts, Rule


class DropSilentLoop(Rule):
    name = "drop_silent_loop"
    thesis = "Silent-For"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        return EMPTY if isinstance(node, For) and node.body == EMPTY and node.where is None else node
