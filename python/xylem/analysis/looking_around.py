"""Whether an expression reads ancestors and siblings of its nodes."""

from __future__ import annotations

from collections.abc import Iterable

from xylem.analysis.projection import ExpandedName, NotProjectable, Projection, project
from xylem.syntax import ast


def looks_beyond(
    expression: ast.Expr, names: Iterable[str], *, is_result: bool = False, may_wait: bool = False
) -> bool:
    """Whether an expression needs more of its nodes' ancestors than names and attributes of open elements.

    Those are known while an element is open: nothing else is. An item that may wait for the end of any ancestor can
    have children of it. Values of these may be part of a result, which is then as long as what is kept for it.
    """
    found = {("", name): Projection() for name in names}
    try:
        project(expression, found)
    except NotProjectable:
        return True
    return any(
        one.looks_above or (one.looks_at_values and not is_result) or (one.looks_far and not may_wait)
        for one in found.values()
    )


def looks_beside(expression: ast.Expr, name: ExpandedName) -> bool:
    """Whether an expression reads siblings of a variable's node, or other content of its parent."""
    found = Projection()
    try:
        project(expression, {name: found})
    except NotProjectable:
        return True
    return found.above is not None and (bool(found.above.siblings) or found.looks_above)


def looks_behind(expression: ast.Expr, name: ExpandedName) -> bool:
    """Whether an expression reads siblings of a variable's node, or of its ancestors, that may come after it."""
    found = Projection()
    try:
        project(expression, {name: found})
    except NotProjectable:
        return False
    return found.looks_behind


def looks_far(expression: ast.Expr, name: ExpandedName) -> bool:
    """Whether an expression reads children of an ancestor of a variable's node further up than its parent."""
    found = Projection()
    try:
        project(expression, {name: found})
    except NotProjectable:
        return False
    return found.looks_far
