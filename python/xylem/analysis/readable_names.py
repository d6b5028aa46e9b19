"""Names as a user writes them: resolved names without their namespaces, for display."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

from xylem.analysis.ast_replacement import with_values
from xylem.syntax import ast

N = TypeVar("N", bound=ast.Node)


def with_readable_names(node: N) -> N:
    """The same, with every name as written: `book`, `p:book`, `fn:count`."""
    return cast(N, _value(node))


def _value(value: Any) -> Any:
    if isinstance(value, ast.Name):
        return ast.Name(value.local, value.prefix) if value.uri is not None else value
    if isinstance(value, ast.Wildcard):
        return replace(value, uri=None) if value.prefix is not None else value
    if isinstance(value, ast.Node):
        return with_values(value, _value)
    if type(value) is tuple and value:
        members = tuple(map(_value, value))
        return value if all(a is b for a, b in zip(value, members, strict=True)) else members
    return value
