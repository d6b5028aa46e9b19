"""Read the element of a loop by its variable, not by its path again.

    { for $x in $z/a return … $z/a/π … { for $y in $z/a return β } … }
    →   { for $x in $z/a return … $x/π … β[$y → $x] … }

Gain:   a buffer of $z, kept until all of its a's had passed, becomes a local buffer of $x.
Needs:  $z has at most one child a: the schema says so, or $z is the document.
Safe:   inside the loop $x is the only a of $z, so `$z/a` selects just that node.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import Flux, For

from .flux_replacement import shorten_paths
from .rule import Facts, Rule
from .split_path import is_at_most_once


class ShortenInnerPaths(Rule):
    name = "shorten_inner_paths"
    thesis = "Simplify"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, For) or len(node.path) != 1 or node.window is not None:
            return node
        step = node.path[0]
        if step.predicates or not is_at_most_once(step, node.source, facts):
            return node
        body = shorten_paths(node.body, node.source, step, node.variable)
        return node if body is node.body else replace(node, body=body)
