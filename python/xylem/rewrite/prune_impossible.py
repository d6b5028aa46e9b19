"""Remove expressions that no valid document can reach.

    α     →     ε

    for $book in $bib/book return { if ($book/author = "Hull" and $book/editor = "Vianu") then { $book } }   →   ε

Gain:   nothing is read, compared or buffered for it; a path with a typing error is answered at once.
Needs:  a schema, and a variable $x such that no content the schema allows for $x has all children that the loops and
        conditions from here outwards require, and none that they exclude.
Safe:   on valid documents the body is never reached. If documents may be invalid, no schema should be given.
"""

from __future__ import annotations

from collections import defaultdict

from xylem.plan.flux import EMPTY, Flux, For, If

from .required_children import Requirement, is_possible, required_by
from .rule import Facts, Rule


class PruneImpossible(Rule):
    name = "prune_impossible"
    thesis = "DTD-Impl"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if facts.schema is None or not isinstance(node, (For, If)):
            return node
        alternatives = required_by((*facts.above, node))
        return node if any(_is_possible(one, facts) for one in alternatives) else EMPTY


def _is_possible(requirement: Requirement, facts: Facts) -> bool:
    present: dict[str, set[str]] = defaultdict(set)
    absent: dict[str, set[str]] = defaultdict(set)
    for variable, symbol in requirement.present:
        present[variable].add(symbol)
    for variable, symbol in requirement.absent:
        absent[variable].add(symbol)
    for variable in present.keys() | absent.keys():
        known = facts.types.get(variable)
        if known is not None and not is_possible(present[variable], absent[variable], known):
            return False
    return True
