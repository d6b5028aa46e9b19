"""Where a path can be cut, so that its first part is followed on the stream and the rest is local to each match.

    π/ρ     =     for $x in π return $x/ρ

The matches of π must not nest and ρ must stay below them: then the results come in the order of their $x. Positions
in ρ are those of its own steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import StreamablePath, streamable_path
from xylem.syntax import ast

Rest = Callable[[ast.Expr], ast.Expr]
"""Gives the rest of the path, from an expression for its start."""

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
        if rest and all(is_local(part, streams) for part in rest):
            found = streamable_path(expr, streams)
            if found is not None and found.steps and all(step.axis == "child" for step in found.steps):
                yield found, path_from(rest)
        parts.append(expr.right)
        expr = expr.left


def split_start(expr: ast.Expr) -> tuple[ast.Expr, list[ast.Expr]]:
    """The start of a path, and its parts."""
    parts: list[ast.Expr] = []
    while isinstance(expr, ast.Path):
        parts.append(expr.right)
        expr = expr.left
    return expr, parts[::-1]


def is_local(part: ast.Expr, streams: Collection[str]) -> bool:
    """Whether a part gives only what is below its focus, and does not ask how many there are beside it."""
    for node in part.walk():
        if isinstance(node, _CONSTRUCTORS) or (isinstance(node, ast.VarRef) and node.name.local in streams):
            return False
    return isinstance(part, ast.AxisStep) or not uses_position(part)


def path_from(rest: Sequence[ast.Expr]) -> Rest:
    """The parts of a path, from whatever start."""

    def made(start: ast.Expr) -> ast.Expr:
        for part in rest:
            start = ast.Path(start, part, span=part.span)
        return start

    return made
