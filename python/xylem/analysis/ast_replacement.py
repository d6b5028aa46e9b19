"""Replace parts of an expression that satisfy a test, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar, cast

from xylem.syntax import ast
from xylem.syntax.ast.facts import kinds_in

N = TypeVar("N", bound=ast.Node)
Replace = Callable[[ast.Node], ast.Node | None]


def replaced(node: N, by: Replace, among: Collection[type[ast.Node]] = ()) -> N:
    """The node with `by(part)` for each part where that is not None, outermost first; the same object if none.

    With `among`, only parts of these classes are asked about, and those without any are left out at once.
    """
    return cast(N, _among(node, by, frozenset(among)) if among else _value(node, by))


def _among(value: Any, by: Replace, kinds: frozenset[type[ast.Node]]) -> Any:
    if isinstance(value, ast.Node):
        if kinds.isdisjoint(kinds_in(value)):
            return value
        made = by(value) if type(value) in kinds else None
        return made if made is not None else with_values(value, lambda part: _among(part, by, kinds))
    if type(value) is tuple and value:
        members = tuple(_among(member, by, kinds) for member in value)
        return value if all(a is b for a, b in zip(value, members, strict=True)) else members
    return value


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


def with_fields(node: N, **values: Any) -> N:
    """The node with other values of fields; the very same object if they are those that it has."""
    changed = {name: value for name, value in values.items() if not _is_same(getattr(node, name), value)}
    return replace(node, **changed) if changed else node


def _is_same(old: object, new: object) -> bool:
    if isinstance(old, tuple) and isinstance(new, tuple):
        return len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
    return old is new


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
