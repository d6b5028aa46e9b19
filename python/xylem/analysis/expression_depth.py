"""How deep the tree of a query is, and how deep it may be.

A chain of operators (`1 + 1 + …`) is a tree as deep as it is long. The parser needs no stack for it; names, types,
rewriting and generated code go down level by level, each with a call or more. Nesting that is written with brackets
is limited by the parser, at far fewer levels.
"""

from __future__ import annotations

from xylem.errors import StaticError
from xylem.syntax import ast

MOST_LEVELS = 5_000


def check_depth(module: ast.Module) -> None:
    """XYST0003 for a module whose tree is deeper than what follows has room for."""
    if len(module.span.source.text) < MOST_LEVELS:
        # Each level takes a character or more.
        return
    level: list[ast.Node] = [module]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in node.children()]
        if not level:
            return
    raise StaticError("XYST0003", f"more than {MOST_LEVELS:,} operators in a chain, or levels", span=level[0].span)
