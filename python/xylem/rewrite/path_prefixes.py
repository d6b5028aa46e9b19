"""Find the places where a path can be cut, so that the scan follows the first part and the rest is local to each match.

    π/ρ     =     for $x in π return $x/ρ

The matches of π must not nest and ρ must stay below them: then the results come in the order of their $x. Positions
in ρ count within its own steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from xylem.analysis.facts.nodes_of_focus import comes_from_focus
from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import StreamablePath, is_counting, is_descend, streamable_path
from xylem.syntax import ast

Rest = Callable[[ast.Expr], ast.Expr]
"""Returns the rest of the path, given an expression for its start."""

_CONSTRUCTORS = (
    ast.DirectElement,
    ast.DirectComment,
    ast.DirectPI,
    ast.ComputedDocument,
    ast.ComputedElement,
    ast.ComputedAttribute,
    ast.ComputedNamespace,
    ast.ComputedText,
    ast.ComputedComment,
    ast.ComputedPI,
)


def cut_paths(expr: ast.Expr, streams: Collection[str]) -> Iterator[tuple[StreamablePath, Rest]]:
    """The ways to cut a path, with the longest first part first."""
    parts: list[ast.Expr] = []
    while isinstance(expr, ast.Path):
        rest = list(reversed(parts))
        if rest and all(is_local(part, streams) for part in rest) and stays_inside(rest):
            found = streamable_path(expr, streams)
            if found is not None and found.steps and all(step.axis == "child" for step in found.steps):
                yield found, path_from(rest)
        parts.append(expr.right)
        expr = expr.left


def nesting_paths(
    expr: ast.Expr, streams: Collection[str], *, whole: bool = False
) -> Iterator[tuple[StreamablePath, Rest]]:
    """The ways to cut a path at a descendant step by name, whose matches may nest; longest first part first.

    With `whole`, the rest may be empty.
    """
    parts: list[ast.Expr] = []
    while isinstance(expr, ast.Path):
        rest = list(reversed(parts))
        can_be_cut = (rest or whole) and not is_descend(expr.right)
        if can_be_cut and all(is_local(part, streams) for part in rest) and stays_inside(rest):
            found = streamable_path(expr, streams)
            if found is not None and found.steps and _is_named_descendant(found.steps):
                yield found, path_from(rest)
        parts.append(expr.right)
        expr = expr.left


def _is_named_descendant(steps: tuple[ast.AxisStep, ...]) -> bool:
    *before, last = steps
    if last.axis != "descendant" or not isinstance(last.test, ast.NameTest) or any(map(is_counting, last.predicates)):
        return False
    return all(step.axis == "child" for step in before)


def split_start(expr: ast.Expr) -> tuple[ast.Expr, list[ast.Expr]]:
    """The start of a path, and its parts."""
    parts: list[ast.Expr] = []
    while isinstance(expr, ast.Path):
        parts.append(expr.right)
        expr = expr.left
    return expr, parts[::-1]


def is_local(part: ast.Expr, streams: Collection[str]) -> bool:
    """Whether a part selects only nodes that steps reach from its focus, and does not read the size of the focus."""
    for node in part.walk():
        if isinstance(node, _CONSTRUCTORS) or (isinstance(node, ast.VarRef) and node.name.local in streams):
            return False
    return isinstance(part, ast.AxisStep) or (not uses_position(part) and comes_from_focus(part))


def stays_inside(rest: Sequence[ast.Expr]) -> bool:
    """Whether no part leaves its start node, so that two such nodes never lead to the same node."""
    level = 0
    for part in rest:
        if not isinstance(part, ast.AxisStep):
            if any(isinstance(node, ast.AxisStep) and node.axis not in _DOWN for node in part.walk()):
                return False
            continue
        if any(isinstance(n, ast.AxisStep) and n.axis not in _DOWN for p in part.predicates for n in p.walk()):
            return False
        match part.axis:
            case "child" | "attribute" | "descendant":
                level += 1
            case "parent" if level:
                level -= 1
            case "preceding-sibling" | "following-sibling" if level:
                pass
            case "self" | "descendant-or-self":
                pass
            case _:
                return False
    return True


_DOWN = {"child", "attribute", "descendant", "descendant-or-self", "self"}


def path_from(rest: Sequence[ast.Expr]) -> Rest:
    """The parts of a path from any start."""

    def made(start: ast.Expr) -> ast.Expr:
        for part in rest:
            start = ast.Path(start, part, span=part.span)
        return start

    return made
