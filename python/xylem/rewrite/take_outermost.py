"""For a path whose matches may nest, scan for the outermost matches and evaluate the inner ones in their buffer.

    on //part[p]/price as $x return β
    →   on outermost //part as $o return { for $x in $o/descendant-or-self::part[p]/price return β }

Gain:   the buffer holds one part at a time, with the parts inside it. Without this rule, nodes inside a part would wait
        for the test of that part while it is open, and results of nested parts would not come in document order.
Needs:  the tested step has a name, and no step between the last `//` and it has the same name; no positional predicate
        up to that step, and no position variable.
Safe:   every match is an outermost match or inside one, and below an outermost match `$o` the path selects just
        `$o//…`, since the ancestors of `$o` are ancestors of these nodes, too. Outermost matches do not overlap and
        come in document order; inside each, the evaluator gives document order.
Not for `//*[p]/a`: the outermost match would be the document's element.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Protocol

from xylem.analysis.streamable_paths import is_counting
from xylem.plan.flux import Flux, For, Leaf, Step
from xylem.plan.flux_expression import as_expression, path_expression, step_expression
from xylem.plan.needs import element_names, node_test
from xylem.plan.symbols import TEXT
from xylem.syntax import ast

from .substitution import variable


class Outermost(NamedTuple):
    """A handler for outermost matches: the path to them, their variable, and the expression for each."""

    path: tuple[Step, ...]
    variable: str
    body: Flux


class Inventor(Protocol):
    """Invents names."""

    def invent(self, like: str) -> str: ...


def take_outermost(loop: For, names: Inventor) -> Outermost | None:
    """The loop by outermost matches; None if its matches do not nest, or it cannot be cut this way."""
    at = next((i for i, step in enumerate(loop.path) if step.predicates), None)
    if loop.path[-1].name == TEXT:
        # Text of an outer match may come after an inner one, tested or not.
        at = next((i for i, step in enumerate(loop.path) if step.axis == "descendant"), None)
    if at is None or loop.position is not None or not any(step.axis == "descendant" for step in loop.path[: at + 1]):
        return None
    first = max(i for i, step in enumerate(loop.path[: at + 1]) if step.axis == "descendant")
    tested = loop.path[at]
    named = [element_names(step)[1] for step in loop.path[first : at + 1]]
    if None in named or named[-1] in named[:-1] or any(map(is_counting, tested.predicates)):
        return None
    body = as_expression(loop.body)
    if body is None:
        return None
    bound = names.invent(tested.name)
    found = _inside(bound, loop.path[first:at], tested)
    for step in loop.path[at + 1 :]:
        found = step_expression(found, step)
    clause = ast.ForClause(variable(loop.variable).name, None, found)
    whole = found if body == variable(loop.variable) else ast.Flwor((clause,), body)
    return Outermost((*loop.path[:at], replace(tested, predicates=())), bound, Leaf(whole))


def _inside(bound: str, before: tuple[Step, ...], tested: Step) -> ast.Expr:
    """The matches at or below an outermost one that pass the test."""
    if not before:
        step = ast.AxisStep("descendant-or-self", node_test(tested), tested.predicates)
        return ast.Path(variable(bound), step)
    below = path_expression(bound, (*before, replace(tested, predicates=())))
    found: ast.Expr = ast.SetOperation("union", variable(bound), below)
    for predicate in tested.predicates:
        found = ast.Filter(found, predicate)
    return found
