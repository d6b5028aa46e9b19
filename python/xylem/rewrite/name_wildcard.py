"""Replace a wildcard by a name, if elements of only one name can match.

    { for $x in $y//*[location = "M"]/quantity return β }
    →   { for $x in $y//*:item[location = "M"]/quantity return β }       (only an item has a location)

Gain:   matches of one name seldom nest, so nested loops can follow the path step by step.
Needs:  a schema that declares every element, in which only one element has the children that the predicates and the
        next step select. No positional predicate: it would count elements of that name only.
Safe:   on valid documents other elements fail a predicate, or the next step finds nothing in them. The name matches in
        any namespace, as the wildcard did.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.streamable_paths import is_counting
from xylem.plan.flux import Flux, For, Step
from xylem.plan.symbols import step_symbol
from xylem.schema.constraints import Schema
from xylem.syntax import ast

from .required_children import is_possible, required_by_predicate
from .rule import Facts, Rule


class NameWildcard(Rule):
    name = "name_wildcard"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, For) or facts.schema is None or node.window is not None:
            return node
        names = _all_names(facts.schema)
        if names is None:
            return node
        for index, step in enumerate(node.path):
            if not _is_any_element(step) or any(map(is_counting, step.predicates)):
                continue
            meant = _meant(step, node.path[index + 1 : index + 2], facts.schema, names)
            if meant is not None:
                named = replace(step, name=f"*:{meant}", test=ast.Wildcard(local=meant))
                return replace(node, path=(*node.path[:index], named, *node.path[index + 1 :]))
        return node


def _all_names(schema: Schema) -> tuple[str, ...] | None:
    """The names of all elements; None if documents may have others."""
    if not getattr(schema, "is_closed", False):
        return None
    names: tuple[str, ...] | None = getattr(schema, "names", None)
    return names


def _is_any_element(step: Step) -> bool:
    test = step.test
    return step.axis != "attribute" and isinstance(test, ast.Wildcard) and test.local is None and test.uri is None


def _meant(step: Step, following: tuple[Step, ...], schema: Schema, names: tuple[str, ...]) -> str | None:
    wanted = {name for predicate in step.predicates for name in required_by_predicate(predicate)}
    for after in following:
        name = step_symbol(after)
        if after.axis == "child" and name is not None:
            wanted.add(name)
    if not wanted:
        return None
    fitting = []
    for name in names:
        constraints = schema.element(name)
        if constraints is None or is_possible(wanted, (), constraints):
            fitting.append(name)
    return fitting[0] if len(fitting) == 1 and schema.element(fitting[0]) is not None else None
