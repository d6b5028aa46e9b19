"""Collections that start at a node which changes with a loop, yet is the same at many of its turns: the anchor.

    $x/ancestor::site//person[@id = $x/@ref]     →    let $from := $x/ancestor::site
                                                      for join $p in $from//person by $p/@id = $x/@ref return $p

Gain:   the collection of each node that the anchor holds is indexed once (run/runtime/anchored_indexes.py).
Needs:  a path that goes up, or to the root, from a node and then down again; or one that goes far down from a parameter
        of a function, which is mostly called with the same document.
Safe:   the index of a node has what the path finds from that node. Of no node, or of several, none is kept.
"""

from __future__ import annotations

from xylem.analysis.facts.standard_calls import is_call
from xylem.syntax import ast

from .surroundings import Surroundings

UPWARDS = frozenset({"parent", "ancestor", "ancestor-or-self"})


def at_anchor(collection: ast.Expr, around: Surroundings, name: ast.Name) -> tuple[ast.LetClause, ast.Expr] | None:
    """The anchor of a collection, under a name, and the collection seen from there."""
    steps: list[ast.Path] = []
    path = collection
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep) and path.right.axis not in UPWARDS:
        steps.append(path)
        path = path.left
    if not steps or around.depth_of(path) < around.depth or not _is_shared(path, steps, around):
        return None
    found: ast.Expr = ast.VarRef(name, span=path.span)
    for step in reversed(steps):
        found = ast.Path(found, step.right, span=step.span)
    return ast.LetClause(name, None, path, span=path.span), found


def _is_shared(start: ast.Expr, steps: list[ast.Path], around: Surroundings) -> bool:
    """Whether the start of a path is likely to be the same node in many iterations."""
    match start:
        case ast.AxisStep(axis=axis) | ast.Path(right=ast.AxisStep(axis=axis)):
            return axis in UPWARDS
        case ast.Path(right=call) | call if is_call(call, "root"):
            return True
        case ast.VarRef(name=name):
            axes = [step.right.axis for step in steps if isinstance(step.right, ast.AxisStep)]
            goes_far = len(axes) > 1 or any(axis.startswith("descendant") for axis in axes)
            return name.expanded in around.parameters and goes_far
    return False
