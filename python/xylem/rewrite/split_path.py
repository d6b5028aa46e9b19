"""Turn a loop over a path of several steps into nested loops of one step each.

    { for $x in $y/a/π return β }     →     { for $x0 in $y/a return { for $x in $x0/π return β } }

Gain:   each step becomes a scope of the stream, with its own order and its own buffers.
Needs:  matches of the first step never nest: a child step, or a descendant step for which the schema proves it. No
        position variable, which counts over the whole path, unless the first step has at most one match. No window.
Safe:   if the matches of the first step do not nest, the loops bind their descendants in document order, and none
        twice.
Not for `//a/b` without such a schema: with an a in an a, the loops would return the b's of the outer one first.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import ROOT, Flux, For, Step
from xylem.plan.needs import element_names
from xylem.plan.symbols import LEAVES, may_contain, reached_type, step_symbol
from xylem.syntax import ast

from .rule import Facts, Rule


class SplitPath(Rule):
    name = "split_path"
    thesis = "Single-Step-For"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, For) or len(node.path) < 2 or node.window is not None:
            return node
        first, *rest = node.path
        if _may_nest(first, node.source, facts):
            return node
        if node.position is not None and not is_at_most_once(first, node.source, facts):
            return node
        bound = facts.names.invent(first.name)
        return For(bound, node.source, (first,), replace(node, source=bound, path=tuple(rest)))


def _may_nest(step: Step, source: str, facts: Facts) -> bool:
    if step.axis != "descendant":
        return False
    uri, local = element_names(step)
    if local is None:
        return True
    return may_contain(reached_type(step, facts.types.get(source), facts.schema), local, uri)


def is_at_most_once(step: Step, source: str, facts: Facts) -> bool:
    """Whether a step has at most one match below the variable."""
    if step.axis == "descendant" or step.name in LEAVES:
        return False
    if step.axis == "attribute" and not isinstance(step.test, ast.Wildcard):
        return True
    if step.axis == "child" and (source == ROOT or isinstance(next(iter(step.predicates), None), ast.IntegerLiteral)):
        # A document has one element; a position picks one.
        return True
    name = step_symbol(step)
    found = facts.types.get(source)
    return step.axis == "child" and name is not None and found is not None and found.at_most_once(name)
