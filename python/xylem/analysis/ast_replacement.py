"""Replace parts of an expression that satisfy a test, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from xylem.syntax import ast

N = TypeVar("N", bound=ast.Node)
Replace = Callable[[ast.Node], ast.Node | None]


def replaced(node: N, by: Replace) -> N:
    """The node with `by(part)` for each part for which that is not None, outermost first; the same if there is none."""
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
    changed = {}
    for entry in fields(node):
        if entry.name != "span":
            old = getattr(node, entry.name)
            made = _value(old, by)
            if made is not old:
                changed[entry.name] = made
    return replace(node, **changed) if changed else node
