"""Replace parts of an expression that satisfy a test, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from xylem.syntax import ast

N = TypeVar("N", bound=ast.Node)
Replace = Callable[[ast.Node], ast.Node | None]


def replaced(node: N, by: Replace) -> N:
    """The node with `by(part)` for each part where that is not None, outermost first; the same object if none."""
    return cast(N, _value(node, by))


def _value(value: Any, by: Replace) -> Any:
    if isinstance(value, ast.Node):
        made = by(value)
        return made if made is not None else _rebuilt(value, by)
    if type(value) is tuple and value:
        members = tuple(_value(member, by) for member in value)
        return value if all(a is b for a, b in zip(value, members, strict=True)) else members
    return value


def _rebuilt(node: ast.Node, by: Replace) -> ast.Node:
    return with_values(node, lambda value: _value(value, by))


def with_values(node: N, change: Callable[[Any], Any]) -> N:
    """The node with its child nodes and tuples changed separately; the very same object if none changed."""
    changed = {}
    state = node.__dict__
    for name in node._compared:
        old = state[name]
        if isinstance(old, (ast.Node, tuple)):
            made = change(old)
            if made is not old:
                changed[name] = made
    return replace(node, **changed) if changed else node
