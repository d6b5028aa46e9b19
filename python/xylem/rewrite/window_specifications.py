"""Facts about data windows on paths (thesis §3.8.2)."""

from __future__ import annotations

from xylem.syntax import ast


def is_simple_window(window: ast.DataWindow) -> bool:
    """Whether windows are counted and share no item (Def. 3.8.16): each item can be processed as it passes."""
    if window.kind != "count":
        return False
    if window.step is None:
        return True
    size, step = window.size, window.step
    return isinstance(size, ast.IntegerLiteral) and isinstance(step, ast.IntegerLiteral) and size.value <= step.value
