"""Replace a step to descendants by child steps, if the schema allows only one path to them.

    { for $x in $y//a return β }     →     { for $x in $y/b/c/a return β }

Gain:   each step becomes a scope of the stream, so the plan knows that elements which the schema puts before an a, such
        as a header, have passed.
Needs:  a schema in which exactly one sequence of names leads from $y to elements of that name, without repetition, and
        which declares the content of every element on the path.
Safe:   on valid documents both paths select the same nodes in document order. Positions count below one parent in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xylem.plan.flux import Flux, For, Step
from xylem.plan.needs import element_names
from xylem.plan.symbols import ANY, may_be
from xylem.schema.constraints import ElementConstraints
from xylem.schema.symbols import symbol
from xylem.syntax import ast

from .rule import Facts, Rule

MOST_STEPS = 12
"""Longer paths are not searched."""


class ExpandDescendant(Rule):
    name = "expand_descendant"

    def apply(self, node: Flux, facts: Facts) -> Flux:
        if not isinstance(node, For) or node.window is not None or node.outermost:
            return node
        first = node.path[0]
        uri, local = element_names(first)
        here = facts.types.get(node.source)
        if first.axis != "descendant" or local is None or here is None:
            return node
        way = _only_way(here, uri, local)
        if way is None:
            return node
        *through, last = way
        steps = [_step(name, uri) for name in through]
        return replace(node, path=(*steps, replace(first, axis="child", name=_step(last, uri).name), *node.path[1:]))


def _step(name: str, wanted: str | None) -> Step:
    """A step of the expanded path. Names from a DTD, which knows no namespaces, take the namespace of the query."""
    found = symbol(name)
    local = found.local or name
    uri = wanted if found.uri is None else found.uri
    test: ast.NodeTest = ast.Wildcard(local=local) if uri is None else ast.NameTest(ast.Name(local, None, uri))
    return Step(local, "child", test)


class _Unknown(Exception):
    """Some element on the way may contain anything, or itself."""


def _only_way(here: ElementConstraints, uri: str | None, local: str) -> list[str] | None:
    """The only sequence of names that leads to elements of a name, inclusive; None unless there is exactly one."""
    try:
        ways = _ways(here, uri, local, ())
        first = next(ways, None)
        return first if first is not None and next(ways, None) is None else None
    except _Unknown:
        return None


def _ways(
    here: ElementConstraints, uri: str | None, local: str, open_: tuple[ElementConstraints, ...]
) -> Iterator[list[str]]:
    if here in open_ or len(open_) > MOST_STEPS:
        raise _Unknown
    for name in sorted(here.elements):
        if name == ANY:
            raise _Unknown
        if may_be(name, uri, local):
            yield [name]
        below = here.child(name)
        if below is None:
            raise _Unknown
        for way in _ways(below, uri, local, (*open_, here)):
            yield [name, *way]
