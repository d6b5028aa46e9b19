"""A parsed module with its names resolved, for questions about a query before it is compiled. The prolog binds
prefixes, so only resolved names can answer questions about a name.
"""

from __future__ import annotations

from xylem.syntax import ast, parse

from .resolve_names import resolve_names
from .static_context import StaticContext, build_static_context


def resolved_module(module: ast.Module, environment: StaticContext | None = None) -> ast.Module:
    """The module with the `uri` of every name filled in; resolving it again changes nothing."""
    return resolve_names(module, build_static_context(module, environment or StaticContext()))


def resolved_query(text: str, name: str) -> ast.Module:
    """The module of a text, with its names resolved."""
    return resolved_module(parse(text, name))
