"""Expressions that start at a node which changes with a loop, but is often the same from turn to turn: the anchor.

    $x/ancestor::site//person[@id = $x/@ref]     →    let $from := $x/ancestor::site
                                                      for join $p in $from//person by $p/@id = $x/@ref return $p
    $x/price = max($x/../item/price)             →    $x/price = (let $from := $x/.. return max($from/item/price))

Gain:   the results from each anchor node are indexed or computed once (run/runtime/anchored_values.py).
Needs:  paths that go up, or to the root, from a node and then down again, all from the same node; or one that goes far
        down from a function's parameter, which is usually the same document.
Safe:   the entry for a node holds the results of paths from that node. Several nodes form one anchor.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xylem.analysis.ast_replacement import with_values
from xylem.analysis.bound_names import bound_in
from xylem.analysis.facts.standard_calls import argument_of, is_call
from xylem.analysis.free_variables import free_in
from xylem.syntax import ast

from .surroundings import Surroundings


def at_anchor(expr: ast.Expr, around: Surroundings, name: ast.Name) -> tuple[ast.LetClause, ast.Expr] | None:
    """The anchor of an expression, under a name, and the expression rewritten to start there."""
    seen = _FromAnchor(around, name)
    made = seen.visit(expr)
    if seen.anchor is None:
        return None
    if free_in(seen.anchor) & bound_in(expr):
        return None
    return ast.LetClause(name, None, seen.anchor, span=seen.anchor.span), made


class _FromAnchor:
    """Lets the paths of an expression start at a variable instead of at the node where the first of them starts."""

    def __init__(self, around: Surroundings, name: ast.Name) -> None:
        self.around = around
        self.name = name
        self.anchor: ast.Expr | None = None

    def visit(self, node: Any) -> Any:
        if isinstance(node, tuple):
            made = tuple(self.visit(one) if isinstance(one, (ast.Node, tuple)) else one for one in node)
            return node if all(a is b for a, b in zip(node, made, strict=True)) else made
        match node:
            case ast.Path(right=ast.AxisStep()):
                return self._path(node)
            # After a path, and in a predicate, the context item is another one.
            case ast.Path(left=inner) | ast.SimpleMap(left=inner):
                made = self.visit(inner)
                return node if made is inner else replace(node, left=made)
            case ast.Filter(base=inner):
                made = self.visit(inner)
                return node if made is inner else replace(node, base=made)
            case ast.AxisStep() | ast.InlineFunction():
                return node
        return with_values(node, self.visit)

    def _path(self, path: ast.Path) -> ast.Expr:
        steps: list[ast.Path] = []
        start: ast.Expr = path
        while (
            isinstance(start, ast.Path)
            and isinstance(start.right, ast.AxisStep)
            and start.right.axis not in ast.UPWARDS
        ):
            steps.append(start)
            start = start.left
        if not steps:
            return path
        is_deep = self.around.depth_of(start) >= self.around.depth
        if is_deep and self.anchor in (None, start) and _is_shared(start, steps, self.around):
            self.anchor = start
            found: ast.Expr = ast.VarRef(self.name, span=start.span)
        else:
            found = self.visit(start)
            if found is start:
                return path
        for step in reversed(steps):
            found = ast.Path(found, step.right, span=step.span)
        return found


def _is_shared(start: ast.Expr, steps: list[ast.Path], around: Surroundings) -> bool:
    """Whether the start of a path is likely to be the same node in many iterations."""
    match start:
        case ast.AxisStep(axis=axis) | ast.Path(right=ast.AxisStep(axis=axis)):
            return axis in ast.UPWARDS
        case ast.Path(right=call) | call if is_call(call, "root") or argument_of(call, "root") is not None:
            return True
        case ast.VarRef(name=name):
            axes = [step.right.axis for step in steps if isinstance(step.right, ast.AxisStep)]
            goes_far = len(axes) > 1 or any(axis.startswith("descendant") for axis in axes)
            return name.expanded in around.parameters and goes_far
    return False
