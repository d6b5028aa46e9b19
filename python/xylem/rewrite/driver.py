"""Apply rules until none of them changes anything: top down, in their order, at each node until it stays the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from xylem.plan.flux import Flux
from xylem.plan.flux_plan import Applied

from .rule import Facts, Rule, children_of, with_children

MAX_CHANGES = 100_000
"""Far more than any query needs: a rule that never stops is a bug."""


Observer = Callable[[Applied], None]


def silent(applied: Applied) -> None:
    """Observe nothing."""


def apply_rules(
    body: Flux, rules: Sequence[Rule], facts: Facts, observe: Observer = silent, without: Collection[str] = ()
) -> Flux:
    """The expression in which no rule applies any more; rules named in `without` are left out."""
    return _Run([rule for rule in rules if rule.name not in without], observe).rest(body, facts)


class _Run:
    def __init__(self, rules: Sequence[Rule], observe: Observer) -> None:
        self.rules = rules
        self.observe = observe
        self.changes = 0

    def rest(self, node: Flux, facts: Facts) -> Flux:
        """The node after its last change. A change inside may enable a rule outside, so the node is looked at again."""
        while True:
            node = self._here(node, facts)
            inner = facts.inside(node)
            children = tuple(self.rest(child, inner) for child in children_of(node))
            made = with_children(node, children)
            if made is node:
                return node
            node = made
            if self._here(node, facts, once=True) is node:
                return node

    def _here(self, node: Flux, facts: Facts, once: bool = False) -> Flux:
        changed = True
        while changed:
            changed = False
            for rule in self.rules:
                made = rule.apply(node, facts)
                if made is node:
                    continue
                if once:
                    return made
                self._note(rule, node, made)
                node, changed = made, True
        return node

    def _note(self, rule: Rule, before: Flux, after: Flux) -> None:
        self.changes += 1
        if self.changes > MAX_CHANGES:
            raise RuntimeError(f"{rule.name} never rests")
        self.observe(Applied(rule.name, before, after))
